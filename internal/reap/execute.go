package reap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
)

// Execute carries out the actions and returns their outcomes in the same order. It
// returns when all have come to an end. When the context ends, what has not begun
// is refused and what is under way is left, running.
func (r *Reaper) Execute(ctx context.Context, actions []Action) []Outcome {
	x := r.newRun(actions)
	var all sync.WaitGroup
	for _, s := range x.steps {
		all.Go(func() { x.act(ctx, s) })
	}
	all.Wait()
	outcomes := make([]Outcome, len(x.steps))
	for i, s := range x.steps {
		outcomes[i] = s.outcome
	}
	return outcomes
}

// run is one plan being carried out.
type run struct {
	reaper  *Reaper
	kernel  Kernel
	options Options
	tables  *tables
	begun   *places // one for each tree that is open, also while it waits
	working *places // one for each target that is worked on
	steps   []*step
	claimed map[inventory.ID]*Action // the planned members of all trees
	self    int
	since   time.Time
}

func (r *Reaper) newRun(actions []Action) *run {
	options := r.Options.withDefaults()
	x := &run{
		reaper:  r,
		kernel:  r.kernel(),
		options: options,
		tables:  &tables{source: r.Processes},
		begun:   newPlaces(begunAtOnce(options.Concurrency)),
		working: newPlaces(options.Concurrency),
		steps:   link(actions),
		claimed: map[inventory.ID]*Action{},
		self:    os.Getpid(),
		since:   time.Now(),
	}
	for _, s := range x.steps {
		for _, id := range s.action.tree() {
			x.claimed[id] = s.action
		}
	}
	return x
}

// act carries out one step and journals what came of it. A panic is one step's
// failure: the other trees that are frozen at that moment must be continued.
func (x *run) act(ctx context.Context, s *step) {
	began := time.Now()
	defer close(s.done)
	defer func() { s.letBelow(s.outcome.Result.Gone()) }()
	defer func() {
		if cause := recover(); cause != nil {
			s.outcome.Result, s.outcome.Detail = ResultFailed, fmt.Sprintf("reaping it broke off: %v", cause)
		}
		s.outcome.Took = time.Since(began)
		x.done(s)
	}()
	result, detail, err := x.perform(ctx, s)
	if err != nil {
		result, detail = resultOf(err)
	}
	s.outcome.Result, s.outcome.Detail = result, detail
	if s.outcome.FreedBytes == 0 && (result == ResultExited || result == ResultKilled) {
		s.outcome.FreedBytes = s.action.Record.MemoryBytes
	}
}

func (x *run) perform(ctx context.Context, s *step) (Result, string, error) {
	if err := s.await(); err != nil {
		return "", "", err
	}
	if err := ctx.Err(); err != nil {
		return "", "", err
	}
	if s.action.Kind == KindContainer {
		return x.endContainer(ctx, s)
	}
	return x.endTree(ctx, s)
}

// late defers a tree whose turn has come too late: what a plan says is true for
// seconds only, and whoever came since is not to wait for all of it. A container is
// not deferred: who may start one is trusted with the host.
func (x *run) late() error {
	if within := x.options.BeginWithin; within > 0 && time.Since(x.since) > within {
		return early{ResultDeferred, "others took their turns first; the next sweep looks anew"}
	}
	return nil
}

// resultOf is the result of an action that came to its end early.
func resultOf(err error) (Result, string) {
	var end early
	switch {
	case errors.As(err, &end):
		return end.result, end.detail
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ResultRefused, "interrupted before it was asked to end"
	}
	return ResultFailed, err.Error()
}

// grace is the time an action's target gets between being asked and killed.
func (x *run) grace(action *Action) time.Duration {
	return max(0, cmp.Or(action.Grace, x.options.Grace))
}

func (x *run) spared(id inventory.ID) bool {
	return id.PID == x.self || x.reaper.Spare != nil && x.reaper.Spare(id)
}

func (x *run) left(id inventory.ID) bool {
	return x.reaper.Leave != nil && x.reaper.Leave(id)
}

func (x *run) kinship(ctx context.Context, action *Action, id inventory.ID) Kinship {
	if x.reaper.Kin == nil {
		return Stranger
	}
	return x.reaper.Kin(ctx, *action, id)
}

// claimedByOther reports whether the process is a planned member of another action.
func (x *run) claimedByOther(id inventory.ID, action *Action) bool {
	other, claimed := x.claimed[id]
	return claimed && other != action
}

// intend journals that the action begins. Without that record it must not.
func (x *run) intend(s *step) error {
	if x.reaper.Recorder == nil {
		return nil
	}
	if err := x.reaper.Recorder.Intend(x.entry(s)); err != nil {
		s.unrecorded, s.outcome.JournalError = true, err
		return early{ResultRefused, fmt.Sprintf("nothing is acted on without a record: %v", err)}
	}
	return nil
}

// done journals the outcome. What was refused because the journal takes nothing
// has none, nor has what was deferred.
func (x *run) done(s *step) {
	if x.reaper.Recorder == nil || s.unrecorded || s.outcome.Result == ResultDeferred {
		return
	}
	entry := x.entry(s)
	entry.Result, entry.Detail = string(s.outcome.Result), s.outcome.Detail
	entry.FreedBytes, entry.TookSeconds = s.outcome.FreedBytes, s.outcome.Took.Seconds()
	for _, id := range s.outcome.Survivors {
		entry.Survivors = append(entry.Survivors, id.String())
	}
	s.outcome.JournalError = x.reaper.Recorder.Done(entry)
}

// verb is what is done to the target, in the words of the policy.
func (a *Action) verb() string {
	if a.Remove {
		return "remove"
	}
	return "terminate"
}

// entry is what the journal holds of the action.
func (x *run) entry(s *step) journal.Entry {
	action := s.action
	entry := action.Record
	entry.Time = time.Now()
	if entry.ID == "" && entry.Sweep != "" {
		entry.ID = entry.Sweep + "-" + action.ID
	}
	entry.ID = cmp.Or(entry.ID, action.ID)
	entry.TargetID = cmp.Or(entry.TargetID, action.TargetID)
	entry.Rule = cmp.Or(entry.Rule, action.Rule)
	entry.Name = cmp.Or(entry.Name, action.Name)
	entry.Kind = cmp.Or(entry.Kind, action.Kind)
	entry.Action = cmp.Or(entry.Action, action.verb())
	return entry
}
