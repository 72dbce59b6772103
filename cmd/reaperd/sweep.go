package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/screen"
	"github.com/reaperd/reaperd/internal/serve"
)

// sweepFlags are the flags of sweep, the only command but run that acts on targets.
type sweepFlags struct {
	lookFlags
	order  account.Order
	mode   policy.Mode
	yes    bool
	dryRun bool
	alone  bool
}

func newSweep(s *shared) *cobra.Command {
	c := &sweepFlags{lookFlags: lookFlags{shared: s}}
	cmd := &cobra.Command{
		Use:   "sweep [PID|CONTAINER|NAME…]",
		Short: "Look, show what would be stopped, ask, and stop it",
		Long: `One sweep that acts, by the daemon or, where none runs, by itself. It shows the plan and
asks; after a yes it looks again, and stops what was shown and still holds. What is named
only narrows it.

What nobody owns goes at once. What hangs below a live session must have been watched for
as long as its rule wants, by the daemon, or by the sweep with --settle.

--duplicates and --idle-over stop, this once, what the policy only reports: older copies
that do nothing, and sessions that have done nothing for so long, with all that they
hold. They narrow the sweep to that.`,
		Example: "  reaperd sweep\n  reaperd sweep --dry-run '*github*'\n  reaperd sweep --yes --rule orphaned-servers\n  reaperd sweep --idle-over 8h\n  reaperd sweep --duplicates 4711",
		RunE: func(cmd *cobra.Command, args []string) error {
			c.order.Words = args
			return c.run(cmd)
		},
	}
	c.flags(cmd, "least time between two looks that agree (default 1s, with --yes 10s)")
	flags := cmd.Flags()
	flags.StringSliceVar(&c.order.Rules, "rule", nil, "only what this `RULE` decides, beside --duplicates and --idle-over; repeatable")
	flags.BoolVar(&c.order.Duplicates, "duplicates", false, "stop older copies that do nothing, by the policy's rules about duplicates")
	flags.Func("idle-over", "stop sessions that have done nothing for this `DURATION`, such as 8h, with all that they hold", cli.Span(&c.order.IdleOver))
	flags.BoolVar(&c.dryRun, "dry-run", false, "show the plan and stop there")
	flags.BoolVarP(&c.yes, "yes", "y", false, "do not ask")
	flags.BoolVar(&c.alone, "alone", false, "act without a daemon that does not answer")
	modeFlag(flags, &c.mode)
	journalFlag(flags, &c.journal)
	return cmd
}

// settleUnasked is the time between two looks where nobody is asked.
const settleUnasked = 10 * time.Second

// prepare refuses contradicting flags before anybody is asked.
func (c *sweepFlags) prepare(cmd *cobra.Command) error {
	if c.mode == policy.ModeReport && !c.dryRun {
		return human.Misused("reaperd sweep --dry-run", "--mode %s: a sweep may not act", c.mode)
	}
	if c.yes && !cmd.Flags().Changed("settle") {
		c.settle = settleUnasked
	}
	c.order.Settle = c.settle
	c.order.Enforce = c.mode == policy.ModeEnforce || !c.yes // a yes on a terminal is enough
	return nil
}

func (c *sweepFlags) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	if err := c.prepare(cmd); err != nil {
		return err
	}
	if len(c.order.Words) == 0 {
		if err := c.attended(); err != nil {
			return err
		}
	}
	d, err := c.actor(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	if err := c.mayAct(ctx, d); err != nil {
		return err
	}
	done := c.looks(d, c.settle)
	plan, err := d.Plan(ctx, c.order)
	done()
	if err == nil {
		err = c.attended()
	}
	if err != nil {
		return err
	}
	if ends, err := c.confirm(ctx, plan); ends || err != nil {
		return err
	}
	return c.act(ctx, d, plan)
}

// attended refuses a sweep that has to ask where nobody is.
func (c *sweepFlags) attended() error {
	if c.dryRun || c.yes {
		return nil
	}
	return c.Attended()
}

// actor is who sweeps. Beside a daemon that hangs nobody does, unless that is asked for.
func (c *sweepFlags) actor(ctx context.Context) (*decider, error) {
	asked, err := found(ctx)
	var hangs *serve.HangsError
	if errors.As(err, &hangs) && !c.dryRun && !c.alone {
		return nil, human.Failed(hangs.Remedy()+"   has it answer; reaperd sweep --alone   acts without it", "%w", hangs)
	}
	return c.given(ctx, asked, err)
}

// mayAct refuses to act where the policy only reports, and by a policy by which the daemon that runs does not go.
func (c *sweepFlags) mayAct(ctx context.Context, d *decider) error {
	if c.dryRun {
		return nil
	}
	mode, source, isOwn, err := c.goesBy(ctx, d)
	switch {
	case err != nil:
		return err
	case mode != policy.ModeEnforce && !c.order.Enforce:
		return human.Misused("reaperd sweep --yes --mode enforce", "the policy (%s) says mode: report, so a sweep may not act", source)
	case isOwn && d.daemon == nil && !c.alone && stateDir().HasDaemon():
		return human.Misused("reaperd sweep --dry-run --policies FILE   shows what it would stop", "the daemon goes by its own policy, and acts by no other")
	}
	return nil
}

// goesBy is the mode of the policy by which a decider goes, and where that comes from; isOwn means that it is one
// that was named here.
func (c *sweepFlags) goesBy(ctx context.Context, d *decider) (mode policy.Mode, source string, isOwn bool, err error) {
	if d.daemon != nil {
		a, err := d.Account(ctx, false)
		if err != nil {
			return "", "", false, err
		}
		return a.Mode, a.Policy.Source, false, nil
	}
	p, err := c.policy()
	if err != nil {
		return "", "", false, err
	}
	return p.Mode, p.Identity().Source, c.policies != "" && !policyfile.IsChosen(p), nil
}

// confirm shows the plan and, on a terminal, asks the user. The plan goes to stderr if
// stdout is kept for JSON or YAML: nobody is asked about a plan that was not shown. ends
// reports that the sweep ends here.
func (c *sweepFlags) confirm(ctx context.Context, plan *account.Plan) (ends bool, err error) {
	options := c.options()
	options.Wide, options.Asks = c.output == "wide", !c.yes && !c.dryRun
	ends = c.dryRun || len(plan.Targets) == 0
	switch {
	case ends || c.text():
		err = c.show(func(w io.Writer) error { return screen.Plan(w, plan, options) }, plan)
	case !c.yes:
		err = screen.Plan(c.Err, plan, options)
	}
	switch {
	case err != nil:
		return true, err
	case ends && !plan.Account.Complete:
		return true, exitWith(exitIncomplete)
	case ends:
		return true, nil
	case c.yes:
		return false, nil
	}
	yes, err := c.Ask(ctx, plan.Question, "Nothing stopped.")
	return !yes, err
}

// act carries out a plan, and prints what came of it.
func (c *sweepFlags) act(ctx context.Context, d *decider, plan *account.Plan) error {
	said := c.Stopping(plan.Grace)
	result, err := d.Act(ctx, plan)
	said()
	if err != nil {
		return err
	}
	err = c.show(func(w io.Writer) error { return screen.Result(w, result, c.options()) }, result)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case !result.Account.Complete:
		return exitWith(exitIncomplete)
	}
	return nil
}
