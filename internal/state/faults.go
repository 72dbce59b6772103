package state

import "time"

// Faults describes the files that keep a daemon from acting: those that say what is
// pinned and whether it is paused, and cannot be read.
func (d Dir) Faults(now time.Time) []string {
	faults := []string{}
	if _, err := d.Pins("", now); err != nil {
		faults = append(faults, err.Error()+": everything is kept until it is mended")
	}
	if _, _, err := d.Paused(now); err != nil {
		faults = append(faults, err.Error()+": nothing is reaped until it is mended, or reaperd resume")
	}
	return faults
}
