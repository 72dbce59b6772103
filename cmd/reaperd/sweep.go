package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/report"
)

// sweepFlags are the flags of sweep, the only one-shot command that acts on targets.
type sweepFlags struct {
	lookFlags
	order oneshot.Order
	idle  string // --idle-over
	mode  string
	yes   bool
}

func newSweep(s *shared) *cobra.Command {
	c := &sweepFlags{lookFlags: lookFlags{shared: s}}
	cmd := &cobra.Command{
		Use:   "sweep [PID|CONTAINER|NAME…]",
		Short: "Look, show what would be stopped, ask, and stop it",
		Long: `One sweep that acts. It looks twice, shows the plan and asks; after a yes it looks
again and acts on what was shown and still holds. What is named only narrows it.
It has not seen since when something is orphaned, so for the time that a rule asks for
it counts the age of what nobody owns; the daemon counts what it has seen.

--duplicates and --idle-over stop, this once, what the policy only reports: older copies
that do nothing, and sessions that have done nothing for so long, with all that they
hold. They narrow the sweep to that.

--now does not wait until something has been pending for as long as its rule wants. It
is for what nobody owns: below a live session that wait is part of the proof.`,
		Example: "  reaperd sweep\n  reaperd sweep --dry-run '*github*'\n  reaperd sweep --yes --rule orphaned-servers\n  reaperd sweep --idle-over 8h\n  reaperd sweep --duplicates 4711\n  reaperd sweep --now 4711",
		RunE: func(cmd *cobra.Command, args []string) error {
			c.order.Named = args
			return c.run(cmd.Context())
		},
	}
	c.flags(cmd, 10*time.Second)
	flags := cmd.Flags()
	flags.StringSliceVar(&c.order.Rules, "rule", nil, "only what this `RULE` decides, beside --duplicates and --idle-over; repeatable")
	flags.BoolVar(&c.order.Ends.Duplicates, "duplicates", false, "stop older copies that do nothing, by the policy's rules about duplicates")
	flags.StringVar(&c.idle, "idle-over", "", "stop sessions that have done nothing for this `DURATION`, such as 8h, with all that they hold")
	flags.BoolVar(&c.order.Ends.Now, "now", false, "do not let what nobody owns wait for its rule's time")
	flags.BoolVar(&c.order.DryRun, "dry-run", false, "show the plan and stop there")
	flags.BoolVarP(&c.yes, "yes", "y", false, "do not ask")
	modeFlag(flags, &c.mode)
	journalFlag(flags, &c.order.Journal)
	return cmd
}

func (c *sweepFlags) run(ctx context.Context) error {
	p, err := c.prepare(ctx)
	if err != nil {
		return err
	}
	sight, err := c.lookTwice(ctx, p, c.order.Named...)
	if err != nil {
		return err
	}
	defer sight.Close()
	return c.sweep(ctx, &oneshot.Sweep{Sight: sight, Order: c.order})
}

// sweep plans, asks the user and acts.
func (c *sweepFlags) sweep(ctx context.Context, s *oneshot.Sweep) error {
	plan, err := s.Plan()
	if err != nil {
		return err
	}
	c.Remark(s.Notes()...)
	if done, err := c.confirm(ctx, s.Report(), plan); done || err != nil {
		return err
	}
	said := c.Stopping(plan.LongestGrace())
	in, notes, err := s.Act(ctx, plan)
	said()
	if err != nil {
		return err
	}
	c.Remark(notes...)
	return c.tell(ctx, in)
}

// prepare refuses contradicting flags before anything is read, and returns the policy of
// the sweep.
func (c *sweepFlags) prepare(ctx context.Context) (p *policy.Policy, err error) {
	if p, err = c.policy(); err != nil {
		return nil, err
	}
	if c.order.Mode, err = modeOf(c.mode); err != nil {
		return nil, err
	}
	if c.idle != "" {
		if c.order.Ends.IdleOver, err = cli.SpanOf("--idle-over", c.idle); err != nil {
			return nil, err
		}
	}
	c.order.Journal, c.order.Asked = journalPath(c.order.Journal), c.asked()
	if p, c.order, err = c.order.By(p, stateDir()); err != nil {
		return nil, err
	}
	if !c.order.DryRun && !c.yes && !c.IsAttended() {
		return nil, c.nobody(ctx)
	}
	return p, nil
}

// nobody is why a sweep that asks cannot act off a terminal: what is named is not there,
// or nobody can answer.
func (c *sweepFlags) nobody(ctx context.Context) error {
	if len(c.order.Named) > 0 {
		sight, err := c.lookOnce(ctx)
		if err != nil {
			return err
		}
		defer sight.Close()
		if err := sight.Missing(c.order.Named); err != nil {
			return err
		}
	}
	again := c.order.Asked
	again.Yes = true
	return advice.NobodyToAsk(again.Sweep()+"   does not ask; with --dry-run in place of --yes it shows the plan", c.Unattended())
}

// modeOf reads a --mode flag.
func modeOf(text string) (policy.Mode, error) {
	mode, err := policy.ParseMode(text)
	if err != nil {
		return "", advice.Misused("", "--mode %w", err)
	}
	return mode, nil
}

// confirm shows the plan and, on a terminal, asks the user. The plan goes to stderr if
// stdout is kept for JSON or YAML: nobody is asked about a plan that was not shown. done
// reports that the sweep ends here.
func (c *sweepFlags) confirm(ctx context.Context, in report.Input, plan policy.Plan) (done bool, err error) {
	ends := in.DryRun || len(plan.Acts) == 0
	switch {
	case ends || c.text():
		err = c.answer(func(w io.Writer) error { return report.Plan(w, in, c.options()) },
			func() ([]byte, error) { return report.JSON(in) })
	case !c.yes:
		beside := *c.shared
		beside.Out = c.Err
		err = report.Plan(c.Err, in, beside.options())
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
	yes, err := c.Ask(ctx, oneshot.FullQuestion(plan), oneshot.NothingStopped)
	return !yes, err
}

// tell prints the outcomes of the acts.
func (c *sweepFlags) tell(ctx context.Context, in report.Input) error {
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
