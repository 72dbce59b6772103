//go:build !notop

package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/top"
)

// topFlags are the flags of top.
type topFlags struct {
	lookFlags
	filter string
	sort   string
	every  string
}

// leastEvery is the shortest time between top's own looks: more would be a load.
const leastEvery = time.Second

func newTop(s *shared) *cobra.Command {
	c := &topFlags{lookFlags: lookFlags{shared: s, output: "table"}}
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Watch sessions, servers and what leaks; keep or stop one",
		Long: `Shows live what scan shows once, with countdowns where a daemon runs. Without one it
looks by itself, and nothing stops unless you say so.

Keys: ? help, enter details, p pin (it stays), x stop (by the plan and the question of
sweep), P pause, / filter, s sort, space fold, q quit.`,
		Example: "  reaperd top\n  reaperd top --filter github --sort memory",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.top(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&c.filter, "filter", "", "show only what has these `WORDS` in a name, command, PID, owner or state")
	flags.StringVar(&c.sort, "sort", top.ByTree.String(), "order: tree, memory, cpu, age, state or name")
	flags.StringVar(&c.every, "every", "5s", "time between looks of its own, where no daemon tells")
	flags.DurationVar(&c.settle, "settle", time.Second, "least time between the two looks before something is stopped")
	policiesFlag(flags, &c.policies)
	journalFlag(flags, &c.journal)
	return cmd
}

func (c *topFlags) top(ctx context.Context) error {
	every, order, err := c.meant()
	if err != nil {
		return err
	}
	color := c.HasColors(c.color)
	c.shared, c.kept = c.silent(), &passes{}
	defer c.kept.close()
	d, err := c.ask(ctx)
	if err != nil { // it says why, before there is a screen
		return err
	}
	d.Close()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	on, err := top.Open(color)
	if err != nil {
		return human.Failed("reaperd scan   shows the same once", "%w", err)
	}
	defer on.Close()
	model := top.New(top.Options{UTF8: cli.SpeaksUTF8(), Location: time.Local, Home: state.Home(), Filter: c.filter, Sort: order, Settle: c.settle}, time.Now())
	width, height := on.Size()
	model, _ = model.Update(top.Resized{Width: width, Height: height}, time.Now())
	return ofTop(ctx, top.Run(ctx, on, top.Host{Ask: c.ask, Order: c.order, Every: every}, model))
}

// ask is who is asked: the daemon, else this command.
func (c *topFlags) ask(ctx context.Context) (top.Decider, error) {
	return answers(c.decider(ctx))
}

// order is who takes orders: the daemon, by its own policy, else this command.
func (c *topFlags) order(ctx context.Context) (top.Decider, error) {
	switch asked, err := found(ctx); {
	case err != nil:
		return top.Decider{}, err
	case asked != nil:
		return top.Decider{Asker: asked, Close: asked.Close, IsDaemon: true}, nil
	}
	return answers(c.alone())
}

func answers(d *decider, err error) (top.Decider, error) {
	if err != nil {
		return top.Decider{}, err
	}
	return top.Decider{Asker: d.Asker, Close: d.close, IsDaemon: d.daemon != nil}, nil
}

// ofTop returns the error of a top that a signal may have ended. Only top also handles
// SIGHUP.
func ofTop(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return &ending{exitInterrupted, errors.New("interrupted")}
	}
	return human.Failed("", "%w", err)
}

// meant returns the meaning of the flags, or an error if they contradict each other or
// the terminal.
func (c *topFlags) meant() (every time.Duration, order top.Order, err error) {
	if err := c.check(); err != nil {
		return 0, "", err
	}
	if order, err = top.ParseOrder(c.sort); err != nil {
		return 0, "", human.Misused("", "--sort %w", err)
	}
	if every, err = human.ParseDuration(c.every); err != nil {
		return 0, "", human.Misused("", "--every: %w", err)
	}
	if every < leastEvery {
		return 0, "", human.Misused("", "--every %s: want %s or more", c.every, human.Exact(leastEvery))
	}
	return every, order, c.onScreen()
}

// onScreen returns an error if there is no screen to draw on.
func (c *topFlags) onScreen() error {
	const instead = "reaperd scan   shows the same once"
	switch {
	case !c.IsAttended():
		return human.Misused(instead, "top draws on a terminal and reads keys: %s", c.Unattended())
	case os.Getenv("TERM") == "" || os.Getenv("TERM") == "dumb":
		return human.Misused(instead, "top needs a terminal that can move its cursor: TERM is %q", os.Getenv("TERM"))
	}
	return nil
}
