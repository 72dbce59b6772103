package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/internal/word"
)

// sweeping is the one command a person acts with.
type sweeping struct {
	looking
	named  []string // what the sweep is narrowed to; none is everything
	rules  []string
	ends   policy.Switches
	idle   string // --idle-over
	dryRun bool
	yes    bool
	mode   string
	state  string // --journal
	// answers puts the question somewhere else than to the terminal; nil is there.
	answers func(ctx context.Context, question string) (yes bool, err error)
}

// sight is what a sweep has in front of it before it plans.
type sight struct {
	policy  *policy.Policy
	sweeper *sweep.Sweeper
	host    *host.Host
	view    sweep.View // of the looks so far
}

func newSweep(s *shared) *cobra.Command {
	c := &sweeping{looking: looking{shared: s}}
	cmd := &cobra.Command{
		Use:   "sweep [PID|CONTAINER|NAME…]",
		Short: "Look, show what would be stopped, ask, and stop it",
		Long: `One sweep that acts. It looks twice, shows the plan and asks; after a yes it looks
again and acts on what was shown and still holds. What is named only narrows it.

--duplicates and --idle-over end, this once, what the policy only reports: older copies
that do nothing, and sessions that have done nothing for so long, with all that they
hold. They narrow the sweep to that.`,
		Example: "  reaperd sweep\n  reaperd sweep --dry-run 'github*'\n  reaperd sweep --yes --rule orphaned-servers\n  reaperd sweep --idle-over 8h\n  reaperd sweep --duplicates 4711",
		RunE: func(cmd *cobra.Command, args []string) error {
			c.named = args
			return c.run(cmd.Context())
		},
	}
	c.flags(cmd, 10*time.Second)
	flags := cmd.Flags()
	flags.StringSliceVar(&c.rules, "rule", nil, "only what this `RULE` decides; repeatable")
	flags.BoolVar(&c.ends.Duplicates, "duplicates", false, "end older copies that do nothing, by the policy's rules about duplicates")
	flags.StringVar(&c.idle, "idle-over", "", "end sessions that have done nothing for this `DURATION`, such as 8h, with all that they hold")
	flags.BoolVar(&c.dryRun, "dry-run", false, "show the plan and stop there")
	flags.BoolVarP(&c.yes, "yes", "y", false, "do not ask")
	flags.StringVar(&c.mode, "mode", "", "enforce or report, over the policy's own mode")
	flags.StringVar(&c.state, "journal", "", "journal `FILE` (default: in the state directory)")
	return cmd
}

func (c *sweeping) run(ctx context.Context) error {
	p, err := c.prepare()
	if err != nil {
		return err
	}
	sweeper, h, err := c.sweeper(p)
	if err != nil {
		return err
	}
	defer h.Close()
	c.recall(ctx, sweeper)
	view, err := c.lookTwice(ctx, sweeper)
	if err != nil {
		return err
	}
	return c.sweep(ctx, sight{p, sweeper, h, view})
}

// sweep plans, asks and acts.
func (c *sweeping) sweep(ctx context.Context, s sight) error {
	if missing := c.missing(s.view); len(missing) > 0 {
		return failed("reaperd scan   shows what there is", "%s: no such MCP server, container or process here", strings.Join(missing, ", "))
	}
	chosen := c.narrow(s.view)
	c.remarkIdle(s.sweeper)
	c.remarkSessions(s.view)
	plan := s.sweeper.Plan(chosen.Verdicts, chosen.Graph)
	if done, err := c.confirm(ctx, chosen, s.policy, plan); done || err != nil {
		return err
	}
	return c.act(ctx, s, plan)
}

// prepare refuses what cannot be meant before anything is looked at.
func (c *sweeping) prepare() (*policy.Policy, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	p, err := loadPolicy(c.policies)
	if err != nil {
		return nil, err
	}
	if p, err = withMode(p, c.mode); err != nil {
		return nil, err
	}
	for _, rule := range c.rules {
		if !slices.ContainsFunc(p.Rules, func(r policy.Rule) bool { return r.Name == rule }) {
			return nil, usage("reaperd policy show   lists the rules", "--rule %q: the policy has no such rule", rule)
		}
	}
	if p, err = c.switched(p); err != nil {
		return nil, err
	}
	paused := stateDir().PauseNotes(time.Now())
	switch {
	case c.dryRun:
	case reap.CanAct() != nil:
		return nil, failed("reaperd sweep --dry-run   shows the plan", "%w", reap.CanAct())
	case p.Mode != policy.ModeEnforce:
		return nil, usage("reaperd sweep --mode enforce", "the policy (%s) says mode: report, so a sweep may not act", p.Sources[0].Name)
	case len(paused) > 0:
		return nil, failed("reaperd sweep --dry-run   shows the plan", "%s", strings.Join(paused, " "))
	case !c.yes && c.answers == nil && !(isTerminal(c.in) && isTerminal(c.out)):
		return nil, usage("reaperd sweep --yes, or reaperd sweep --dry-run to see the plan", "nobody is there to ask: stdin and stdout are no terminal")
	}
	return p, nil
}

// switched is the policy with what the flags let this sweep end.
func (c *sweeping) switched(p *policy.Policy) (*policy.Policy, error) {
	if c.idle != "" {
		over, err := human.ParseDuration(c.idle)
		if err != nil || over <= 0 {
			return nil, usage("a number with a unit, such as 30m, 8h or 7d", "--idle-over %q: want a time above 0", c.idle)
		}
		c.ends.IdleOver = over
	}
	switched, rules := p.Switched(c.ends)
	if c.ends.Duplicates && len(rules) == 0 {
		return nil, usage("reaperd policy show   lists the rules", "--duplicates: the policy has no rule about duplicates")
	}
	c.rules = append(c.rules, rules...)
	return switched, nil
}

// withMode is the policy under the mode that a flag asks for.
func withMode(p *policy.Policy, mode string) (*policy.Policy, error) {
	switch policy.Mode(mode) {
	case "":
		return p, nil
	case policy.ModeEnforce, policy.ModeReport:
		return p.WithMode(policy.Mode(mode), "--mode"), nil
	}
	return nil, usage("", "--mode %q: want report or enforce", mode)
}

func (c *sweeping) lookTwice(ctx context.Context, sweeper *sweep.Sweeper) (sweep.View, error) {
	defer c.progress(c.settle)()
	return lookTwice(ctx, sweeper, c.settle)
}

// missing are the named things that are not there at all.
func (c *sweeping) missing(view sweep.View) []string {
	return slices.DeleteFunc(slices.Clone(c.named), func(name string) bool { return len(word.Targets(view.Graph, name)) > 0 })
}

// remarkSessions says of live sessions that were named why they stay.
func (c *sweeping) remarkSessions(view sweep.View) {
	for i := range view.Verdicts {
		v := &view.Verdicts[i]
		if word.AnyMeans(c.named, v.Target) && v.Target.Kind == graph.KindSession && v.Decision == policy.Keep && !v.Reported() {
			fmt.Fprintf(c.err, "note: %s %s is a live session and in use: a sweep ends sessions only with --idle-over, or by a rule of kind session\n",
				human.Safe(v.Target.Name), human.Handle(v.Target.ID))
		}
	}
}

// remarkIdle says why a sweep that nobody has looked before finds nothing idle.
func (c *sweeping) remarkIdle(sweeper *sweep.Sweeper) {
	if over := c.ends.IdleOver; over > c.settle && sweeper.Recalled == nil {
		fmt.Fprintf(c.err, "note: what a session does is measured from look to look, and nobody has looked but this sweep, for %s.\n", human.Span(c.settle))
		fmt.Fprintf(c.err, "hint: a daemon remembers: reaperd install   or look for long enough: reaperd sweep --idle-over %s --settle %s\n", c.idle, human.Exact(over))
	}
}

// narrow keeps the verdicts about what was named.
func (c *sweeping) narrow(view sweep.View) sweep.View {
	if len(c.rules) > 0 {
		view.Verdicts = policy.ByRule(view.Verdicts, c.rules)
	}
	if len(c.named) > 0 {
		view.Verdicts = policy.Select(view.Verdicts, func(t *graph.Target) bool { return word.AnyMeans(c.named, t) })
	}
	return view
}

// confirm shows the plan and, on a terminal, asks: nobody is asked about what
// was not shown, so where stdout is kept for JSON or YAML the plan goes to stderr.
// done reports that the sweep ends here.
func (c *sweeping) confirm(ctx context.Context, view sweep.View, p *policy.Policy, plan policy.Plan) (done bool, err error) {
	in := c.input(view, p, "sweep")
	in.DryRun = c.dryRun
	ends := c.dryRun || len(plan.Acts) == 0
	switch {
	case ends || c.text():
		err = c.answer(func(w io.Writer) error { return report.Plan(w, in, c.options()) },
			func() ([]byte, error) { return report.JSON(in) })
	case !c.yes:
		err = report.Plan(c.err, in, c.beside().options())
	}
	switch {
	case err != nil:
		return true, err
	case ends && !in.Complete():
		return true, exitWith(exitIncomplete)
	case ends:
		return true, nil
	case c.yes:
		return false, nil
	}
	yes, err := c.question(ctx, fmt.Sprintf("Stop these %d?", len(plan.Acts)))
	return !yes, err
}

func (c *sweeping) question(ctx context.Context, question string) (yes bool, err error) {
	if c.answers != nil {
		return c.answers(ctx, question)
	}
	return c.ask(ctx, question, "Nothing stopped.")
}

// beside is the same terminal with stderr for stdout.
func (s *shared) beside() *shared {
	other := *s
	other.out = s.err
	return &other
}

// act looks again and does what was shown and still holds.
func (c *sweeping) act(ctx context.Context, s sight, shown policy.Plan) error {
	view, err := s.sweeper.Again(ctx, s.view)
	if err != nil {
		return err
	}
	record := c.openJournal()
	defer record.Close()
	s.sweeper.Reaper = s.host.Reaper(record)
	view = c.narrow(view)
	plan := policy.StillHolds(shown, s.sweeper.Plan(view.Verdicts, view.Graph))
	outcomes, err := s.sweeper.Act(ctx, plan, view, inventory.Moment{At: time.Now()}, newID())
	var unrecorded *sweep.UnrecordedError
	switch {
	case errors.As(err, &unrecorded):
		return failed("make room on the disk, or name a journal elsewhere with --journal", "%w", err)
	case err != nil:
		return failed("reaperd sweep", "%w", err)
	}
	if failures := record.WriteErrors(); failures > 0 {
		fmt.Fprintf(c.err, "warning: journal %s: %d lines could not be written\n", record.Path(), failures)
	}
	return c.tell(ctx, view, s.policy, plan, outcomes)
}

func (c *sweeping) tell(ctx context.Context, view sweep.View, p *policy.Policy, plan policy.Plan, outcomes []reap.Outcome) error {
	in := c.input(view, p, "sweep")
	in.Outcomes = sweep.ReportOutcomes(plan, outcomes)
	err := c.answer(func(w io.Writer) error { return report.Outcomes(w, in, c.options()) },
		func() ([]byte, error) { return report.JSON(in) })
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case !in.Complete():
		return exitWith(exitIncomplete)
	}
	return nil
}

// openJournal opens the journal. Whether it can be written is asked before the first
// act, which needs that.
func (c *sweeping) openJournal() *journal.Journal {
	opened, _ := journal.Open(journalPath(c.state), journal.Options{})
	return opened
}

// journalPath is the journal that is named, else the one in the state directory.
func journalPath(named string) string {
	if named != "" {
		return named
	}
	return filepath.Join(string(stateDir()), journal.FileName)
}

// newID is a name for one sweep.
func newID() string {
	var id [6]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}
