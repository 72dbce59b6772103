package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/status"
)

// exitNotRunning is status's code where no daemon runs.
const exitNotRunning = 3

func newStatus(s *shared) *cobra.Command {
	l := &looking{shared: s}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show how the daemon is and what it is about to do",
		Long: `Asks the daemon of this user over its socket. Exit code: 0 it is well, 1 it is not or does
not answer, 3 it does not run.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := l.check(); err != nil {
				return err
			}
			return l.status(cmd.Context(), time.Now())
		},
	}
	cmd.Flags().StringVarP(&l.output, "output", "o", "table", "format: table, json or yaml")
	return cmd
}

func (l *looking) status(ctx context.Context, now time.Time) error {
	dir := stateDir()
	data, err := serve.Status(ctx, dir.Socket())
	switch {
	case errors.Is(err, serve.ErrNotRunning):
		return l.noAnswer(dir)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return failed("", "%w", err)
	}
	var is serve.State
	if err := json.Unmarshal(data, &is); err != nil {
		return failed("are tool and daemon of the same version? reaperd version", "read the daemon's answer: %w", err)
	}
	faults := status.Faults(dir, now)
	status.IsPaused(&is, dir, now)
	if err := l.answer(func(w io.Writer) error { return status.Write(w, &is, faults, now) },
		func() ([]byte, error) { return status.JSON(data, &is, faults) }); err != nil {
		return err
	}
	if !is.Ready || len(faults) > 0 {
		return exitWith(exitFailed)
	}
	return nil
}

// noAnswer tells a daemon that does not run from one that does not answer.
func (l *looking) noAnswer(dir state.Dir) error {
	daemon, running, err := dir.Daemon()
	if err != nil {
		return failed("", "%w", err)
	}
	if running {
		return failed("its log says why", "a daemon runs (process %d, since %s) and does not answer in %s", daemon.PID, human.Moment(daemon.Since.Local()), dir)
	}
	err = l.answer(func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "reaperd is not running.")
		return err
	}, func() ([]byte, error) {
		return json.Marshal(map[string]any{"version": serve.Version, "running": false})
	})
	if err != nil {
		return err
	}
	if system, runs := foreignDaemon(); runs {
		fmt.Fprintf(l.err, "note: a system daemon runs (process %d): sudo reaperd status\n", system.PID)
	} else {
		fmt.Fprintln(l.err, "hint: reaperd run   starts it here; reaperd install shows how it starts by itself")
	}
	return exitWith(exitNotRunning)
}
