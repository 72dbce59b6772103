package top

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// signals receives the signals of job control.
type signals struct{ arrived chan os.Signal }

func jobSignals() signals {
	s := signals{make(chan os.Signal, 4)}
	signal.Notify(s.arrived, syscall.SIGTSTP, syscall.SIGCONT)
	return s
}

func (s signals) end() { signal.Stop(s.arrived) }

// notStopped is the time after which a program that still runs will not be stopped: its
// shell is gone or has no jobs, and the kernel has dropped the signal.
const notStopped = 200 * time.Millisecond

// stopHere stops the whole job, so that its shell notices, and returns when the job
// continues. It sends SIGTTIN, which stops a process as SIGTSTP does: the loop has
// registered for SIGTSTP, which therefore no longer stops a Go program. SIGSTOP would
// also stop a program that nobody can continue.
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
