// Package world is the host that `reaperd top` shows and acts on. Its looks come from a
// daemon or, if no daemon sends any, it looks by itself. Pin, unpin and stop do the same
// as the commands pin, unpin and sweep.
package world

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/neighbours"
	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/pins"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/top"
)

// Options tell how to look and to act.
type Options struct {
	Policies string      // the policy's file; empty: the one that commands use by default
	Mode     policy.Mode // replaces the policy's own mode, unless it is empty
	Journal  string      // the journal's file
	State    state.Dir
	Log      *slog.Logger
	Every    time.Duration // between looks by itself
	Settle   time.Duration // between the two looks before a stop, if the tree is a daemon's
	NoDaemon bool          // looks by itself even if a daemon runs
	Width    func() int    // returns that of the terminal
}

// World is one host. Several goroutines may call its methods.
type World struct {
	Options
	daemon *daemon // nil with NoDaemon
	hurry  chan struct{}
	others func(context.Context) beside.Daemons // of other users; nil finds none

	// mu is held during a look or stop of the world itself.
	mu     sync.Mutex
	sight  *oneshot.Sight // of looks by itself; nil before the first
	looked int            // the number of these looks
	// own is the last policy that was not refused; nil: there was none. refused has the
	// faults of the one that was read last.
	own     *policy.Policy
	refused []string
	stopped []overview.Ended // by x in this top, the newest first
}

// Open returns an error for a named policy file with faults, before the screen is taken over.
// Any other policy may have some: top shows what runs, and ends nothing. Call Close after use.
func Open(o Options) (*World, error) {
	w := &World{Options: o, hurry: make(chan struct{}, 1), others: neighbours.ForScreen().Daemons}
	if !o.NoDaemon {
		w.daemon = newDaemon(o.State.Socket())
	}
	if w.Policies == "" {
		return w, nil
	}
	_, err := w.policy()
	return w, err
}

// Close waits for the connection to the daemon, whose context must have ended.
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

// policy reads the policy anew.
func (w *World) policy() (*policy.Policy, error) {
	p, err := policyfile.Load(w.Policies)
	if err != nil {
		return nil, err
	}
	return policyfile.InMode(p, w.Mode), nil
}

// judging returns the policy for looks by itself. While the file is refused it is the one
// before it or, if there is none, the built-in one.
func (w *World) judging() *policy.Policy {
	p, err := w.policy()
	if err == nil {
		w.own, w.refused = p, nil
		return p
	}
	w.refused = policyfile.Texts(err)
	if w.own != nil {
		return w.own
	}
	return policyfile.InMode(policyfile.Shipped(), w.Mode)
}

// Next waits for the next look of the daemon, or looks by itself. Once a daemon does not
// answer any more, it returns at once, with the daemon's last look, on which nobody acts now.
func (w *World) Next(ctx context.Context) top.Seen {
	if w.daemon != nil {
		wasThere := w.daemon.ended != nil
		if seen, told := w.daemon.next(ctx, w.hurry); told {
			return w.withOwn(ctx, seen)
		}
		if wasThere {
			w.Hurry()
			return w.withOwn(ctx, top.Seen{Tree: w.daemon.last, From: w.besides()})
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
	return w.withOwn(ctx, top.Seen{Tree: w.tree(), From: w.besides()})
}

// beside are the daemons of other users.
func (w *World) beside(ctx context.Context) beside.Daemons {
	if w.others == nil {
		return nil
	}
	return w.others(ctx)
}

// withOwn adds to a look what holds for this user's deeds: the targets of the pins, as a
// daemon's look may be older than a pin, the mode of the policy, and whether the disk of pins
// is full. It adds the daemons of other users too.
func (w *World) withOwn(ctx context.Context, seen top.Seen) top.Seen {
	if seen.Err != nil {
		return seen
	}
	held, err := w.State.Pins(seen.Tree.BootID, time.Now())
	if err != nil {
		w.Log.Warn("read pins", "err", err)
	}
	if p, err := policyfile.Load(w.Policies); err == nil {
		seen.FileMode, seen.Mode = p.Mode, policyfile.InMode(p, w.Mode).Mode
	}
	if w.State.IsFull() {
		seen.NoRoomIn = state.Home().Short(string(w.State), "")
	}
	seen.Beside, seen.User = w.beside(ctx), state.UserName(os.Geteuid())
	seen.PinTexts = map[string]string{}
	for i := range held {
		seen.Pins = append(seen.Pins, held[i].ID)
		seen.PinTexts[held[i].ID] = pinText(&held[i])
	}
	if roots, runs := state.ForeignDaemon(); runs {
		seen.Roots, seen.Unheeded = state.LooksAfterAll(roots.PID), w.unheeded(held)
		if glance, tells := serve.GlanceAtRoots(ctx); tells {
			seen.RootsRests = glance.Rests()
		}
	} else {
		seen.Unheeded = unheededBeside(&seen.Tree, held, seen.Beside)
	}
	return seen
}

// unheededBeside tells root of its pins of what a user runs by which that user's daemon does not go, by target.
func unheededBeside(tree *overview.Tree, held []state.Pin, others beside.Daemons) map[string]string {
	told := map[string]string{}
	for i := range held {
		node := tree.OfTarget(held[i].ID)
		if node == nil || node.User == "" {
			continue
		}
		for _, daemon := range others {
			if daemon.UID != 0 && daemon.User == node.User {
				told[held[i].ID] = daemon.IgnoresPinOfAnother([]string{human.Safe(node.Title())}, []string{node.Typed()})
			}
		}
	}
	return told
}

// unheeded tells of the pins that root's daemon does not go by, by target.
func (w *World) unheeded(held []state.Pin) map[string]string {
	told := map[string]string{}
	for i := range held {
		for _, note := range pins.SystemNotes(held[i:i+1], w.State) {
			told[held[i].ID] = strings.TrimPrefix(note, "note: ")
		}
	}
	return told
}

// pinText tells since when a pin holds, until when, and why.
func pinText(p *state.Pin) string {
	text := "pinned " + human.Moment(p.At.Local())
	if !p.Until.IsZero() {
		text += " until " + human.Moment(p.Until.Local())
	}
	if p.Reason != "" {
		text += ", " + human.Line(p.Reason)
	}
	return text
}

// Hurry makes Next look at once.
func (w *World) Hurry() {
	select {
	case w.hurry <- struct{}{}:
	default: // it is about to
	}
}

// Look has this user's daemon look at once and, if none answers, Next.
func (w *World) Look() {
	if _, runs, _ := w.State.Daemon(); runs && !w.NoDaemon {
		if err := w.State.WantLook(time.Now()); err != nil { // then the daemon looks by its schedule
			w.Log.Warn("ask the daemon for a look", "err", err)
		}
	}
	w.Hurry()
}

// secondLook is the time from the first look to the second: processor use shows only
// between two looks.
const secondLook = time.Second

// pause returns the time until the next look by itself.
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

// wait waits until the next look is due, or Hurry; false if ctx ends earlier.
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

// look looks once more, judged by the policy file as it is now, if that is not refused.
func (w *World) look(ctx context.Context) error {
	w.looked++
	if err := w.under(w.judging()); err != nil {
		return err
	}
	w.sight.Recall(ctx)
	if w.sight.View.Graph == nil || w.sight.Watched() && !w.isFresh() {
		return w.sight.First(ctx)
	}
	return w.sight.Again(ctx)
}

// isFresh reports that the world's last look by itself is so new that what it has seen goes on. While
// a daemon's looks are shown, the world looks only for a stop: what happened between two of these it
// has not seen, and the daemon has.
func (w *World) isFresh() bool {
	g := w.sight.View.Graph
	return g != nil && time.Since(g.Snapshot.TakenAt) <= 2*w.Every+w.Settle
}

// under makes p the policy that judges the looks.
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
	tree := overview.Make(overview.Input{
		Graph: w.sight.View.Graph, First: w.sight.View.First, Verdicts: w.sight.View.Verdicts,
		Mode: w.sight.Policy.Mode, OwnPolicy: policyfile.IsUsers(w.sight.Policy), Pause: w.pauseNow(time.Now()), IdleFor: w.sight.Policy.IdleOver(), Ended: w.stopped,
	})
	tree.Refused, tree.ShownBy, tree.Policy = w.refused, w.shownBy(), w.sight.Policy.Identity()
	return tree
}

// shownBy names the policy that is shown in place of one that is refused; empty if none is.
func (w *World) shownBy() string {
	switch {
	case len(w.refused) == 0:
		return ""
	case w.own == nil:
		return "the built-in one"
	}
	return "the one before it"
}

// pauseNow returns the pause of this user's daemon and commands.
func (w *World) pauseNow(now time.Time) overview.Pause {
	pause, paused, err := w.State.Paused(now)
	if err != nil {
		return overview.Pause{On: true, Reason: err.Error()}
	}
	return overview.Pause{On: paused, Until: pause.Until, Reason: pause.Reason}
}

// besides tells whether a daemon runs beside a look by itself.
func (w *World) besides() top.Source {
	switch {
	case !w.State.HasDaemon():
		return top.NoDaemon
	case w.daemon != nil && w.daemon.hangs:
		return top.HungDaemon
	case w.daemon != nil && w.daemon.isBlind:
		return top.BlindDaemon
	}
	return top.BesideDaemon
}
