package state

import (
	"fmt"
	"os"

	"github.com/reaperd/reaperd/internal/procstat"
)

// Standing is what the system says of a running daemon's process.
type Standing uint8

const (
	Elsewhere Standing = iota // its number means nothing here: it runs in a container, or it is not known
	Stopped                   // a signal has stopped it (SIGSTOP, SIGTSTP)
	Here                      // it runs here, so its number can be signalled
)

// Standing looks at the daemon's process. A daemon writes its number as it sees itself,
// which may be that of another program here: only a program called as this one counts.
func (d Daemon) Standing() Standing { return d.standing(statOf) }

func (d Daemon) standing(stat func(pid int) (procstat.Stat, bool)) Standing {
	self, known := stat(os.Getpid())
	if d.PID <= 0 {
		return Elsewhere
	}
	if !known { // a system without /proc has one numbering for all
		return Here
	}
	its, known := stat(d.PID)
	switch {
	case !known || its.Name != self.Name:
		return Elsewhere
	case its.State == 'T' || its.State == 't':
		return Stopped
	}
	return Here
}

// IsStopped reports a process that a signal has stopped, as far as this system tells.
func IsStopped(pid int) bool {
	stat, known := statOf(pid)
	return known && (stat.State == 'T' || stat.State == 't')
}

// statOf reads the process table; known is false where it has no such process, or where
// there is no /proc.
func statOf(pid int) (stat procstat.Stat, known bool) {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return procstat.Stat{}, false
	}
	stat, err = procstat.Parse(line)
	return stat, err == nil
}
