package reap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
)

// Execute carries out the acts and returns their outcomes in the same order, after
// all have exited. If ctx ends, acts that have not begun are refused, and those
// under way are left, with their processes running.
func (r *Reaper) Execute(ctx context.Context, acts []Act) []Outcome {
	return r.Begin(ctx, acts)()
}

// Begin is [Reaper.Execute] for a caller that goes on meanwhile. It returns once the
// acts have their processes ([Shared.Holds]). wait waits for the outcomes.
func (r *Reaper) Begin(ctx context.Context, acts []Act) (wait func() []Outcome) {
	x := r.newRun(acts)
	var all sync.WaitGroup
	for _, s := range x.steps {
		all.Go(func() { x.carryOut(ctx, s) })
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

func (r *Reaper) newRun(acts []Act) *run {
	options := r.Options.withDefaults()
	x := &run{
		reaper:  r,
		kernel:  r.kernel(),
		options: options,
		shared:  cmp.Or(r.Shared, &Shared{}),
		steps:   link(acts),
		self:    os.Getpid(),
		since:   time.Now(),
	}
	x.tables = x.shared.tablesOf(r.Processes)
	x.shared.begun.keep(begunAtOnce(options.Concurrency))
	x.shared.working.resize(options.Concurrency)
	busy := x.shared.hold(acts)
	for _, s := range x.steps {
		s.busy = busy[s.act]
	}
	return x
}

// carryOut carries out one step and journals its outcome. A panic fails only this step:
// other trees that are frozen at that moment must still be continued.
func (x *run) carryOut(ctx context.Context, s *step) {
	began := time.Now()
	defer close(s.done)
	defer func() { s.letBelow(s.outcome.Result.Gone()) }()
	defer func() {
		if cause := recover(); cause != nil {
			s.outcome.Result, s.outcome.Detail = human.ResultFailed, fmt.Sprintf("reaping it broke off: %v", cause)
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
	if s.outcome.FreedBytes == 0 && (result == human.Exited || result == human.Killed) {
		s.outcome.FreedBytes = s.act.Record.MemoryBytes
	}
}

func (x *run) perform(ctx context.Context, s *step) (human.Result, string, error) {
	if err := s.await(); err != nil {
		return "", "", err
	}
	if err := ctx.Err(); err != nil {
		return "", "", err
	}
	if s.act.Kind == KindContainer {
		return x.reapContainer(ctx, s)
	}
	return x.reapTree(ctx, s)
}

// late defers a step that gets its place too late: a plan's observations age within
// seconds. Steps below a gateway are not deferred, since the gateway is frozen by
// then.
func (x *run) late(s *step) error {
	if within := x.options.BeginWithin; within > 0 && time.Since(x.since) > within && len(s.above) == 0 {
		return early{human.Deferred, "others took their turns first; the next sweep looks anew"}
	}
	return nil
}

// resultOf is the result of an act that ended early.
func resultOf(err error) (human.Result, string) {
	var end early
	switch {
	case errors.As(err, &end):
		return end.result, end.detail
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return human.Refused, "interrupted before it was asked to end"
	}
	return human.ResultFailed, err.Error()
}

// grace is the time that a target gets between SIGTERM and SIGKILL.
func (x *run) grace(act *Act) time.Duration {
	return max(0, cmp.Or(act.Grace, x.options.Grace))
}

func (x *run) untouchable(id inventory.ID) bool {
	return id.PID == x.self || x.reaper.Untouchable != nil && x.reaper.Untouchable(id)
}

func (x *run) outside(id inventory.ID) bool {
	return x.reaper.Outside != nil && x.reaper.Outside(id)
}

func (x *run) kinship(ctx context.Context, act *Act, id inventory.ID) Kinship {
	if x.reaper.Kin == nil {
		return Stranger
	}
	return x.reaper.Kin(ctx, *act, id)
}

// claimedByOther reports that another act works on the process.
func (x *run) claimedByOther(id inventory.ID, act *Act) bool {
	holder := x.shared.holder(id)
	return holder != nil && holder != act
}

// intend journals the intention. Without that record the act must not begin.
func (x *run) intend(s *step) error {
	if x.reaper.Recorder != nil {
		if err := x.reaper.Recorder.Intend(x.entry(s)); err != nil {
			s.unrecorded, s.outcome.JournalError = true, err
			return early{human.Refused, fmt.Sprintf("nothing is acted on without a record: %v", err)}
		}
	}
	if x.reaper.Begun != nil {
		x.reaper.Begun(s.act.ID)
	}
	return nil
}

// done journals the outcome. There is none for an act that was refused because the
// journal takes nothing, or that was deferred.
func (x *run) done(s *step) {
	if x.reaper.Recorder == nil || s.unrecorded || s.outcome.Result == human.Deferred {
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
func (a *Act) verb() string {
	if a.Remove {
		return "remove"
	}
	return "terminate"
}

// entry is the journal's entry for an act.
func (x *run) entry(s *step) journal.Entry {
	act := s.act
	entry := act.Record
	entry.Time = time.Now()
	if entry.ID == "" && entry.Sweep != "" {
		entry.ID = entry.Sweep + "-" + act.ID
	}
	entry.ID = cmp.Or(entry.ID, act.ID)
	entry.TargetID = cmp.Or(entry.TargetID, act.TargetID)
	entry.Rule = cmp.Or(entry.Rule, act.Rule)
	entry.Name = cmp.Or(entry.Name, act.Name)
	entry.Kind = cmp.Or(entry.Kind, act.Kind)
	entry.Action = cmp.Or(entry.Action, act.verb())
	return entry
}
