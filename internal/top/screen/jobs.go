package screen

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// signals are those of job control.
type signals struct{ arrived chan os.Signal }

func jobSignals() signals {
	s := signals{make(chan os.Signal, 4)}
	signal.Notify(s.arrived, syscall.SIGTSTP, syscall.SIGCONT)
	return s
}

func (s signals) end() { signal.Stop(s.arrived) }

// notStopped is how long after the signal a program that still runs was not
// stopped: its shell is gone or has no jobs, and the kernel drops the signal.
const notStopped = 200 * time.Millisecond

// stopHere stops the whole job, so that its shell hears of it, and returns when the
// job is continued. The signal is SIGTTIN, which the kernel treats as SIGTSTP: Go
// does not give a signal that it was notified of its default action back. SIGSTOP
// would also stop a program that nobody can continue.
func (s signals) stopHere() {
	if err := syscall.Kill(0, syscall.SIGTTIN); err != nil {
		return
	}
	timer := time.NewTimer(notStopped)
	defer timer.Stop()
	for {
		select {
		case got := <-s.arrived:
			if got == syscall.SIGCONT {
				return
			}
		case <-timer.C:
			return
		}
	}
}
