package main

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/terminal"
)

// lookFlags are the flags of commands that look and judge.
type lookFlags struct {
	*shared
	output    string
	formats   string // those that the help offers for output
	policies  string
	snapshots []string
	settle    time.Duration
	cmd       *cobra.Command // whose flags they are; nil where they have no flag but --policies
}

func (l *lookFlags) flags(cmd *cobra.Command, settle time.Duration) {
	l.cmd = cmd
	l.outputFlag(cmd, "table, wide, json or yaml")
	flags := cmd.Flags()
	policiesFlag(flags, &l.policies)
	flags.DurationVar(&l.settle, "settle", settle, "time between the two looks")
}

func (l *lookFlags) outputFlag(cmd *cobra.Command, formats string) {
	l.formats = formats
	cmd.Flags().StringVarP(&l.output, "output", "o", "table", "format: "+formats)
}

func (l *lookFlags) replayFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&l.snapshots, "snapshot", nil, "replay a saved snapshot `FILE`, compressed or not, instead of looking (- is stdin); repeatable, oldest first")
}

// check refuses contradicting flags.
func (l *lookFlags) check() error {
	switch l.output {
	case "table", "wide", "json", "yaml":
	default:
		return advice.Misused("", "-o %q: want %s", l.output, cmp.Or(l.formats, "table, wide, json or yaml"))
	}
	if l.settle < 0 {
		return advice.Misused("", "--settle %s: a time cannot be negative", l.settle)
	}
	return nil
}

// policy returns the policy that the checked flags name.
func (l *lookFlags) policy() (*policy.Policy, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	return policyfile.Load(l.policies)
}

// open opens this host. Close the sight after use.
func (l *lookFlags) open(p *policy.Policy) (*oneshot.Sight, error) {
	sight, err := oneshot.Open(p, stateDir(), l.logger())
	if err == nil {
		sight.Asked = l.asked()
	}
	return sight, err
}

// asked is what was typed, as far as a command that looks can be typed again with it.
func (l *lookFlags) asked() asked.Look {
	if l.cmd == nil {
		return asked.Look{}
	}
	given := cli.Given{Flags: l.cmd.Flags()}
	look := asked.Look{
		Policies: given.Text(policyFlag), Mode: given.Text("mode"), Rules: given.List("rule"), Duplicates: given.Switch("duplicates"),
		IdleOver: given.Text("idle-over"), Now: given.Switch("now"), Journal: given.Text("journal"), Output: given.Text("output"),
		Yes: given.Switch("yes"), DryRun: given.Switch("dry-run"), Snapshots: l.snapshots, Names: l.cmd.Flags().Args(),
	}
	if given.Text("settle") != "" {
		look.Settle = human.Exact(l.settle)
	}
	return look
}

// lookOnce opens this host under the policy of the flags, and looks once, with the daemon's
// memory. It serves commands that judge nothing: the policy only names programs to them.
func (l *lookFlags) lookOnce(ctx context.Context) (*oneshot.Sight, error) {
	p, note, err := policyfile.LoadAnyway(l.policies)
	if err != nil {
		return nil, err
	}
	if note != "" {
		l.Remark(note)
	}
	sight, err := l.open(p)
	if err != nil {
		return nil, err
	}
	defer l.Progress(0)()
	sight.Recall(ctx)
	if err := sight.First(ctx); err != nil {
		sight.Close()
		return nil, err
	}
	return sight, nil
}

// lookTwice looks at this host twice, or reads the given snapshots. If the first look sees
// nothing that one of the words means, that is the error, and there is no second.
func (l *lookFlags) lookTwice(ctx context.Context, p *policy.Policy, words ...string) (*oneshot.Sight, error) {
	if len(l.snapshots) > 0 {
		sight, err := oneshot.Replay(p, l.snapshots, l.In)
		if err == nil {
			sight.Asked = l.asked()
		}
		return sight, err
	}
	sight, err := l.open(p)
	if err != nil {
		return nil, err
	}
	if err := l.bothLooks(ctx, sight, words); err != nil {
		sight.Close()
		return nil, err
	}
	return sight, nil
}

// bothLooks says how long it waits for the second look once there is one to wait for.
func (l *lookFlags) bothLooks(ctx context.Context, sight *oneshot.Sight, words []string) error {
	sight.Recall(ctx)
	looked := l.Progress(0)
	err := sight.First(ctx)
	looked()
	if err != nil {
		return err
	}
	if err := sight.Missing(words); err != nil {
		return err
	}
	defer l.Progress(l.settle)()
	return sight.Second(ctx, l.settle)
}

// stateDir is the directory that this user's commands and daemon share.
func stateDir() state.Dir { return state.Own() }

// journalPath returns the named journal, else the one in the state directory.
func journalPath(named string) string {
	if named != "" {
		return named
	}
	return filepath.Join(string(stateDir()), journal.FileName)
}

// text reports that the answer is for people.
func (l *lookFlags) text() bool { return l.output == "table" || l.output == "wide" }

// answer writes to stdout as text, JSON or YAML. JSON and YAML are one value that begins
// with its version. On a terminal JSON is indented; elsewhere it is one line.
func (l *lookFlags) answer(text func(io.Writer) error, encode func() ([]byte, error)) error {
	if l.text() {
		return text(l.Out)
	}
	data, err := encode()
	if err == nil {
		data, err = report.Shape(data, terminal.IsTerminal(l.Out))
	}
	if err == nil && l.output == "yaml" {
		data, err = report.YAMLOf(data)
	}
	if err != nil {
		return advice.Failed("", "%w", err)
	}
	if l.output == "json" {
		data = human.EscapeJSON(data)
	}
	_, err = l.Out.Write(append(bytes.TrimRight(data, "\n"), '\n'))
	return err
}
