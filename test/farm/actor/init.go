//go:build linux

package actor

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// EnvInit makes the actor the first process of a PID namespace: it starts its arguments,
// reaps every orphan, and ends with its child.
const EnvInit = "FARM_INIT"

// Init is that first process; it returns the exit status of its child.
func Init(argv []string) (int, error) {
	if len(argv) == 0 {
		return 0, errors.New("start init: no command")
	}
	if err := os.Unsetenv(EnvInit); err != nil {
		return 0, err
	}
	command := exec.Command(argv[0], argv[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := command.Start(); err != nil {
		return 0, fmt.Errorf("start init: %w", err)
	}
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, fmt.Errorf("wait for children: %w", err)
		case pid == command.Process.Pid && status.Exited():
			return status.ExitStatus(), nil
		case pid == command.Process.Pid:
			return 128 + int(status.Signal()), nil
		}
	}
}
