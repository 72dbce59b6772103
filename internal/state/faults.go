package state

import (
	"cmp"
	"time"
)

// Faults describes the files that keep a daemon from acting: those that say what is
// pinned and whether it is paused, and cannot be read.
func (d Dir) Faults(now time.Time) []string {
	faults := []string{}
	if _, err := d.Pins("", now); err != nil {
		faults = append(faults, err.Error()+": everything is kept until it is mended"+d.opened(err))
	}
	if _, _, err := d.Paused(now); err != nil {
		faults = append(faults, err.Error()+": nothing is reaped until it is mended"+cmp.Or(d.opened(err), ", or reaperd resume"))
	}
	return faults
}

// opened tells why a file of the directory may not be read, with the command that changes that:
// " (it belongs to root: sudo chown …)". It is empty if that is not what is wrong.
func (d Dir) opened(err error) string {
	if why, remedy := d.denied(err); why != "" {
		return " (" + why + ": " + remedy + ")"
	}
	return ""
}
