package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/daemon"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/install"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

func newRun(s *shared) *cobra.Command {
	var o daemon.Options
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run as a daemon: sweep on schedule and when a session dies",
		Long: `Runs until it is told to end. It sweeps at the times of the policy's schedule, at
once when a session or gateway dies or the engine reports a container of ours,
and when a pending verdict comes due. It reads the policy again when its file
changes, and at SIGHUP; the log says so, and what is due by it now.

Its log on stderr has one record for each event that changed something: lines to
read on a terminal, key=value elsewhere, or JSON (--log-format).`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Listen != "" {
				if err := serve.CheckListen(o.Listen); err != nil {
					return err
				}
			}
			o.Asked = cmd.Flags().Changed("listen")
			return s.run(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	policiesFlag(flags, &o.Policies)
	flags.StringVar(&o.Listen, "listen", serve.DefaultListen, "`ADDRESS` for metrics and health; empty for none")
	journalFlag(flags, &o.Journal)
	modeFlag(flags, &o.Mode)
	return cmd
}

func (s *shared) run(ctx context.Context, o daemon.Options) error {
	if err := reap.CanAct(); err != nil && o.Mode != policy.ModeReport {
		return human.Failed("reaperd run --mode report", "%w", err)
	}
	built := version()
	o.Journal, o.State, o.Log = journalPath(o.Journal), stateDir(), s.logs(true)
	o.Build = account.Build{Version: built.Version, Revision: built.Revision, Go: built.Go}
	return refused(daemon.Run(ctx, o))
}

// refused adds to the error of a second daemon what ends the first one, if its number means that one here.
func refused(err error) error {
	var running *state.RunningError
	if !errors.As(err, &running) {
		return err
	}
	hint := "reaperd status   shows it"
	if running.IsHere() {
		hint += "; " + install.HowItEnds(running.PID)
	}
	return human.Failed(hint, "%w", err)
}
