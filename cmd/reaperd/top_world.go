package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/terminal"
	"github.com/reaperd/reaperd/internal/top"
)

// topWorld is this host for `reaperd top`: a daemon's looks where one tells, else
// its own; and what keys do, by the commands that people type for it.
type topWorld struct {
	*topFlags
	daemon *topDaemon // nil: it is not asked
	every  time.Duration
	hurry  chan struct{}

	// mu: one look or stop of its own at a time.
	mu     sync.Mutex
	sight  *oneshot.Sight // of its own looks; nil before the first
	looked int            // how often
}

func newTopWorld(c *topFlags, every time.Duration) (*topWorld, error) {
	if _, err := c.policyInMode(); err != nil { // before the screen is taken
		return nil, err
	}
	w := &topWorld{topFlags: c, every: every, hurry: make(chan struct{}, 1)}
	if !c.noDaemon {
		w.daemon = newTopDaemon(stateDir().Socket())
	}
	return w, nil
}

func (w *topWorld) close() {
	if w.daemon != nil {
		w.daemon.listens.Wait()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sight != nil {
		w.sight.Close()
	}
}

// policyInMode is the policy of its own looks, read anew.
func (c *topFlags) policyInMode() (*policy.Policy, error) {
	mode, err := modeOf(c.mode)
	if err != nil {
		return nil, err
	}
	p, err := policyfile.Load(c.policies)
	if err != nil {
		return nil, err
	}
	return p.WithMode(mode, "--mode"), nil
}

// Next waits for the next look of the daemon, or looks.
func (w *topWorld) Next(ctx context.Context) top.Seen {
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
func (w *topWorld) Hurry() {
	select {
	case w.hurry <- struct{}{}:
	default: // it does
	}
}

// secondLook is how soon the second look follows the first: what the processor is
// used for shows between two.
const secondLook = time.Second

// pause is the time until the next look of its own.
func (w *topWorld) pause() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch w.looked {
	case 0:
		return 0
	case 1:
		return min(secondLook, w.every)
	}
	return w.every
}

// wait waits for the turn of the next look; false is that ctx has ended.
func (w *topWorld) wait(ctx context.Context) bool {
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
func (w *topWorld) look(ctx context.Context) error {
	w.looked++
	p, err := w.policyInMode()
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
func (w *topWorld) under(p *policy.Policy) error {
	switch {
	case w.sight == nil:
		sight, err := w.quiet(io.Discard, io.Discard).open(p)
		if err != nil {
			return err
		}
		w.sight = sight
	case w.sight.Policy.Hash != p.Hash:
		w.sight = w.sight.Under(p)
	}
	return nil
}

func (w *topWorld) tree() overview.Tree {
	return overview.Make(overview.Input{
		Graph: w.sight.View.Graph, First: w.sight.View.First, Verdicts: w.sight.View.Verdicts,
		Mode: w.sight.Policy.Mode, Pause: pauseNow(time.Now()),
	})
}

// pauseNow is the pause of this user's daemon and tool.
func pauseNow(now time.Time) overview.Pause {
	pause, paused, err := stateDir().Paused(now)
	if err != nil {
		return overview.Pause{On: true, Reason: err.Error()}
	}
	return overview.Pause{On: paused, Until: pause.Until, Reason: pause.Reason}
}

// besides tells whether somebody acts beside a look of its own.
func (w *topWorld) besides() top.Source {
	if stateDir().HasDaemon() {
		return top.BesideDaemon
	}
	return top.NoDaemon
}

// Do does by the command for it what a key wants done.
func (w *topWorld) Do(ctx context.Context, effect top.Effect, ask func(top.Question) bool) ([]string, error) {
	var out, talk bytes.Buffer
	quiet := w.quiet(&out, &talk)
	var err error
	switch effect.Do {
	case top.Pin:
		err = (&pinFlags{lookFlags: *quiet}).pin(ctx, []string{effect.Target})
	case top.Unpin:
		err = quiet.unpin([]string{effect.Target}, false)
	case top.Stop:
		err = w.stop(ctx, quiet, effect.Target, func(asks string) bool {
			defer out.Reset()
			return ask(top.Question{Plan: linesOf(out.String()), Asks: asks})
		})
	}
	if err = unsaid(err); err != nil {
		return nil, hinted(err)
	}
	return append(linesOf(out.String()), notesOf(talk.String())...), nil
}

// stop is `reaperd sweep TARGET`, from the looks that were made already where it
// makes them itself. Where there is nothing to stop it says why.
func (w *topWorld) stop(ctx context.Context, quiet *lookFlags, target string, ask func(asks string) bool) error {
	c := &sweepFlags{lookFlags: *quiet, order: oneshot.Order{Named: []string{target}, Journal: w.state}, mode: w.mode}
	asked := false
	c.answers = func(_ context.Context, asks string) (bool, error) {
		asked = true
		yes := ask(asks)
		if !yes {
			fmt.Fprintln(c.Out, "Nothing stopped.")
		}
		return yes, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p, err := c.prepare()
	if err != nil {
		return err
	}
	sight, err := w.again(ctx, p)
	if err != nil {
		return err
	}
	if err := c.sweep(ctx, &oneshot.Sweep{Sight: sight, Order: c.order}); err != nil || asked {
		return err
	}
	return c.sayWhy(sight, target)
}

// again looks once more by the policy of a stop, after a look of its own.
func (w *topWorld) again(ctx context.Context, p *policy.Policy) (*oneshot.Sight, error) {
	if w.sight == nil || w.sight.View.Graph == nil { // a daemon's looks are shown
		if err := w.look(ctx); err != nil {
			return nil, err
		}
		if !pauseFor(ctx, w.settle) {
			return nil, ctx.Err()
		}
	}
	sight := w.sight.Under(p)
	return sight, sight.Again(ctx)
}

// sayWhy says why a target is kept, as explain does in its first sentences.
func (c *sweepFlags) sayWhy(sight *oneshot.Sight, target string) error {
	explanation, err := sight.Explain(target)
	if err != nil || explanation == nil {
		return err
	}
	var whole bytes.Buffer
	if err := explanation.Write(&whole, c.options()); err != nil {
		return err
	}
	first, _, _ := strings.Cut(whole.String(), "\n\n")
	_, err = fmt.Fprintf(c.Out, "\n%s\n", strings.TrimSpace(first))
	return err
}

// quiet is a command of this one's flags that says nothing on the terminal.
func (w *topWorld) quiet(out, talk io.Writer) *lookFlags {
	s := *w.shared
	s.Terminal = terminal.Terminal{Out: out, Err: talk, Columns: w.Width()}
	s.color = "never"
	return &lookFlags{shared: &s, output: "table", policies: w.policies, settle: w.settle}
}

func linesOf(text string) []string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// notesOf are the warnings and notes in what a command says beside its answer.
func notesOf(talk string) []string {
	var notes []string
	for _, line := range linesOf(talk) {
		if strings.HasPrefix(line, "note: ") || strings.HasPrefix(line, "warning: ") {
			notes = append(notes, line)
		}
	}
	return notes
}

// hinted is an error with its hint behind it.
func hinted(err error) error {
	if hint := hintOf(err); hint != "" {
		return fmt.Errorf("%w (%s)", err, hint)
	}
	return err
}
