package darwin

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"time"
)

// tokenSize is the size of an audit token: eight numbers of 32 bits.
const tokenSize = 32

// token names a process for proc_signal_with_audittoken. The kernel compares only the
// PID (number 5) and its version (number 7) (proc_ident_for_audit_token of
// bsd/kern/proc_info.c).
func token(pid int, version uint32) []byte {
	named := make([]byte, tokenSize)
	binary.LittleEndian.PutUint32(named[5*4:], uint32(pid))
	binary.LittleEndian.PutUint32(named[7*4:], version)
	return named
}

// Signals sends signals. An error is or wraps a [syscall.Errno].
type Signals interface {
	// SignalToken is proc_signal_with_audittoken. there is false if this macOS has no
	// such call (before 14.4).
	SignalToken(token []byte, signal int) (there bool, err error)
	// Kill is kill(2).
	Kill(pid, signal int) error
}

// Target is a process that is watched for its exit, as by a kqueue.
type Target struct {
	PID    int
	Unique uint64
	// Exited waits for the exit of the process, at most for limit, and reports whether
	// it has ended.
	Exited func(limit time.Duration) bool
}

// exitTakes is how long after the kernel stops finding a process its watchers may be
// told of its exit.
const exitTakes = 2 * time.Second

// sigcont is the number of SIGCONT on macOS (bsd/sys/signal.h).
const sigcont = int(syscall.SIGCONT)

// Signal sends a signal to exactly this process. Where the kernel can, it compares
// the identity itself; the version changes with an exec, so it is read again each
// time. Signal 0 asks for permission, for which there is only kill. SIGCONT is sent
// by number if the identity cannot be compared: a stopped process must not stay
// stopped. An error for which [IsGone] holds means that the process has exited and its
// watch confirms it.
func Signal(k Kernel, s Signals, to Target, signal int) error {
	for range attempts {
		if to.Exited(0) {
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
		if !IsGone(err) { // the error also follows an exec in between: look again
			return err
		}
	}
	return fmt.Errorf("signal process %d: the kernel does not take its audit token", to.PID)
}

// confirm takes a process for gone only if its watch has seen it exit.
func (t Target) confirm(err error) error {
	if IsGone(err) && !t.Exited(exitTakes) {
		return fmt.Errorf("signal process %d: the kernel finds it no more, and did not see it exit", t.PID)
	}
	return err
}
