// Package containers is the part of an engine's interface that `reaperd demo` needs: an image
// made of reaperd's own program ([Engine.Build]), clients that run it as `docker run -i` does
// ([Client.Run]), a [Door] that passes on requests about the demo's containers and refuses
// all others, and their removal ([Engine.Clear]).
//
// Whatever it makes has the label [demoLabel] with a value of this demo's own; nothing else is
// removed. The library behind internal/docker cannot build, attach or pass on requests.
package containers
