package darwin

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"time"
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

// Target is a process that is watched for its end, as by a kqueue.
type Target struct {
	PID    int
	Unique uint64
	// Ended waits until it has ended, at most so long, and reports whether it has.
	Ended func(limit time.Duration) bool
}

// exitTakes is how long the end of a process may take from when the kernel finds
// it no more to when it tells those who watch.
const exitTakes = 2 * time.Second

// sigcont is SIGCONT of macOS (bsd/sys/signal.h) where this runs on one.
const sigcont = int(syscall.SIGCONT)

// Signal sends to that very process: the kernel itself compares who it is, where
// it can. Its version changes with an exec, so it is read anew each time. Signal 0
// asks for permission, for which there is only kill. SIGCONT also goes by number
// where the kernel does not say who has it: what was stopped must not stay so.
// An error that [IsGone] means that it has ended, and that its watch says so.
func Signal(k Kernel, s Signals, to Target, signal int) error {
	for range attempts {
		if to.Ended(0) {
			return syscall.ESRCH
		}
		now, err := IdentityOf(k, to.PID)
		switch {
		case err != nil && signal == sigcont, err == nil && signal == 0:
			return to.confirm(s.Kill(to.PID, signal))
		case err != nil:
			return to.confirm(err)
		case now.Unique != to.Unique:
			return to.confirm(syscall.ESRCH)
		}
		there, err := s.SignalToken(token(to.PID, now.Version), signal)
		if !there {
			return to.confirm(s.Kill(to.PID, signal))
		}
		if !IsGone(err) { // an exec in between is gone too: look again
			return err
		}
	}
	return fmt.Errorf("signal process %d: the kernel does not take its audit token", to.PID)
}

// confirm takes a process for gone only if its watch has seen it end.
func (t Target) confirm(err error) error {
	if IsGone(err) && !t.Ended(exitTakes) {
		return fmt.Errorf("signal process %d: the kernel finds it no more, and did not see it end", t.PID)
	}
	return err
}
