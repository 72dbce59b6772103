// Package containers is the part of a container engine's interface that `reaperd demo`
// needs: an image made of reaperd's own program, clients that run it as `docker run -i`
// does, a proxy that shows only the demo's containers, and their removal.
//
//	outside     [Find] an engine, [Engine.Build] the image; at the end [Engine.Clear]
//	the world   [Door] passes on requests about the demo's containers, and refuses all others
//	a stand-in  [Client.Run] starts a container and passes its stdio on
//
// Everything that it makes has the label [demoLabel] with a value of this demo's own. It
// removes only things with that label.
//
// It speaks the engine's HTTP interface itself: the library behind internal/docker
// cannot build, attach or pass on requests.
package containers
