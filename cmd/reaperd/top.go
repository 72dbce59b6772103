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

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/daemon"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/terminal"
	"github.com/reaperd/reaperd/internal/top"
	"github.com/reaperd/reaperd/internal/top/screen"
	"github.com/reaperd/reaperd/internal/top/world"
)

// topFlags are the flags of top.
type topFlags struct {
	lookFlags
	filter   string
	sort     string
	every    string
	noDaemon bool
	mode     string
}

// leastEvery is the shortest time between top's own looks: more would be a load.
const leastEvery = time.Second

func newTop(s *shared) *cobra.Command {
	c := &topFlags{lookFlags: lookFlags{shared: s, output: "table"}}
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Watch sessions, servers and what leaks; keep or stop one",
		Long: `Shows live what scan shows once: sessions, below them their servers, their processes and
containers, and what leaked. Where a daemon runs its looks are shown, with countdowns to
what it stops; else top looks by itself, and nothing stops unless you say so.

Keys: ? help, enter details, p pin (leave it alone), x stop (by the plan and the question
of sweep), / filter, s sort, space fold, q quit.`,
		Example: "  reaperd top\n  reaperd top --filter github --sort memory",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.top(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&c.filter, "filter", "", "show only what has these `WORDS` in a name, command, PID, owner or state")
	flags.StringVar(&c.sort, "sort", top.ByTree.String(), "order: tree, memory, cpu, age, state or name")
	flags.StringVar(&c.every, "every", "5s", "time between looks of its own, where no daemon tells")
	flags.BoolVar(&c.noDaemon, "no-daemon", false, "look by itself although a daemon runs")
	flags.StringVar(&c.policies, policyFlag, "", "policy `FILE`, for looks of its own and to stop something")
	flags.DurationVar(&c.settle, "settle", time.Second, "least time between the two looks before something is stopped")
	modeFlag(flags, &c.mode)
	journalFlag(flags, &c.journal)
	return cmd
}

func (c *topFlags) top(ctx context.Context) error {
	every, order, err := c.meant()
	if err != nil {
		return err
	}
	mode, err := modeOf(c.mode)
	if err != nil {
		return err
	}
	if _, err := c.policy(); err != nil && c.policies != "" {
		return err
	}
	host := c.world(every, mode)
	defer host.Close()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	on, err := screen.Open(c.HasColors(c.color))
	if err != nil {
		return advice.Failed("reaperd scan   shows the same once", "%w", err)
	}
	defer on.Close()
	model := top.New(top.Options{UTF8: terminal.SpeaksUTF8(), Location: time.Local, Home: state.Home(), Root: os.Geteuid() == 0, Filter: c.filter, Sort: order, Settle: c.settle}, time.Now())
	width, height := on.Size()
	model, _ = model.Update(top.Resized{Width: width, Height: height}, time.Now())
	return ofTop(ctx, screen.Run(ctx, on, host, model))
}

// world is this host as top shows it. A policy that is refused is in effect nowhere: top shows what
// there is by the built-in one.
func (c *topFlags) world(every time.Duration, mode policy.Mode) *world.World {
	quiet := c.lookFlags
	quiet.shared = c.silent()
	current := func() (*policy.Policy, error) {
		p, err := policyfile.Load(c.policies)
		if err != nil {
			p = policyfile.Shipped()
		}
		return p, err
	}
	return world.New(world.Options{
		Found: found, State: stateDir(), Policy: current, Every: every, NoDaemon: c.noDaemon,
		Open: func() (*daemon.Once, error) {
			p, _ := current()
			return quiet.once(p)
		},
		Screen: c.options,
		Order:  account.Order{Settle: c.settle, Enforce: mode == policy.ModeEnforce},
	})
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
	return advice.Failed("", "%w", err)
}

// meant returns the meaning of the flags, or an error if they contradict each other or
// the terminal.
func (c *topFlags) meant() (every time.Duration, order top.Order, err error) {
	if err := c.check(); err != nil {
		return 0, "", err
	}
	if order, err = top.ParseOrder(c.sort); err != nil {
		return 0, "", advice.Misused("", "--sort %w", err)
	}
	if every, err = human.ParseDuration(c.every); err != nil {
		return 0, "", advice.Misused("", "--every: %w", err)
	}
	if every < leastEvery {
		return 0, "", advice.Misused("", "--every %s: want %s or more", c.every, human.Exact(leastEvery))
	}
	return every, order, c.onScreen()
}

// onScreen returns an error if there is no screen to draw on.
func (c *topFlags) onScreen() error {
	const instead = "reaperd scan   shows the same once"
	switch {
	case !c.IsAttended():
		return advice.Misused(instead, "top draws on a terminal and reads keys: %s", c.Unattended())
	case os.Getenv("TERM") == "" || os.Getenv("TERM") == "dumb":
		return advice.Misused(instead, "top needs a terminal that can move its cursor: TERM is %q", os.Getenv("TERM"))
	}
	return nil
}
