package demo

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/demo/containers"
)

// engineFD is the descriptor of the engine's socket in the first process of a world with
// containers. The world has no path to that socket.
const engineFD = 5

// openDoor serves the world's engine, which shows only the demo's containers. The first
// process itself listens: so reaperd recognises a proxy.
func openDoor(demo string) error {
	unix.CloseOnExec(engineFD)
	listener, err := net.Listen("unix", place.engine())
	if err != nil {
		return err
	}
	door := containers.Door{Engine: containers.At(fmt.Sprintf("/proc/self/fd/%d", engineFD)), Demo: demo}
	go func() { _ = door.Serve(listener) }() // ends with the world
	return nil
}
