package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/sweep"
)

// looking are the flags of commands that look and judge.
type looking struct {
	*shared
	output    string
	policies  string
	snapshots []string
	settle    time.Duration
}

func (l *looking) flags(cmd *cobra.Command, settle time.Duration) {
	flags := cmd.Flags()
	flags.StringVarP(&l.output, "output", "o", "table", "format: table, wide, json or yaml")
	flags.StringVar(&l.policies, policyFlag, "", "policy `FILE` (default: the user's, /etc/reaperd's, the built-in one)")
	flags.DurationVar(&l.settle, "settle", settle, "time between the two looks")
}

func (l *looking) replayFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&l.snapshots, "snapshot", nil, "replay a saved snapshot `FILE` instead of looking; repeatable, oldest first")
}

// check refuses what the flags cannot mean.
func (l *looking) check() error {
	switch l.output {
	case "table", "wide", "json", "yaml":
	default:
		return usage("", "-o %q: want table, wide, json or yaml", l.output)
	}
	if l.settle < 0 {
		return usage("", "--settle %s: a time cannot be negative", l.settle)
	}
	return nil
}

func newScan(s *shared) *cobra.Command {
	l := &looking{shared: s}
	var dryRun, exitCode bool
	cmd := &cobra.Command{
		Use:   "scan [NAME…]",
		Short: "Look, judge and report; never act",
		Long: `Looks twice, works out whose every MCP server and container is, and says what the
policy would do about it. It never acts. NAME globs choose rows of the report.`,
		Example: "  reaperd scan --dry-run\n  reaperd scan -o json 'github*'\n  reaperd scan --snapshot before.json --snapshot after.json",
		RunE: func(cmd *cobra.Command, names []string) error {
			if cmd.Flags().Changed("dry-run") && !dryRun {
				return usage("reaperd sweep", "scan never acts, so --dry-run=false means nothing here")
			}
			return l.scan(cmd.Context(), names, exitCode)
		},
	}
	l.flags(cmd, time.Second)
	l.replayFlag(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", true, "accepted because it is what people type: scan never acts")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit 3 when something would be reaped")
	return cmd
}

func (l *looking) scan(ctx context.Context, names []string, exitCode bool) error {
	if err := l.check(); err != nil {
		return err
	}
	loaded, err := loadPolicy(l.policies)
	if err != nil {
		return err
	}
	view, err := l.view(ctx, loaded)
	if err != nil {
		return err
	}
	in := l.input(view, loaded, "scan")
	in.Names = names
	if err := l.write(in, names); err != nil {
		return err
	}
	switch {
	case !in.Complete():
		return exitWith(exitIncomplete)
	case exitCode && in.WouldReap():
		return exitWith(exitWouldReap)
	}
	return nil
}

// view looks at this host twice, or at the snapshots given.
func (l *looking) view(ctx context.Context, p *policy.Policy) (sweep.View, error) {
	if len(l.snapshots) > 0 {
		return l.replay(p)
	}
	sweeper, h, err := l.sweeper(p)
	if err != nil {
		return sweep.View{}, err
	}
	defer h.Close()
	l.recall(ctx, sweeper)
	defer l.progress(l.settle)()
	return lookTwice(ctx, sweeper, l.settle)
}

// recall lets a sweeper know what the daemon remembers.
func (l *looking) recall(ctx context.Context, sweeper *sweep.Sweeper) {
	if daemon := askDaemon(ctx); daemon != nil {
		sweeper.Recalled = daemon.Remembered()
	}
}

func lookTwice(ctx context.Context, sweeper *sweep.Sweeper, settle time.Duration) (sweep.View, error) {
	view, err := sweeper.Twice(ctx, settle)
	if err != nil && ctx.Err() == nil {
		return view, failed("reaperd doctor", "look at this host: %w", err)
	}
	return view, err
}

// sweeper is a one-shot sweeper of this host; close the host after use.
func (l *looking) sweeper(p *policy.Policy) (*sweep.Sweeper, *host.Host, error) {
	h, err := host.Open(host.Options{Policy: p, Log: l.logger(), State: stateDir()})
	if err != nil {
		return nil, nil, failed("reaperd doctor", "%w", err)
	}
	return oneShot(h, p), h, nil
}

// oneShot is a sweeper without a past.
func oneShot(h *host.Host, p *policy.Policy) *sweep.Sweeper {
	return &sweep.Sweeper{
		Observer: h, Catalogue: h.Catalogue(), Policy: p, Pinned: h.Pinned, Spared: h.PinnedNow, Fresh: h, OneShot: true,
	}
}

// replay judges saved snapshots; nothing of this machine has a say in it.
func (l *looking) replay(p *policy.Policy) (sweep.View, error) {
	var snapshots []*inventory.Snapshot
	for _, name := range l.snapshots {
		snapshot, err := readSnapshot(name)
		if err != nil {
			return sweep.View{}, err
		}
		snapshots = append(snapshots, snapshot)
	}
	sweeper := &sweep.Sweeper{Catalogue: host.Catalogue(p), Policy: p, OneShot: true}
	view, err := sweeper.Replay(snapshots)
	if err != nil {
		return view, usage("", "%w", err)
	}
	if len(snapshots) > 1 {
		l.settle = snapshots[len(snapshots)-1].TakenAt.Sub(snapshots[len(snapshots)-2].TakenAt)
	}
	return view, nil
}

func readSnapshot(name string) (*inventory.Snapshot, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, usage("", "read snapshot: %w", err)
	}
	defer file.Close()
	snapshot, err := inventory.Read(file)
	if err != nil {
		return nil, &failure{code: exitUsage, err: prefixed(name, err)}
	}
	return snapshot, nil
}

// prefixed puts a file's name before every line of an error.
func prefixed(name string, err error) error {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		lines = append(lines, "snapshot "+name+": "+strings.TrimRight(line, "\n"))
	}
	return fmt.Errorf("%s", strings.Join(lines, "\n"))
}

func (l *looking) input(view sweep.View, p *policy.Policy, command string) report.Input {
	in := view.Report(p)
	in.Resumes = catalogue.Resumes()
	in.Settle, in.Replay, in.Command = l.settle, len(l.snapshots) > 0, command
	if !in.Replay {
		in.Daemon, in.Notes = daemonRuns(), stateDir().PauseNotes(time.Now())
		in.Due = daemonEnds(time.Now())
	}
	return in
}

// daemonRuns reports a daemon of this user's or root's on this host.
func daemonRuns() bool {
	if _, running, err := stateDir().Daemon(); running || err != nil {
		return running
	}
	_, running := foreignDaemon()
	return running
}

// text reports whether the answer is for people.
func (l *looking) text() bool { return l.output == "table" || l.output == "wide" }

// write prints a report in the format asked for.
func (l *looking) write(in report.Input, names []string) error {
	return l.answer(func(w io.Writer) error {
		options := l.options()
		options.Names = names
		options.Wide = l.output == "wide"
		return report.Table(w, in, options)
	}, func() ([]byte, error) { return report.JSON(in) })
}

// answer writes to stdout as text, JSON or YAML; the last two are one value, whose
// version comes first. JSON is indented on a terminal, and one line elsewhere.
func (l *looking) answer(text func(io.Writer) error, encode func() ([]byte, error)) error {
	if l.text() {
		return text(l.out)
	}
	data, err := encode()
	if err == nil {
		data, err = report.Shape(data, isTerminal(l.out))
	}
	if err == nil && l.output == "yaml" {
		data, err = report.YAMLOf(data)
	}
	if err != nil {
		return failed("", "%w", err)
	}
	if l.output == "json" {
		data = human.EscapeJSON(data)
	}
	_, err = l.out.Write(append(bytes.TrimRight(data, "\n"), '\n'))
	return err
}
