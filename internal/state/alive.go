package state

import (
	"fmt"
	"os"

	"github.com/reaperd/reaperd/internal/procstat"
)

// IsHere reports that the daemon's number means it here, and not another program or none, as where
// it runs in a container. Only a program called as this one counts.
func (d Daemon) IsHere() bool { return d.isHere(statOf) }

func (d Daemon) isHere(stat func(pid int) (procstat.Stat, bool)) bool {
	if d.PID <= 0 {
		return false
	}
	self, known := stat(os.Getpid())
	if !known { // a system without /proc has one numbering for all
		return true
	}
	its, known := stat(d.PID)
	return known && string(its.Comm) == string(self.Comm)
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
