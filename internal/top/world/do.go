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
	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/pins"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/terminal"
	"github.com/reaperd/reaperd/internal/top"
	"github.com/reaperd/reaperd/internal/word"
)

// Do performs an effect and returns its result.
func (w *World) Do(ctx context.Context, effect top.Effect, ask func(top.Question) bool) (said top.Said) {
	switch effect.Do {
	case top.Pin:
		said.Lines, said.Err = w.pin(ctx, effect.Targets)
	case top.Unpin:
		said = w.unpin(ctx, effect.Targets)
	case top.Stop:
		said.Lines, said.Err = w.stop(ctx, effect, ask)
	}
	said.Effect = effect
	if said.Err != nil {
		said.Lines, said.Err = nil, hinted(said.Err)
	}
	return said
}

// pin pins targets by a look of its own.
func (w *World) pin(ctx context.Context, targets []string) ([]string, error) {
	sight, err := w.lookOnce(ctx)
	if err != nil {
		return nil, err
	}
	targets, ended := w.ended(sight.View.Graph, targets)
	if len(targets) == 0 {
		return ended, nil
	}
	pinned, err := pins.Pin(w.State, pins.Request{Graph: sight.View.Graph, Programs: sight.Programs(), Words: targets, Now: time.Now(), LeftBy: sight.LeftBy(ctx)})
	if err != nil {
		return nil, err
	}
	said := []string{"Pinned " + human.Number(len(pinned)) + "."}
	if len(pinned) == 1 {
		said[0] = pins.Pinned(&pinned[0])
	}
	if late := pins.TooLate(pinned, sight.Begun(ctx)); late != "" {
		said[0] = strings.TrimSuffix(said[0], ".") + ", " + late + "."
	}
	notes := append(pins.IgnoredNotes(sight.View.Graph, pinned, w.beside(ctx)), pins.Notes(sight.View.Graph, pinned, nil, w.State)...)
	return append(append(said, ended...), w.worthSaying(notes)...), nil
}

// stop sweeps some targets. It starts from the last look if the world has looked by itself.
// If nothing is to be stopped, the lines say why.
func (w *World) stop(ctx context.Context, effect top.Effect, ask func(top.Question) bool) ([]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, err := w.policy()
	if err != nil {
		return nil, refused(err)
	}
	p, order, err := oneshot.Order{Named: effect.Targets, Ends: effect.Ends, Mode: w.Mode, Journal: w.Journal}.By(p, w.State)
	if err != nil {
		return nil, w.remedied(err, order)
	}
	stays, err := w.settles(ctx, effect)
	if err != nil || stays != nil {
		return stays, err
	}
	sight, err := w.again(ctx, p)
	if err != nil {
		return nil, err
	}
	var ended []string
	if order.Named, ended = w.ended(sight.View.Graph, effect.Targets); len(order.Named) == 0 {
		return ended, nil
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
		return w.nothing(sight, effect, append(shown, w.worthSaying(sweep.Notes())...))
	case !ask(top.Question{Plan: append(w.switchLines(effect), shown...), Asks: oneshot.Question(plan)}):
		return append([]string{oneshot.NothingStopped}, w.worthSaying(sweep.Notes())...), nil
	}
	return w.act(ctx, sweep, plan)
}

// mostFaults is how many faults of a policy file the refusal of a stop shows.
const mostFaults = 3

// refused tells that nothing is stopped while the policy file is refused, and for which faults, one on a
// line.
func refused(err error) error {
	faults := strings.Split(err.Error(), "\n")
	lines := []string{"x stops nothing while the policy file is refused. It has " + human.Count(len(faults), "fault") + ":"}
	for _, fault := range faults[:min(len(faults), mostFaults)] {
		lines = append(lines, state.Home().Short(fault, ""))
	}
	if more := len(faults) - mostFaults; more > 0 {
		lines = append(lines, "and "+human.Number(more)+" more.")
	}
	return errors.New(strings.Join(append(lines, "reaperd policy check shows all of it, and where it stands."), "\n"))
}

// ended returns the targets that a look still has, and a line for each that has ended. A
// look that could not read everything proves no end.
func (w *World) ended(g *graph.Graph, targets []string) (still, said []string) {
	if !g.Snapshot.Complete() {
		return targets, nil
	}
	missing := word.Missing(g, targets)
	for _, target := range targets {
		if slices.Contains(missing, target) {
			said = append(said, w.title(target)+" has ended meanwhile.")
		} else {
			still = append(still, target)
		}
	}
	return still, said
}

// nothing tells why a plan is empty.
func (w *World) nothing(sight *oneshot.Sight, effect top.Effect, shown []string) ([]string, error) {
	if early := w.early(sight, effect, 0); early != nil {
		return early, nil
	}
	shown = named(shown, effect.Targets, w.title)
	if len(effect.Targets) > 1 {
		return shown, nil
	}
	why, err := w.why(sight, effect.Targets[0])
	return append(append(shown, ""), why...), err
}

// named replaces the ids of targets at the beginning of lines by their titles. The sweep
// was ordered by ids, and so its lines have them.
func named(lines, targets []string, title func(string) string) []string {
	all := slices.Clone(lines)
	for i, line := range all {
		for _, target := range targets {
			if rest, ok := strings.CutPrefix(line, target+" "); ok {
				all[i] = title(target) + " " + rest
			}
		}
	}
	return all
}

// title is the name of a target with the word for it on a command line.
func (w *World) title(target string) string {
	if n := w.node(target); n != nil {
		return human.Safe(n.Title())
	}
	return human.Handle(target)
}

// typed is the word for a target on a command line.
func (w *World) typed(target string) string {
	if n := w.node(target); n != nil {
		return human.Safe(n.Typed())
	}
	return human.Handle(target)
}

// node returns the node of a target in the last look by the world itself; nil if it has
// none.
func (w *World) node(target string) *overview.Node {
	if w.sight == nil {
		return nil
	}
	tree := w.tree()
	return tree.OfTarget(target)
}

// switchLines name the `reaperd sweep` that has the same plan. Without a daemon there is none about a
// session: it would have to watch that for as long as the world has.
func (w *World) switchLines(effect top.Effect) []string {
	isSession := func(target string) bool { n := w.node(target); return n != nil && n.Kind == overview.KindSession }
	if !w.State.HasDaemon() && slices.ContainsFunc(effect.Targets, isSession) {
		return nil
	}
	look := asked.Look{Policies: w.Policies, Mode: string(w.Mode)}
	switch {
	case effect.Ends.Duplicates:
		look.Duplicates = true
	case effect.Ends.IdleOver > 0:
		look.IdleOver = human.Exact(effect.Ends.IdleOver)
	case effect.Ends.Now:
		look.Now = true
	}
	for _, target := range effect.Targets {
		look.Names = append(look.Names, w.typed(target))
	}
	return append(w.wrapped([]string{"As by " + look.Sweep() + ":"}), "")
}

func (w *World) act(ctx context.Context, sweep *oneshot.Sweep, plan policy.Plan) ([]string, error) {
	done, notes, err := sweep.Act(ctx, plan)
	if err != nil {
		return nil, err
	}
	for _, outcome := range done.Outcomes {
		outcome.At = time.Now()
		w.stopped = append([]overview.Ended{overview.EndedBy(outcome)}, w.stopped...)
	}
	said, err := w.lines(func(out io.Writer, o report.Options) error { return report.Outcomes(out, done, o) })
	return append(said, w.worthSaying(notes)...), errors.Join(err, ctx.Err())
}

// settles makes the first of two looks and waits, unless the world's last look has found the
// same of each target. If a second look cannot change that the target stays, it does not
// wait: stays says so.
func (w *World) settles(ctx context.Context, effect top.Effect) (stays []string, err error) {
	if w.hasFound(effect.Targets) {
		return nil, nil
	}
	if err := w.look(ctx); err != nil {
		return nil, err
	}
	if early := w.early(w.sight, effect, w.Settle); early != nil {
		return early, nil
	}
	if w.isKept(effect) {
		return w.why(w.sight, effect.Targets[0])
	}
	if !pauseFor(ctx, w.Settle) {
		return nil, ctx.Err()
	}
	return nil, nil
}

// hasFound reports whether the world's last look has a finding of each target. What leaked
// since then was seen by nobody here.
func (w *World) hasFound(targets []string) bool {
	if w.sight == nil || !w.isFresh() {
		return false
	}
	return !slices.ContainsFunc(targets, func(id string) bool {
		target, found := w.sight.View.Graph.Target(id)
		return !found || target.Finding == graph.FindingNone
	})
}

// isKept reports whether the first look has settled that a single target stays: it is in
// use, or its rule only reports or is overruled by a guard.
func (w *World) isKept(effect top.Effect) bool {
	v := w.verdict(w.sight, effect)
	if v == nil || v.Decision != policy.Keep {
		return false
	}
	inUse := v.Target.Finding == graph.FindingNone && v.Target.Owner.Liveness == graph.LivenessLive
	return inUse || v.Rule != ""
}

// verdict returns that of the only target of an effect without switches; nil for any other.
func (w *World) verdict(sight *oneshot.Sight, effect top.Effect) *policy.Verdict {
	if len(effect.Targets) != 1 || effect.Ends != (policy.Switches{}) {
		return nil
	}
	for i := range sight.View.Verdicts {
		if v := &sight.View.Verdicts[i]; v.Target.ID == effect.Targets[0] {
			return v
		}
	}
	return nil
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
	return append(lines, w.otherPolicy(sight)...), err
}

// otherPolicy tells how x comes to go by the policy of the daemon, which the tree shows.
func (w *World) otherPolicy(sight *oneshot.Sight) []string {
	file := sight.OtherPolicy()
	if file == "" {
		return nil
	}
	command := "reaperd top --policies " + human.Shell(file)
	if w.Mode != "" {
		command += " --mode " + string(w.Mode)
	}
	return append([]string{""}, w.wrapped([]string{"The daemon, and so this tree, goes by another policy than x. Quit with q and start " + command + "."})...)
}

// lines returns the output of a report for this terminal.
func (w *World) lines(write func(io.Writer, report.Options) error) ([]string, error) {
	var out bytes.Buffer
	err := write(&out, report.Options{Width: w.Width(), UTF8: terminal.SpeaksUTF8(), Home: state.Home(), Location: time.Local})
	text := strings.TrimRight(out.String(), "\n")
	if text == "" {
		return nil, err
	}
	return strings.Split(text, "\n"), err
}

// worthSaying returns the warnings and notes among lines, broken at the width of the
// terminal. It drops hints: they are for a command line.
func (w *World) worthSaying(lines []string) []string {
	var notes []string
	for _, line := range lines {
		for _, lead := range []string{"note: ", "warning: "} {
			if text, is := strings.CutPrefix(line, lead); is {
				notes = append(notes, human.Hang(lead, text, w.Width())...)
			}
		}
	}
	return notes
}

// remedied returns the refusal of an order with what a reader of top can do about it. The
// hint that shows the plan is for a command line.
func (w *World) remedied(err error, order oneshot.Order) error {
	var advised *advice.Error
	var mode *oneshot.ModeError
	switch {
	case errors.As(err, &mode):
		return fmt.Errorf("%w. Quit with q and start reaperd top --mode enforce: there x acts.%s", mode, w.daemonStays())
	case errors.As(err, &advised):
		hint := strings.TrimSuffix(strings.TrimSuffix(advised.Hint, order.ShowPlan()), "; ")
		return advice.Failed(hint, "%w", advised.Err)
	}
	return err
}

// daemonStays tells that the mode of top does not change that of a daemon that runs.
func (w *World) daemonStays() string {
	if w.State.HasDaemon() {
		return " The daemon keeps its mode."
	}
	return ""
}

// hinted appends the hint of an error to its text.
func hinted(err error) error {
	var advised *advice.Error
	if errors.As(err, &advised) && advised.Hint != "" {
		return fmt.Errorf("%w (%s)", err, advised.Hint)
	}
	return err
}
