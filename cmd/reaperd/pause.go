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
	lasts, reason := time.Hour, ""
	cmd := &cobra.Command{
		Use:   "pause [DURATION]",
		Short: "Reap nothing for a while; looks go on",
		Long: `Has the decider act on nothing of yours until the time is over (1h unless you say more) or
it is resumed; root's pause is about everything. It goes on looking; what it has begun to
end, it ends. reaperd sweep refuses to act meanwhile. A pause holds over restarts.`,
		Example: "  reaperd pause 2h\n  reaperd pause --reason 'a migration'",
		Args:    cli.Words(0, 1, "one duration, such as 2h"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				if err := cli.Span(&lasts)(args[0]); err != nil {
					return human.Misused("", "pause %w", err)
				}
			}
			return l.pause(cmd.Context(), endOf(lasts), reason)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` that every report shows")
	return cmd
}

// endOf is when a time is over that begins now, in whole seconds.
func endOf(lasts time.Duration) time.Time { return time.Now().Add(lasts).Truncate(time.Second) }

func (l *lookFlags) pause(ctx context.Context, until time.Time, reason string) error {
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
