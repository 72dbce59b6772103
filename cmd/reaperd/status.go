package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/screen"
	"github.com/reaperd/reaperd/internal/serve"
)

// exitNotRunning is the exit code of status if no daemon runs.
const exitNotRunning = 3

// statusFlags are the flags of status.
type statusFlags struct {
	lookFlags
	short bool
}

func newStatus(s *shared) *cobra.Command {
	l := &statusFlags{lookFlags: lookFlags{shared: s}}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show how the daemon is and what it is about to do",
		Long: `Asks the daemon that decides about your servers: this host's, or your own. Exit code: 0 it
is well, 1 it is not or does not answer, 3 none runs.`,
		Example: "  reaperd status\n  reaperd status --short\n  reaperd status -o json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if l.short {
				return l.prompt(cmd.Context())
			}
			return l.status(cmd.Context())
		},
	}
	l.outputFlag(cmd, "table, json or yaml")
	cmd.Flags().BoolVar(&l.short, "short", false, "one line of text, for a prompt")
	return cmd
}

// prompt prints a line for a prompt, which has no other format.
func (l *statusFlags) prompt(ctx context.Context) error {
	asked, err := found(ctx)
	var hangs *serve.HangsError
	switch {
	case errors.As(err, &hangs):
		fmt.Fprintln(l.Out, "reaperd: broken")
		return exitWith(exitFailed)
	case err != nil:
		return err
	case asked == nil:
		fmt.Fprintln(l.Out, screen.Short(nil))
		return exitWith(exitNotRunning)
	}
	defer asked.Close()
	a, err := asked.Account(ctx, false)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(l.Out, screen.Short(a)); err != nil {
		return err
	}
	return l.ofHealth(a, asked)
}

func (l *statusFlags) status(ctx context.Context) error {
	asked, err := found(ctx)
	switch {
	case err != nil && !l.text():
		if told := l.answer(nil, func() ([]byte, error) { return screen.StatusJSON(nil, err.Error()) }); told != nil {
			return told
		}
		return err
	case err != nil:
		return err
	case asked == nil:
		return l.absent(ctx)
	}
	defer asked.Close()
	a, err := asked.Account(ctx, true)
	if err != nil {
		return err
	}
	if err := l.tell(a); err != nil {
		return err
	}
	return l.ofHealth(a, asked)
}

// absent tells that no daemon runs, and what there is.
func (l *statusFlags) absent(ctx context.Context) error {
	d, err := l.alone()
	if err != nil {
		return err
	}
	defer d.close()
	done := l.looks(d, 0)
	a, err := d.Account(ctx, true)
	done()
	if err != nil {
		return err
	}
	if err := l.tell(a); err != nil {
		return err
	}
	return exitWith(exitNotRunning)
}

func (l *statusFlags) tell(a *account.Account) error {
	return l.answer(func(w io.Writer) error { return screen.Status(w, a, l.options()) }, func() ([]byte, error) { return screen.StatusJSON(a, "") })
}

// ofHealth is the exit code for how a daemon is.
func (l *statusFlags) ofHealth(a *account.Account, asked *serve.Asker) error {
	if asked.Dead != "" || asked.NotReady != "" || a.Decider.Rests == account.NoPolicy {
		return exitWith(exitFailed)
	}
	return nil
}
