package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/neighbours"
	"github.com/reaperd/reaperd/internal/pins"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/status"
)

// exitNotRunning is the exit code of status if no daemon runs.
const exitNotRunning = 3

func newStatus(s *shared) *cobra.Command {
	l := &statusFlags{lookFlags: lookFlags{shared: s}}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show how the daemon is and what it is about to do",
		Long: `Asks the daemon of this user over its socket. Exit code: 0 it is well, 1 it is not or does
not answer, 3 it does not run. --short is one line for a prompt or a status line, with the
same codes; docs/status-line.md has recipes.`,
		Example: "  reaperd status\n  reaperd status --short\n  reaperd status -o json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := l.check(); err != nil {
				return err
			}
			if err := l.checkShort(cli.Given{Flags: cmd.Flags()}.Text("output")); err != nil {
				return err
			}
			return l.status(cmd.Context(), time.Now())
		},
	}
	l.outputFlag(cmd, "table, json or yaml")
	cmd.Flags().BoolVar(&l.short, "short", false, "one line, for a prompt")
	return cmd
}

// statusFlags are the flags of status.
type statusFlags struct {
	lookFlags
	short bool
}

// checkShort refuses --short with another format, if one was given. One of the environment is meant for
// other commands: a prompt goes on.
func (l *statusFlags) checkShort(given string) error {
	switch {
	case !l.short:
		return nil
	case given == "json" || given == "yaml":
		return advice.Misused("reaperd status -o "+given, "--short is a line of text: -o %s means nothing with it", given)
	}
	l.output = "table"
	return nil
}

// told is what the daemon says, as it is sent and as it is read.
func (l *statusFlags) told(ctx context.Context, dir state.Dir, now time.Time) (data []byte, is serve.State, err error) {
	if data, err = l.ask(ctx, dir, now); err != nil {
		return nil, is, err
	}
	if err = json.Unmarshal(data, &is); err != nil {
		return nil, is, advice.Failed("are tool and daemon of the same version? reaperd version", "read the daemon's answer: %w", err)
	}
	return data, is, nil
}

// isBehindUsers reports that a user has pinned or unpinned something since the last look of root's daemon, which goes by
// that from its next look on.
func isBehindUsers(ctx context.Context, is *serve.State) bool {
	return is.LastSweep != nil && neighbours.HavePinnedSince(ctx, is.LastSweep.At)
}

func (l *statusFlags) status(ctx context.Context, now time.Time) error {
	dir := stateDir()
	data, is, err := l.told(ctx, dir, now)
	if err != nil {
		return err
	}
	if !l.short && isBehindUsers(ctx, &is) && dir.WantLook(now) == nil {
		serve.AwaitLook(ctx, dir.Socket(), now)
		if newer, state, err := l.told(ctx, dir, now); err == nil {
			data, is = newer, state
		}
	}
	faults := dir.Faults(now)
	status.IsPaused(&is, dir, now)
	view := status.View{Faults: faults, Now: now, Width: l.LineWidth(), Home: state.Home()}
	if !l.short {
		view.Beside = neighbours.Daemons(ctx)
		is.Pins, view.PinsEnded = l.pinned(ctx, dir, is.Pins)
	}
	if err := l.answer(func(w io.Writer) error {
		if l.short {
			return status.WriteShort(w, status.Of(&is, faults, now))
		}
		view.RootsRests = status.RootsRests(ctx, view.Beside)
		return status.Write(w, &is, view)
	},
		func() ([]byte, error) { return status.JSON(data, &is, view) }); err != nil {
		return err
	}
	if !status.Of(&is, faults, now).Acts() {
		return exitWith(exitFailed)
	}
	return nil
}

// pinned counts the pins as `reaperd pins` lists them: a daemon counts what its last look saw, and
// leaves out processes that matter to nothing. told is its count, if they cannot be read.
func (l *statusFlags) pinned(ctx context.Context, dir state.Dir, told int) (hold, ended int) {
	if all, err := dir.Pins("", time.Now()); err == nil && len(all) == 0 {
		return 0, 0
	}
	list, _, err := pins.Read(ctx, dir, l.logger())
	if err != nil { // a fault of the state directory says so
		return told, 0
	}
	return list.Count()
}

// promptPatience is how long a prompt waits for the daemon.
const promptPatience = time.Second

// ask asks the daemon for its state. If none answers, it prints or returns what is known
// of it.
func (l *statusFlags) ask(ctx context.Context, dir state.Dir, now time.Time) ([]byte, error) {
	asking, cancel, read := ctx, context.CancelFunc(func() {}), serve.Status
	if l.short {
		asking, cancel = context.WithTimeout(ctx, promptPatience)
		read = serve.StatusForPrompt
	}
	defer cancel()
	data, err := read(asking, dir.Socket())
	if err == nil {
		return data, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	err = status.Unanswered(dir, err)
	switch {
	case errors.Is(err, serve.ErrNotRunning):
		return nil, l.notRunning(ctx, dir, now)
	case l.short:
		return nil, l.prompt(status.NoAnswer, exitFailed)
	case !l.text(): // a program reads what is known all the same
		if failed := l.answer(nil, status.NewAbsent(ctx, dir, now).Silent(err).JSON); failed != nil {
			return nil, failed
		}
	}
	return nil, err
}

// notRunning prints that no daemon runs, and what the next one will find.
func (l *statusFlags) notRunning(ctx context.Context, dir state.Dir, now time.Time) error {
	if l.short {
		return l.prompt(status.ShortAbsent(ctx), exitNotRunning)
	}
	absent := status.NewAbsent(ctx, dir, now)
	if err := l.answer(func(w io.Writer) error { return absent.Write(w, l.LineWidth()) }, absent.JSON); err != nil {
		return err
	}
	l.Remark("hint: " + absent.Hint())
	return exitWith(exitNotRunning)
}

// prompt prints the line for a prompt, and ends with a code.
func (l *statusFlags) prompt(text string, code int) error {
	if _, err := fmt.Fprintln(l.Out, text); err != nil {
		return err
	}
	return exitWith(code)
}
