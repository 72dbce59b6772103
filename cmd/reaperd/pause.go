package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/neighbours"
	"github.com/reaperd/reaperd/internal/outlook"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

func newPause(s *shared) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "pause [DURATION]",
		Short: "Reap nothing for a while; sweeps go on and report",
		Long: `Tells the daemon to act on nothing until the time is over or it is resumed. It goes on
looking and reporting; what it has begun to end, it ends. reaperd sweep refuses to act
meanwhile. A pause holds over restarts.`,
		Example: "  reaperd pause 2h\n  reaperd pause --reason 'a migration'",
		Args:    aDuration,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.pause(cmd.Context(), append(args, "")[0], reason)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` that every report shows")
	return cmd
}

// aDuration accepts one duration, or none.
func aDuration(cmd *cobra.Command, args []string) error {
	if err := cli.AtMost(1, "one duration, such as 2h", false)(cmd, args); err != nil {
		return err
	}
	_, err := cli.EndOf(cmd.Name(), append(args, "")[0], time.Now())
	return err
}

func (s *shared) pause(ctx context.Context, lasts, reason string) error {
	now := time.Now()
	until, err := cli.EndOf("pause", lasts, now)
	if err == nil {
		err = checkReason(reason)
	}
	if err != nil {
		return err
	}
	before, was, _ := stateDir().Paused(now)
	if err := stateDir().Pause(now, state.Pause{Until: until, Reason: reason}); err != nil {
		return err
	}
	old, stay := state.Stay{Until: before.Until, Reason: before.Reason}, state.Stay{Until: until, Reason: reason}
	if was && !stay.Same(old) {
		s.Remark(fmt.Sprintf("note: this replaces the pause %s: now it has %s", old, stay.Unlike(old)))
	}
	others := neighbours.Daemons(ctx)
	if !stateDir().HasDaemon() && len(others) == 0 {
		s.Remark("note: no daemon runs: the pause holds for sweeps by hand, and for the next daemon")
	}
	_, err = fmt.Fprintf(s.Out, "Paused %s.\n", state.Pause{Until: until}.Told(others, now))
	if is, err := serve.Ask(ctx, stateDir().Socket()); err == nil {
		s.Remark(outlook.Begun(is)...)
	}
	awaitDaemon(ctx)
	return err
}

// awaitDaemon waits until the daemon, if one runs, shows what a person has just asked for:
// every screen then says the same.
func awaitDaemon(ctx context.Context) { serve.AwaitLook(ctx, stateDir().Socket(), time.Now()) }

func newResume(s *shared) *cobra.Command {
	return &cobra.Command{
		Use:   "resume",
		Short: "End a pause",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			was, err := stateDir().Resume(time.Now())
			if err != nil {
				return advice.Failed("", "%w", err)
			}
			others := neighbours.Daemons(cmd.Context())
			text := "It was not paused."
			switch {
			case was.Paused:
				text = outlook.Resumed(cmd.Context(), stateDir(), others)
			case !was.Over.IsZero():
				text = "It was not paused any more: the pause ended " + human.Moment(was.Over.Local()) + "."
			}
			s.Remark(others.Notes("goes by pauses of its own", "reaperd resume")...)
			_, err = fmt.Fprintln(s.Out, text)
			return err
		},
	}
}
