// Package containers is what `reaperd demo` needs of a container engine: an image
// made of reaperd's own program, clients that run it as `docker run -i` does, a door
// that shows the demo nothing but its own containers, and their removal.
//
//	outside     [Find] an engine, [Engine.Build] the image; at the end [Engine.Clear]
//	the world   [Door] passes on what concerns the demo's containers, and refuses the rest
//	a stand-in  [Client.Run] starts a container and passes its stdio on
//
// Everything that it makes has the label [Label] with a value of this demo's own, and
// is found by that label alone when it is removed.
//
// It speaks the engine's HTTP interface over a socket by itself: building, attaching
// and passing requests on is not what reaperd's own client of the engines is for.
package containers
