package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/daemon"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/screen"
)

func newScan(s *shared) *cobra.Command {
	l := &lookFlags{shared: s}
	var dryRun, exitCode bool
	cmd := &cobra.Command{
		Use:   "scan [NAME…]",
		Short: "Look, judge and report; never act",
		Long: `Says whose every MCP server and container is, and what becomes of it. It asks the daemon;
where none runs it looks twice by itself. It never acts. NAME chooses rows: a PID, a
container, a name or a glob, or a session for all that it has.

With --policies or --snapshot it says what would be so by that file.`,
		Example: "  reaperd scan --dry-run\n  reaperd scan -o json '*github*'\n  reaperd scan --snapshot before.json --snapshot after.json",
		Args:    cli.Words(0, cli.Any, "names, PIDs or containers"),
		RunE: func(cmd *cobra.Command, names []string) error {
			if cmd.Flags().Changed("dry-run") && !dryRun {
				return human.Misused("reaperd sweep", "scan never acts, so --dry-run=false means nothing here")
			}
			return l.scan(cmd.Context(), names, exitCode)
		},
	}
	l.flags(cmd, betweenLooks)
	l.replayFlag(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", true, "accepted because it is what people type: scan never acts")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit 3 when the rules would stop something, also in mode report; 0 otherwise, also where what is named is not there")
	return cmd
}

func (l *lookFlags) scan(ctx context.Context, names []string, exitCode bool) error {
	a, err := l.account(ctx)
	if err != nil {
		return err
	}
	missing := a.Missing(names)
	if len(names) > 0 {
		a = a.Narrow(names)
	}
	if len(names) > 0 && len(missing) == len(names) && l.text() && !exitCode && a.Complete {
		return notThere(missing)
	}
	err = l.show(func(w io.Writer) error {
		options := l.options()
		options.Wide = l.output == "wide" || len(names) > 0
		return screen.Scan(w, a, options)
	}, a)
	switch {
	case err != nil:
		return err
	case !a.Complete:
		return exitWith(exitIncomplete)
	case exitCode && a.Summary.Reap > 0:
		return exitWith(exitWouldReap)
	case len(missing) > 0 && !exitCode:
		return notThere(missing)
	case len(missing) > 0:
		l.Remark("note: " + notThere(missing).Error())
	}
	return nil
}

// account is what a decider tells, or what saved snapshots come to.
func (l *lookFlags) account(ctx context.Context) (*account.Account, error) {
	if len(l.snapshots) > 0 {
		replay, err := l.replay()
		if err != nil {
			return nil, err
		}
		return replay.Account(ctx, false)
	}
	d, err := l.decider(ctx)
	if err != nil {
		return nil, err
	}
	defer d.close()
	defer l.looks(d, l.settle)()
	return d.Account(ctx, true)
}

// replay judges the given snapshots.
func (l *lookFlags) replay() (*daemon.Replay, error) {
	p, err := l.policy()
	if err != nil {
		return nil, err
	}
	return daemon.ForReplay(p, l.policies != "" && !policyfile.IsChosen(p), l.snapshots, l.In)
}

// notThere is the error that words mean nothing that is there.
func notThere(missing []string) error {
	return human.Failed("reaperd scan   shows what there is", "%s: no such MCP server, container or session here", human.Safe(strings.Join(missing, ", ")))
}
