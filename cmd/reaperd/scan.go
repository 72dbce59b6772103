package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/report"
)

func newScan(s *shared) *cobra.Command {
	l := &lookFlags{shared: s}
	var dryRun, exitCode bool
	cmd := &cobra.Command{
		Use:   "scan [NAME…]",
		Short: "Look, judge and report; never act",
		Long: `Looks twice, works out whose every MCP server and container is, and says what the
policy would do about it. It never acts. NAME chooses rows of the report: a PID, a
container, a name or a glob, or a session for all that it has.`,
		Example: "  reaperd scan --dry-run\n  reaperd scan -o json '*github*'\n  reaperd scan --snapshot before.json --snapshot after.json",
		Args:    cli.Any("names, PIDs or containers"),
		RunE: func(cmd *cobra.Command, names []string) error {
			if cmd.Flags().Changed("dry-run") && !dryRun {
				sweep := l.asked()
				sweep.Output, sweep.DryRun = "", false
				return advice.Misused(sweep.Sweep(), "scan never acts, so --dry-run=false means nothing here")
			}
			return l.scan(cmd.Context(), names, exitCode)
		},
	}
	l.flags(cmd, time.Second)
	l.replayFlag(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", true, "accepted because it is what people type: scan never acts")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit 3 when the rules would stop something, also in mode report; 0 otherwise, also where what is named is not there")
	return cmd
}

func (l *lookFlags) scan(ctx context.Context, names []string, exitCode bool) error {
	p, err := l.policy()
	if err != nil {
		return err
	}
	sight, err := l.lookTwice(ctx, p)
	if err != nil {
		return err
	}
	defer sight.Close()
	in := sight.Report("scan")
	in.Names = sight.Called(names)
	missing := sight.NotShown(in.Names)
	if len(names) > 0 && !sight.ShowsAny(in.Names) && l.text() && !exitCode && in.Complete() {
		return missing
	}
	err = l.answer(func(w io.Writer) error {
		options := l.options()
		options.Names, options.Wide = in.Names, l.output == "wide"
		return report.Table(w, in, options)
	}, func() ([]byte, error) { return report.JSON(in) })
	switch {
	case err != nil:
		return err
	case !in.Complete():
		return exitWith(exitIncomplete)
	case exitCode && in.WouldReap():
		return exitWith(exitWouldReap)
	case missing != nil && !exitCode:
		return missing
	case missing != nil:
		l.Remark("note: " + missing.Error())
	}
	return nil
}
