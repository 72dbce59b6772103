// Package world is the host that `reaperd top` shows and acts on. Its looks are those of the
// daemon whose tree it may read or, where none is, those of a pass of its own. What it is told
// to do it asks of whoever decides, as the commands do.
package world

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/daemon"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/screen"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/top"
)

// Options tell how to look and to act.
type Options struct {
	// Found is the daemon that decides here; nil if none answers. Open is a pass of top's own.
	Found func(ctx context.Context) (*serve.Asker, error)
	Open  func() (*daemon.Once, error)
	// Screen lays out a plan and what came of it.
	Screen func() screen.Options
	State  state.Dir
	// Policy is that of now; of a file that is refused comes the built-in one, and the faults.
	Policy   func() (*policy.Policy, error)
	Every    time.Duration // between looks by itself
	Order    account.Order // of what is stopped: its settle, and whether it enforces
	NoDaemon bool          // looks by itself even if a daemon runs
}

// World is one host. Several goroutines may call its methods.
type World struct {
	Options
	hurry   chan struct{}
	news    chan struct{} // a daemon has looked
	listens sync.WaitGroup
	looked  bool

	mu      sync.Mutex
	once    *daemon.Once // nil before the first look by itself
	follows string       // the socket of the daemon that is followed; empty: none is
}

// New is a world. Call Close after use.
func New(o Options) *World {
	return &World{Options: o, hurry: make(chan struct{}, 1), news: make(chan struct{}, 1)}
}

// Close waits for the connection to the daemon, whose context must have ended.
func (w *World) Close() {
	w.listens.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.once != nil {
		w.once.Close()
	}
}

// Hurry makes Next look at once.
func (w *World) Hurry() { poke(w.hurry) }

// Look makes Next return a new look soon, whoever looks.
func (w *World) Look() {
	ctx, cancel := context.WithTimeout(context.Background(), w.Every)
	defer cancel()
	if asked := w.teller(ctx); asked != nil {
		_, _ = asked.Account(ctx, true) // a failure is told by Next
		asked.Close()
	}
	w.Hurry()
}

func poke(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default: // it has not been heard yet
	}
}

// teller is the daemon whose tree this user may read; nil if there is none.
func (w *World) teller(ctx context.Context) *serve.Asker {
	if w.NoDaemon {
		return nil
	}
	asked, err := w.Found(ctx)
	if err != nil || asked == nil {
		return nil
	}
	if asked.UID != os.Geteuid() && os.Geteuid() != 0 {
		asked.Close()
		return nil
	}
	return asked
}

// Next waits for the next look of the daemon, or looks by itself.
func (w *World) Next(ctx context.Context) top.Seen {
	if w.looked {
		select {
		case <-time.After(w.Every):
		case <-w.hurry:
		case <-w.news:
		case <-ctx.Done():
			return top.Seen{Err: ctx.Err()}
		}
	}
	w.looked = true
	if asked := w.teller(ctx); asked != nil {
		defer asked.Close()
		if tree, err := asked.Tree(ctx); err == nil && !tree.At.IsZero() {
			w.follow(ctx, asked.Socket())
			return w.with(top.Seen{Tree: tree, From: top.Daemon})
		}
	}
	return w.byItself(ctx)
}

// follow has Next hear of each look of a daemon.
func (w *World) follow(ctx context.Context, socket string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.follows == socket {
		return
	}
	w.follows = socket
	w.listens.Go(func() {
		if asked, err := serve.Dial(ctx, socket); err == nil {
			_ = asked.Follow(ctx, func(*account.Account) { poke(w.news) }) // Next asks again
			asked.Close()
		}
		w.mu.Lock()
		w.follows = ""
		w.mu.Unlock()
		poke(w.news)
	})
}

// pass is the pass of top's own, which goes on from look to look.
func (w *World) pass() (*daemon.Once, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.once != nil {
		return w.once, nil
	}
	var err error
	w.once, err = w.Open()
	return w.once, err
}

func (w *World) byItself(ctx context.Context) top.Seen {
	once, err := w.pass()
	if err != nil {
		return top.Seen{Err: err}
	}
	view, err := once.Look(ctx)
	if err != nil {
		return top.Seen{Err: err}
	}
	p, _ := w.Policy()
	tree := overview.Make(overview.Input{Graph: view.Graph, First: view.First, Verdicts: view.Verdicts, Mode: p.Mode, Pause: w.pause(), IdleFor: p.IdleOver()})
	tree.Policy = p.Identity()
	from := top.NoDaemon
	if w.State.HasDaemon() {
		from = top.BesideDaemon
	}
	return w.with(top.Seen{Tree: tree, From: from})
}

func (w *World) pause() overview.Pause {
	pause, paused, err := w.State.Paused(time.Now())
	if err != nil {
		return overview.Pause{On: true, Reason: err.Error()}
	}
	return overview.Pause{On: paused, Until: pause.Until, Reason: pause.Reason}
}

// with adds what holds for this user's deeds: the pins, the mode, and whether a pin has room.
func (w *World) with(seen top.Seen) top.Seen {
	if p, err := w.Policy(); err == nil {
		seen.FileMode, seen.Mode = p.Mode, p.Mode
	}
	if w.Order.Enforce {
		seen.Mode = policy.ModeEnforce
	}
	if w.State.IsFull() {
		seen.NoRoomIn = state.Home().Short(string(w.State), "")
	}
	seen.User, seen.PinTexts = state.UserName(os.Geteuid()), map[string]string{}
	held, _ := w.State.Pins(seen.Tree.BootID, time.Now())
	for i := range held {
		seen.Pins = append(seen.Pins, held[i].ID)
		seen.PinTexts[held[i].ID] = "pinned " + human.Moment(held[i].At.Local())
	}
	return seen
}

// Do performs an effect and returns its result.
func (w *World) Do(ctx context.Context, effect top.Effect, ask func(top.Question) bool) (said top.Said) {
	said.Effect = effect
	asker, done, err := w.decider(ctx)
	if err != nil {
		said.Err = err
		return said
	}
	defer done()
	switch effect.Do {
	case top.Pin:
		for _, target := range effect.Targets {
			pins, err := asker.Pin(ctx, target, time.Time{}, "")
			said.Lines, said.Err = append(said.Lines, told("Pinned", pins)...), err
		}
	case top.Unpin:
		pins, err := asker.Unpin(ctx, effect.Targets)
		said.Lines, said.Err = told("Unpinned", pins), err
	case top.Stop:
		said.Lines, said.Err = w.stop(ctx, asker, effect, ask)
	}
	return said
}

// decider is who takes orders here.
func (w *World) decider(ctx context.Context) (account.Asker, func(), error) {
	if !w.NoDaemon {
		asked, err := w.Found(ctx)
		if err != nil {
			return nil, nil, err
		}
		if asked != nil {
			return asked, asked.Close, nil
		}
	}
	if _, err := w.Policy(); err != nil {
		return nil, nil, err
	}
	once, err := w.pass()
	return once, func() {}, err
}

func told(done string, pins []account.Pin) (lines []string) {
	for _, pin := range pins {
		lines = append(lines, fmt.Sprintf("%s %s %s.", done, human.Safe(pin.Called), human.Handle(pin.Target)))
	}
	return lines
}

// stop sweeps some targets.
func (w *World) stop(ctx context.Context, asker account.Asker, effect top.Effect, ask func(top.Question) bool) ([]string, error) {
	order := w.Order
	order.Words, order.Duplicates, order.IdleOver = effect.Targets, effect.Ends.Duplicates, effect.Ends.IdleOver
	plan, err := asker.Plan(ctx, order)
	if err != nil {
		return nil, err
	}
	shown, err := w.lines(func(out io.Writer, o screen.Options) error { return screen.Plan(out, plan, o) })
	if err != nil || len(plan.Targets) == 0 {
		return shown, err
	}
	if !ask(top.Question{Plan: shown, Asks: plan.Question}) {
		return []string{"Nothing stopped."}, nil
	}
	result, err := asker.Act(ctx, plan, func(account.Act) {})
	if err != nil {
		return nil, err
	}
	return w.lines(func(out io.Writer, o screen.Options) error { return screen.Result(out, result, o) })
}

// lines are what is written for the terminal.
func (w *World) lines(write func(io.Writer, screen.Options) error) ([]string, error) {
	var text strings.Builder
	options := w.Screen()
	options.Color, options.Asks = false, true
	err := write(&text, options)
	return strings.Split(strings.TrimRight(text.String(), "\n"), "\n"), err
}
