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

// Execute carries out the actions and returns their outcomes in the same order, after
// all have ended. If ctx ends, actions that have not begun are refused, and those
// under way are left, with their processes running.
func (r *Reaper) Execute(ctx context.Context, actions []Action) []Outcome {
	return r.Begin(ctx, actions)()
}

// Begin is [Reaper.Execute] for a caller that goes on meanwhile. It returns once the
// actions have their processes ([Shared.Holds]). wait waits for the outcomes.
func (r *Reaper) Begin(ctx context.Context, actions []Action) (wait func() []Outcome) {
	x := r.newRun(actions)
	var all sync.WaitGroup
	for _, s := range x.steps {
		all.Go(func() { x.act(ctx, s) })
	}
	return func() []Outcome {
		all.Wait()
		outcomes := make([]Outcome, len(x.steps))
		for i, s := range x.steps {
			outcomes[i] = s.outcome
		}
		return outcomes
	}
}

// run is the execution of one plan.
type run struct {
	reaper  *Reaper
	kernel  Kernel
	options Options
	tables  *tables
	shared  *Shared
	steps   []*step
	self    int
	since   time.Time
}

func (r *Reaper) newRun(actions []Action) *run {
	options := r.Options.withDefaults()
	x := &run{
		reaper:  r,
		kernel:  r.kernel(),
		options: options,
		shared:  cmp.Or(r.Shared, &Shared{}),
		steps:   link(actions),
		self:    os.Getpid(),
		since:   time.Now(),
	}
	x.tables = x.shared.tablesOf(r.Processes)
	x.shared.begun.keep(begunAtOnce(options.Concurrency))
	x.shared.working.resize(options.Concurrency)
	busy := x.shared.hold(actions)
	for _, s := range x.steps {
		s.busy = busy[s.action]
	}
	return x
}

// act carries out one step and journals its outcome. A panic fails only this step:
// other trees that are frozen at that moment must still be continued.
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
		if x.reaper.Told != nil {
			x.reaper.Told(s.outcome)
		}
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

// late defers a step that gets its place too late: a plan's observations age within
// seconds. Steps below a gateway are not deferred, since the gateway is frozen by
// then.
func (x *run) late(s *step) error {
	if within := x.options.BeginWithin; within > 0 && time.Since(x.since) > within && len(s.above) == 0 {
		return early{ResultDeferred, "others took their turns first; the next sweep looks anew"}
	}
	return nil
}

// resultOf is the result of an action that ended early.
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

// grace is the time that a target gets between SIGTERM and SIGKILL.
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

// claimedByOther reports that another action works on the process.
func (x *run) claimedByOther(id inventory.ID, action *Action) bool {
	holder := x.shared.holder(id)
	return holder != nil && holder != action
}

// intend journals the intention. Without that record the action must not begin.
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

// done journals the outcome. There is none for an action that was refused because the
// journal takes nothing, or that was deferred.
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

// verb is the act in the policy's words.
func (a *Action) verb() string {
	if a.Remove {
		return "remove"
	}
	return "terminate"
}

// entry is the journal's entry for an action.
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
