package demo

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/demo/containers"
)

// engineFD is the engine's socket in the first process of a world with containers.
// There is no path to it in the world.
const engineFD = 5

// openDoor serves the world's engine: the door through which the demo's containers
// alone are seen. The first process listens itself: by that reaperd knows the door.
func openDoor(demo string) error {
	unix.CloseOnExec(engineFD)
	listener, err := net.Listen("unix", place.engine())
	if err != nil {
		return err
	}
	door := containers.Door{Engine: containers.At(fmt.Sprintf("/proc/self/fd/%d", engineFD)), Demo: demo}
	go func() { _ = door.Serve(listener) }() // until the world ends
	return nil
}
