// Package world is the host that `reaperd top` shows: a daemon's looks where one tells
// them, else looks of its own; and what keys do there. Pin, unpin and stop are those of
// the commands of these names.
package world

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/top"
)

// Options say what is looked at, and how.
type Options struct {
	Policies string      // the policy's file; empty is the one that holds
	Mode     policy.Mode // over the policy's own; empty is that
	Journal  string      // the journal's file
	State    state.Dir
	Log      *slog.Logger
	Every    time.Duration // between looks of its own
	Settle   time.Duration // between the two looks before a stop, where a daemon's looks are shown
	NoDaemon bool          // looks by itself although a daemon runs
	Width    func() int    // of the terminal
}

// World is the host. Its methods may be called by several goroutines.
type World struct {
	Options
	daemon *daemon // nil: it is not asked
	hurry  chan struct{}

	// mu: one look or stop of its own at a time.
	mu     sync.Mutex
	sight  *oneshot.Sight // of its own looks; nil before the first
	looked int            // how often
}

// Open reads the policy, so that its faults are told before the screen is taken. Close
// the world after use.
func Open(o Options) (*World, error) {
	w := &World{Options: o, hurry: make(chan struct{}, 1)}
	if !o.NoDaemon {
		w.daemon = newDaemon(o.State.Socket())
	}
	_, err := w.policy()
	return w, err
}

// Close waits for what listens to the daemon, whose context must have ended.
func (w *World) Close() {
	if w.daemon != nil {
		w.daemon.listens.Wait()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sight != nil {
		w.sight.Close()
	}
}

// policy is the policy of its own looks, read anew.
func (w *World) policy() (*policy.Policy, error) {
	p, err := policyfile.Load(w.Policies)
	if err != nil {
		return nil, err
	}
	return p.WithMode(w.Mode, "--mode"), nil
}

// Next waits for the next look of the daemon, or looks.
func (w *World) Next(ctx context.Context) top.Seen {
	if w.daemon != nil {
		if seen, told := w.daemon.next(ctx, w.hurry); told {
			return seen
		}
	}
	if !w.wait(ctx) {
		return top.Seen{Err: ctx.Err()}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.look(ctx); err != nil {
		return top.Seen{Err: err}
	}
	return top.Seen{Tree: w.tree(), From: w.besides()}
}

// Hurry has Next look at once.
func (w *World) Hurry() {
	select {
	case w.hurry <- struct{}{}:
	default: // it does
	}
}

// secondLook is how soon the second look follows the first: what the processor is
// used for shows between two.
const secondLook = time.Second

// pause is the time until the next look of its own.
func (w *World) pause() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch w.looked {
	case 0:
		return 0
	case 1:
		return min(secondLook, w.Every)
	}
	return w.Every
}

// wait waits for the turn of the next look; false is that ctx has ended.
func (w *World) wait(ctx context.Context) bool {
	timer := time.NewTimer(w.pause())
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.hurry:
	case <-ctx.Done():
		return false
	}
	return true
}

// look looks once more, under the policy as it is now.
func (w *World) look(ctx context.Context) error {
	w.looked++
	p, err := w.policy()
	if err != nil {
		return err
	}
	if err := w.under(p); err != nil {
		return err
	}
	if w.sight.View.Graph != nil {
		return w.sight.Again(ctx)
	}
	return w.sight.First(ctx)
}

// under has the looks judged by a policy.
func (w *World) under(p *policy.Policy) error {
	switch {
	case w.sight == nil:
		sight, err := oneshot.Open(p, w.State, w.Log)
		if err != nil {
			return err
		}
		w.sight = sight
	case w.sight.Policy.Hash != p.Hash:
		w.sight = w.sight.Under(p)
	}
	return nil
}

func (w *World) tree() overview.Tree {
	return overview.Make(overview.Input{
		Graph: w.sight.View.Graph, First: w.sight.View.First, Verdicts: w.sight.View.Verdicts,
		Mode: w.sight.Policy.Mode, Pause: w.pauseNow(time.Now()),
	})
}

// pauseNow is the pause of this user's daemon and tool.
func (w *World) pauseNow(now time.Time) overview.Pause {
	pause, paused, err := w.State.Paused(now)
	if err != nil {
		return overview.Pause{On: true, Reason: err.Error()}
	}
	return overview.Pause{On: paused, Until: pause.Until, Reason: pause.Reason}
}

// besides tells whether somebody acts beside a look of its own.
func (w *World) besides() top.Source {
	if w.State.HasDaemon() {
		return top.BesideDaemon
	}
	return top.NoDaemon
}
