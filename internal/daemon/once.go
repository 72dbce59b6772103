package daemon

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// Pass are the terms of a decider for one pass.
type Pass struct {
	Policy  *policy.Policy
	WhatIf  bool // a person asks what this policy would do
	Journal string
	State   state.Dir
	Log     *slog.Logger
	Settle  time.Duration // between two looks
	Notes   []account.Note
}

// Once is the decider for this user where no daemon answers: the same loop, which looks when it is
// asked and acts on orders alone.
type Once struct {
	account.Asker
	mind   *mind
	pass   Pass
	acts   acts
	record *journal.Journal
	stop   func()
}

// ForOnce opens this host, and begins to look. Close it after use.
func ForOnce(p Pass) (*Once, error) {
	h, err := host.Open(host.Options{Policy: p.Policy, Log: p.Log, State: p.State})
	if err != nil {
		return nil, human.Failed("reaperd doctor", "%w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	o := &Once{mind: newMind(newWakes(p.Log)), pass: p, stop: stop}
	o.mind.see(h)
	o.record, _ = journal.Open(p.Journal) // whether it can be written is asked before the first act
	decides := &decider{eyes: o.mind, state: p.State, journal: p.Journal, log: slog.New(slog.DiscardHandler), settle: p.Settle}
	o.Asker = decides.As(account.Reader{UID: os.Geteuid(), Reaches: func(string) bool { return true }}) // what it sees, it reaches
	loop := sweep.Loop{
		Wakes: o.mind.wakes.triggers, Orders: o.mind.orders, OnlyOrders: true, Reaped: reapedLately(p.Journal),
		Paused:  func() bool { return isPaused(p.State) },
		Publish: o.publish,
	}
	go func() {
		defer close(o.mind.ended)
		loop.Run(ctx, o.sweeper())
	}()
	return o, nil
}

// Close ends the pass. Acts that have begun are finished first.
func (o *Once) Close() {
	o.stop()
	<-o.mind.ended
	o.mind.host.Close()
	_ = o.record.Close()
}

func (o *Once) sweeper() *sweep.Sweeper {
	h := o.mind.host
	known, _ := o.pass.State.Memory(scan.BootID()) // as the next daemon would know them; else no server is known so
	return &sweep.Sweeper{
		Observer: h, Catalogue: h.Catalogue(), Policy: o.pass.Policy, Pinned: h.Pinned, KeptNow: h.PinnedNow, Fresh: h, OneShot: true,
		ByShape: known.ByShape, Reaper: h.Reaper(o.record),
	}
}

// publish shows a round to whoever asks.
func (o *Once) publish(round sweep.Round) {
	o.acts.add(round.Told()...)
	o.mind.post(round, func(l account.Look) account.Look {
		now := time.Now()
		l.WhatIf, l.Notes = o.pass.WhatIf, o.pass.Notes
		l.Acts, l.Today = o.acts.lately(now)
		l.Decider = account.Decider{Kind: account.ByCommand, PID: os.Getpid(), User: state.UserName(os.Geteuid()), Whole: os.Geteuid() == 0}
		if pause, paused, err := o.pass.State.Paused(now); err == nil && paused {
			l.Decider.Rests, l.Decider.PausedUntil, l.Decider.PauseReason = account.Paused, pause.Until, pause.Reason
		}
		return l
	})
}

// followEvery is how often a pass looks while somebody follows it.
const followEvery = 5 * time.Second

// Follow implements [account.Asker].
func (o *Once) Follow(ctx context.Context, tell func(*account.Account)) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		a, err := o.Account(ctx, true)
		if err != nil {
			return err
		}
		tell(a)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// Look is the first look of the pass, or a new one.
func (o *Once) Look(ctx context.Context) (sweep.View, error) {
	after := time.Time{}
	if newest, _ := o.mind.newest(); newest != nil && !newest.isFresh(time.Now()) {
		after = time.Now()
	}
	newest, err := o.mind.await(ctx, after)
	if err != nil {
		return sweep.View{}, couldNotLook(err)
	}
	return sweep.View{Graph: newest.look.Graph, Verdicts: newest.look.Verdicts}, nil
}

// reapedLately is what a journal tells was reaped below live owners, as far back as a copy that
// such an owner has started again counts.
func reapedLately(path string) []graph.Reaped {
	var entries []journal.Entry
	for entry, err := range (&journal.History{Path: path}).Read(journal.Filter{Since: time.Now().Add(-graph.ReapedMemory)}) {
		if err == nil { // what cannot be read is not known
			entries = append(entries, entry)
		}
	}
	return reapedIn(entries)
}
