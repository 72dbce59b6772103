//go:build !linux && !darwin

package reap

import "golang.org/x/sys/unix"

// handle is never open: see [CanAct].
type handle struct{ fd int }

func openHandle(int) (handle, error) { return handle{fd: -1}, CanAct() }

// Signal implements [Handle].
func (handle) Signal(unix.Signal) error { return CanAct() }
