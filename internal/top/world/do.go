package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/pins"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/terminal"
	"github.com/reaperd/reaperd/internal/top"
)

// Do performs an effect and returns its result in lines.
func (w *World) Do(ctx context.Context, effect top.Effect, ask func(top.Question) bool) (said []string, err error) {
	switch effect.Do {
	case top.Pin:
		said, err = w.pin(ctx, effect.Target)
	case top.Unpin:
		said, err = w.unpin(effect.Target)
	case top.Stop:
		said, err = w.stop(ctx, effect, ask)
	}
	if err != nil {
		return nil, hinted(err)
	}
	return said, nil
}

func (w *World) pin(ctx context.Context, target string) ([]string, error) {
	p, err := w.policy()
	if err != nil {
		return nil, err
	}
	sight, err := oneshot.Open(p, w.State, w.Log)
	if err != nil {
		return nil, err
	}
	defer sight.Close()
	if err := sight.First(ctx); err != nil {
		return nil, err
	}
	pinned, err := pins.Pin(w.State, pins.Request{Graph: sight.View.Graph, Programs: sight.Programs(), Words: []string{target}, Now: time.Now()})
	if err != nil {
		return nil, err
	}
	var said []string
	for i := range pinned {
		said = append(said, pins.Pinned(&pinned[i]))
	}
	return append(said, worthSaying(pins.Notes(pinned, nil, w.State))...), nil
}

func (w *World) unpin(target string) ([]string, error) {
	ended, err := pins.End(w.State, []string{target})
	var said []string
	for i := range ended {
		said = append(said, pins.Unpinned(&ended[i]))
	}
	return said, err
}

// stop sweeps one target. It starts from the last look if the world has looked by itself.
// If nothing is to be stopped, the lines say why.
func (w *World) stop(ctx context.Context, effect top.Effect, ask func(top.Question) bool) ([]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, err := w.policy()
	if err != nil {
		return nil, err
	}
	p, order, err := oneshot.Order{Named: []string{effect.Target}, Ends: effect.Ends, Mode: w.Mode, Journal: w.Journal}.By(p, w.State)
	if err != nil {
		return nil, err
	}
	early, err := w.settles(ctx, effect.Target)
	if err != nil || early != nil {
		return early, err
	}
	sight, err := w.again(ctx, p)
	if err != nil {
		return nil, err
	}
	sweep := &oneshot.Sweep{Sight: sight, Order: order}
	plan, err := sweep.Plan()
	if err != nil {
		return nil, err
	}
	shown, err := w.lines(func(out io.Writer, o report.Options) error { return report.Plan(out, sweep.Report(), o) })
	switch {
	case err != nil:
		return nil, err
	case len(plan.Acts) == 0:
		if early := w.early(sight, effect.Target, 0); early != nil {
			return early, nil
		}
		why, err := w.why(sight, effect.Target)
		return append(append(named(shown, effect.Target, w.title(effect.Target)), why...), w.wrapped(worthSaying(sweep.Notes()))...), err
	case !ask(top.Question{Plan: append(switchLines(effect), shown...), Asks: oneshot.Question(plan)}):
		return append([]string{oneshot.NothingStopped}, worthSaying(sweep.Notes())...), nil
	}
	return w.act(ctx, sweep, plan)
}

// named replaces a target's id, by which the sweep was ordered, by its title.
func named(lines []string, target, title string) []string {
	all := slices.Clone(lines)
	for i, line := range all {
		if rest, ok := strings.CutPrefix(line, target+" "); ok {
			all[i] = title + " " + rest
		}
	}
	return all
}

// title is the name of a target with the word for it on a command line.
func (w *World) title(target string) string {
	title, tree := human.Handle(target), w.tree()
	tree.Walk(func(n *overview.Node, _ int) bool {
		if n.Target == target {
			title = human.Safe(n.Title())
		}
		return true
	})
	return title
}

// switchLines name the switch of `reaperd sweep` that a plan needs, if it needs one.
func switchLines(effect top.Effect) []string {
	switch {
	case effect.Ends.Duplicates:
		return []string{"As by reaperd sweep --duplicates " + effect.Target + ":", ""}
	case effect.Ends.IdleOver > 0:
		return []string{"As by reaperd sweep --idle-over " + human.Exact(effect.Ends.IdleOver) + " " + effect.Target + ":", ""}
	}
	return nil
}

func (w *World) act(ctx context.Context, sweep *oneshot.Sweep, plan policy.Plan) ([]string, error) {
	done, notes, err := sweep.Act(ctx, plan)
	if err != nil {
		return nil, err
	}
	said, err := w.lines(func(out io.Writer, o report.Options) error { return report.Outcomes(out, done, o) })
	return append(said, worthSaying(notes)...), errors.Join(err, ctx.Err())
}

// settles makes the first look and waits, if the tree is a daemon's. If a second look at
// the target is going to be too early for its rule, it does not wait: early says so.
func (w *World) settles(ctx context.Context, target string) (early []string, err error) {
	if w.sight != nil && w.sight.View.Graph != nil {
		return nil, nil
	}
	if err := w.look(ctx); err != nil {
		return nil, err
	}
	if early := w.early(w.sight, target, w.Settle); early != nil {
		return early, nil
	}
	if !pauseFor(ctx, w.Settle) {
		return nil, ctx.Err()
	}
	return nil, nil
}

// again looks once more, judged by p.
func (w *World) again(ctx context.Context, p *policy.Policy) (*oneshot.Sight, error) {
	sight := w.sight.Under(p)
	sight.Recall(ctx)
	return sight, sight.Again(ctx)
}

// why tells why a target is kept, in the first sentences of explain.
func (w *World) why(sight *oneshot.Sight, target string) ([]string, error) {
	explanation, err := sight.Explain(target)
	if err != nil || explanation == nil {
		return nil, err
	}
	lines, err := w.lines(explanation.Write)
	for i, line := range lines {
		if line == "" {
			lines = lines[:i]
			break
		}
	}
	return append([]string{""}, lines...), err
}

// lines returns the output of a report for this terminal.
func (w *World) lines(write func(io.Writer, report.Options) error) ([]string, error) {
	var out bytes.Buffer
	err := write(&out, report.Options{Width: w.Width(), UTF8: terminal.SpeaksUTF8(), Location: time.Local})
	text := strings.TrimRight(out.String(), "\n")
	if text == "" {
		return nil, err
	}
	return strings.Split(text, "\n"), err
}

// worthSaying returns the warnings and notes among lines. It drops hints: they are for a
// command line.
func worthSaying(lines []string) []string {
	var notes []string
	for _, line := range lines {
		if strings.HasPrefix(line, "note: ") || strings.HasPrefix(line, "warning: ") {
			notes = append(notes, line)
		}
	}
	return notes
}

// hinted appends the hint of an error to its text. It replaces `reaperd sweep --mode` in
// the hint by `reaperd top --mode`.
func hinted(err error) error {
	var advised *advice.Error
	if errors.As(err, &advised) && advised.Hint != "" {
		return fmt.Errorf("%w (%s)", err, strings.Replace(advised.Hint, "reaperd sweep --mode", "reaperd top --mode", 1))
	}
	return err
}
