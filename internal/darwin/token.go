package darwin

import (
	"encoding/binary"
	"fmt"
	"syscall"
)

// tokenSize is that of an audit token, eight numbers of 32 bits.
const tokenSize = 32

// token names a process to proc_signal_with_audittoken: the kernel compares the
// PID (number 5) and its version (number 7), and no more (proc_ident_for_audit_token
// of bsd/kern/proc_info.c).
func token(pid int, version uint32) []byte {
	named := make([]byte, tokenSize)
	binary.LittleEndian.PutUint32(named[5*4:], uint32(pid))
	binary.LittleEndian.PutUint32(named[7*4:], version)
	return named
}

// Signals sends signals. An error is or wraps a [syscall.Errno].
type Signals interface {
	// SignalToken is proc_signal_with_audittoken; there is false where this macOS
	// has none (before 14.4).
	SignalToken(token []byte, signal int) (there bool, err error)
	// Kill is kill(2).
	Kill(pid, signal int) error
}

// Signal sends to that very process: the kernel itself compares who it is, where
// it can. Its version changes with an exec, so it is read anew each time. Signal 0
// asks for permission, for which there is only kill.
func Signal(k Kernel, s Signals, pid int, unique uint64, signal int) error {
	for range attempts {
		now, err := IdentityOf(k, pid)
		if err != nil {
			return err
		}
		if now.Unique != unique {
			return fmt.Errorf("process %d is another one now: %w", pid, syscall.ESRCH)
		}
		if signal == 0 {
			return s.Kill(pid, 0)
		}
		there, err := s.SignalToken(token(pid, now.Version), signal)
		if !there {
			return s.Kill(pid, signal)
		}
		if !IsGone(err) { // an exec in between is gone too: look again
			return err
		}
	}
	return fmt.Errorf("signal process %d: the kernel does not take its audit token", pid)
}
