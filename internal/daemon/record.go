package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/sweep"
)

// record is the daemon's journal. While it takes no entries, nothing is acted on.
type record struct {
	path    string
	log     *slog.Logger
	wake    func(human.Trigger)
	isFull  func() bool // whether the disk of the state directory is full
	journal *journal.Journal
	// problem is why the journal takes no entries; nil if it does.
	problem atomic.Pointer[error]
}

func newRecord(path string, log *slog.Logger, wake func(human.Trigger), isFull func() bool) *record {
	return &record{path: path, log: log, wake: wake, isFull: isFull}
}

func (r *record) open() {
	opened, err := journal.Open(r.path)
	r.journal = opened
	if err == nil {
		err = opened.Ready()
	}
	r.note(err)
}

func (r *record) close() {
	if r.journal == nil { // the daemon ends before it was opened
		return
	}
	if err := r.journal.Close(); err != nil {
		r.log.Warn("journal", "err", err)
	}
}

// learn notes, after a sweep, whether the journal takes entries. A journal that once
// refused is asked again, so that the daemon notices free space before it has
// anything to act on. While something waits for its time, or the disk is full, the journal is
// asked too: a countdown that ends in a refusal would be a false promise.
func (r *record) learn(round sweep.Round) {
	var unrecorded *sweep.UnrecordedError
	switch {
	case errors.As(round.Refused, &unrecorded):
		r.note(unrecorded.Cause)
	case r.problem.Load() != nil || r.isFull() || slices.ContainsFunc(round.View.Verdicts, isPending) || slices.ContainsFunc(round.Outcomes, func(o sweep.Outcome) bool { return o.JournalError != nil }):
		r.note(r.journal.Ready())
	}
}

func isPending(v policy.Verdict) bool { return v.Decision == policy.Pending }

// note logs once that nothing is acted on, and once that it is again.
func (r *record) note(err error) {
	before := r.problem.Load()
	if err != nil {
		r.problem.Store(&err)
	} else {
		r.problem.Store(nil)
	}
	switch {
	case err != nil && before == nil:
		r.log.Error("the journal takes nothing, so nothing is acted on", "journal", r.journal.Path(), "err", err)
	case err == nil && before != nil:
		r.log.Info("the journal takes records again, so what is due is acted on", "journal", r.journal.Path())
		r.wake(human.TriggerDue)
	}
}

// ready reports that the journal takes entries. why quotes no file.
func (r *record) ready() (ok bool, why string) {
	if err := r.problem.Load(); err != nil {
		return false, "nothing is acted on: the journal takes no record"
	}
	return true, ""
}

// failures are the writes to the journal that have failed.
func (r *record) failures() journal.Failures {
	if r.journal == nil { // it was not opened yet
		return journal.Failures{}
	}
	return r.journal.Failures()
}

// lost counts the outcomes that are not in the journal.
func (r *record) lost() uint64 { return r.failures().Unwritten }

// tell adds to what a daemon says of itself what the journal does not take.
func (r *record) tell(of *account.Daemon) {
	failures := r.failures()
	of.JournalWriteErrors, of.JournalFailedAt, of.JournalUnwritten = failures.Writes, failures.Last, failures.Unwritten
	if err := r.problem.Load(); err != nil {
		of.Unrecorded = r.journal.Path()
		of.Faults = append(of.Faults, fmt.Sprintf("%v: nothing is acted on until it takes records again; %s", *err, journal.Remedy(*err)))
	}
}

// since is what the journal has since a moment, oldest first.
func (r *record) since(at time.Time) (entries []journal.Entry) {
	history := journal.History{Path: r.journal.Path()}
	for entry, err := range history.Read(journal.Filter{Since: at}) {
		if err != nil {
			r.log.Warn("journal cannot be read", "err", err)
			continue
		}
		entries = append(entries, entry)
	}
	if torn := history.Torn(); torn > 0 {
		r.log.Warn("journal has lines that were cut short", "lines", torn)
	}
	return entries
}

// outcomesOf are the outcomes among entries of the journal.
func outcomesOf(entries []journal.Entry) (outcomes []policy.Outcome) {
	for _, entry := range entries {
		if entry.Phase == journal.PhaseOutcome && entry.Result != journal.ResultUnfinished {
			outcomes = append(outcomes, outcomeOf(entry))
		}
	}
	return outcomes
}

// outcomeOf is an entry of the journal as an outcome.
func outcomeOf(entry journal.Entry) policy.Outcome {
	o := policy.Outcome{
		ID: entry.ID, Target: entry.TargetID, Name: entry.Name, Kind: graph.Kind(entry.Kind), Cwd: entry.Cwd, Rule: entry.Rule, Action: policy.Action(entry.Action), ByHand: entry.ByHand, By: entry.By,
		Result: human.Result(entry.Result), Detail: entry.Detail, FreedBytes: entry.FreedBytes, At: entry.Time,
		Owner: journal.Called(entry.Owner), Finding: graph.Finding(entry.Finding), FindingSince: entry.FindingSince,
	}
	if entry.Container != nil {
		o.Container = entry.Container.Name
	}
	if entry.UID != nil {
		o.User = inventory.Known(*entry.UID)
	}
	return o
}

// reapedIn are the targets that were reaped below an owner, as the journal tells: a copy that such an
// owner starts again is noticed. A docker run counts as its container.
func reapedIn(entries []journal.Entry) (reaped []graph.Reaped) {
	begun, runners := map[string]time.Time{}, map[string]bool{}
	for _, entry := range entries {
		runners[entry.Client] = true
		if entry.Phase == journal.PhaseIntend {
			begun[entry.ID] = entry.Time
			continue
		}
		_, id := journal.Named(entry.Owner)
		owner, err := inventory.ParseID(id)
		if from, known := begun[entry.ID]; known && err == nil && human.Result(entry.Result).Gone() {
			reaped = append(reaped, graph.Reaped{Owner: owner, Target: entry.TargetID, Name: entry.Name, From: from, Until: entry.Time})
		}
	}
	return slices.DeleteFunc(reaped, func(r graph.Reaped) bool { return runners[r.Target] })
}

// begunWithin is how far back closeBegun looks. A killed daemon is usually restarted
// at once, and a year's journal takes seconds to read.
const begunWithin = 7 * 24 * time.Hour

// closeBegun closes acts that an earlier reaperd began and did not finish. It
// continues the processes that those acts had stopped, in every mode, and records
// that the acts are unfinished. Later sweeps judge the targets again. What a sweep that still runs
// has begun, without a daemon, it will finish.
func (r *record) closeBegun(continued func([]inventory.ID) ([]inventory.ID, error), runs func(inventory.ID) bool) {
	history := journal.History{Path: r.journal.Path()}
	begun, err := history.Unfinished(time.Now().Add(-begunWithin))
	if err != nil {
		r.log.Warn("journal cannot be read", "err", err)
	}
	begun = slices.DeleteFunc(begun, func(entry journal.Entry) bool { return sweepRuns(&entry, runs) })
	stopped := r.abandon(begun, scan.BootID())
	if len(stopped) == 0 {
		return
	}
	if ids, err := continued(stopped); len(ids) > 0 || err != nil {
		r.log.Warn("continued what was left stopped", "processes", ids, "err", err)
	}
}

// sweepRuns reports that the sweep by hand which wrote an intention runs still, as runs tells of
// a process.
func sweepRuns(entry *journal.Entry, runs func(inventory.ID) bool) bool {
	id, err := inventory.ParseID(entry.Reaper)
	return err == nil && entry.BootID == scan.BootID() && runs(id)
}

// abandon records of each act that it is unfinished, and returns the processes that
// it may have stopped in this boot.
func (r *record) abandon(begun []journal.Entry, boot string) []inventory.ID {
	earlier := 0
	var stopped []inventory.ID
	for _, entry := range begun {
		detail := "reaperd was ended in the middle of it; the next sweep looked anew"
		if entry.BootID == boot {
			for _, p := range entry.Tree {
				stopped = append(stopped, inventory.ID{PID: p.PID, Start: p.Start})
			}
			r.log.Warn("an act was begun and its outcome never written; the next sweep looks anew",
				"id", entry.ID, "target", entry.TargetID, "name", entry.Name, "rule", entry.Rule, "at", entry.Time)
		} else {
			detail = "the host was started again before its outcome was written"
			earlier++
		}
		if err := r.journal.Abandon(entry, detail); err != nil {
			r.log.Warn("journal cannot be written", "err", err)
		}
	}
	if earlier > 0 {
		r.log.Info("acts from before the last boot have no outcome; reaperd history shows them", "acts", earlier)
	}
	return stopped
}
