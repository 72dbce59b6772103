package main

import (
	"errors"
	"slices"

	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/sweep"
)

// journalAfter is why the journal takes nothing after a sweep; nil where it does.
// What was refused once is asked again, so that the daemon hears of a disk that has
// room again before there is anything to act on.
func (d *daemon) journalAfter(round sweep.Round) error {
	var unrecorded *sweep.UnrecordedError
	switch {
	case errors.As(round.Refused, &unrecorded):
		return unrecorded.Cause
	case d.unrecorded.Load() != nil || slices.ContainsFunc(round.Outcomes, func(o reap.Outcome) bool { return o.JournalError != nil }):
		return d.journal.Ready()
	}
	return nil
}

// tellJournal says once that nothing is acted on, and once that it goes on.
func (d *daemon) tellJournal(err error) {
	before := d.unrecorded.Load()
	switch {
	case err != nil && before == nil:
		d.log.Error("the journal takes nothing, so nothing is acted on", "journal", d.journal.Path(), "err", err)
	case err == nil && before != nil:
		d.log.Info("the journal takes records again, so what is due is acted on", "journal", d.journal.Path())
		d.wake(sweep.TriggerDue)
	}
	if err == nil {
		d.unrecorded.Store(nil)
		return
	}
	d.unrecorded.Store(&err)
}

// records answers /readyz: a daemon that may not act is not ready.
func (d *daemon) records() (ok bool, why string) {
	if err := d.unrecorded.Load(); err != nil {
		return false, "nothing is acted on: the journal takes no record"
	}
	return true, ""
}
