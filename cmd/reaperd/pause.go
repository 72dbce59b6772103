package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
)

func newPause(s *shared) *cobra.Command {
	l := &lookFlags{shared: s}
	var reason string
	cmd := &cobra.Command{
		Use:   "pause [DURATION]",
		Short: "Reap nothing for a while; looks go on",
		Long: `Has the decider act on nothing of yours until the time is over (1h unless you say more) or
it is resumed; root's pause is about everything. It goes on looking; what it has begun to
end, it ends. reaperd sweep refuses to act meanwhile. A pause holds over restarts.`,
		Example: "  reaperd pause 2h\n  reaperd pause --reason 'a migration'",
		Args:    aDuration,
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.pause(cmd.Context(), append(args, usualPause)[0], reason)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` that every report shows")
	return cmd
}

// usualPause is how long a pause lasts that was not told.
const usualPause = "1h"

// aDuration accepts one duration, or none.
func aDuration(cmd *cobra.Command, args []string) error {
	if err := cli.AtMost(1, "one duration, such as 2h", false)(cmd, args); err != nil {
		return err
	}
	_, err := cli.EndOf(cmd.Name(), append(args, "")[0], time.Now())
	return err
}

func (l *lookFlags) pause(ctx context.Context, lasts, reason string) error {
	until, err := cli.EndOf("pause", lasts, time.Now())
	if err != nil {
		return err
	}
	d, err := l.ordered(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	pause, err := d.Pause(ctx, until, reason)
	if err != nil {
		return err
	}
	if d.daemon == nil {
		l.Remark("note: no daemon runs: the pause holds for sweeps, and for the next daemon")
	}
	_, err = fmt.Fprintf(l.Out, "Paused until %s.\n", human.Moment(pause.Until.Local()))
	return err
}

func newResume(s *shared) *cobra.Command {
	l := &lookFlags{shared: s}
	return &cobra.Command{
		Use:   "resume",
		Short: "End a pause",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return l.resume(cmd.Context()) },
	}
}

func (l *lookFlags) resume(ctx context.Context) error {
	d, err := l.ordered(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	pause, err := d.Resume(ctx)
	if err != nil {
		return err
	}
	text := "Resumed."
	if pause.User == "" {
		text = "It was not paused."
	}
	_, err = fmt.Fprintln(l.Out, text)
	return err
}
