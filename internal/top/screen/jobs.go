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
	s.listen()
	return s
}

func (s signals) listen() { signal.Notify(s.arrived, syscall.SIGTSTP, syscall.SIGCONT) }
func (s signals) end()    { signal.Stop(s.arrived) }

// notStopped is how long after its SIGTSTP a program that still runs was not
// stopped: nobody is there to continue it, and the kernel drops the signal.
const notStopped = 200 * time.Millisecond

// stopHere stops the whole job, as the terminal does for Ctrl-Z, so that its shell
// hears of it; it returns when the job is continued. The terminal's own key never
// comes as a signal: the terminal is read raw.
func (s signals) stopHere() {
	signal.Reset(syscall.SIGTSTP)
	defer s.listen()
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
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
