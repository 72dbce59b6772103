package state

import (
	"fmt"
	"os"
	"strconv"
	"strings"

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

// uidIn is the effective user in the status of a process (/proc/PID/status); -1 if it names none.
func uidIn(status string) int {
	for line := range strings.Lines(status) {
		if ids, found := strings.CutPrefix(line, "Uid:"); found {
			if fields := strings.Fields(ids); len(fields) > 1 {
				if uid, err := strconv.Atoi(fields[1]); err == nil {
					return uid
				}
			}
		}
	}
	return -1
}
