package main

import (
	"os"
	"syscall"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/supervise"
)

// superviseServer replaces this process by the same program as a supervisor. The
// supervisor starts before the rest of the program is initialised, and so stays small.
func superviseServer(line supervise.Line) error {
	environment := append(os.Environ(), line.Container.Variable())
	err := syscall.Exec("/proc/self/exe", line.Words(os.Args), environment)
	return human.Failed("", "execute reaperd again: %w", err)
}
