package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/screen"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// lookFlags are the flags of commands that look and judge.
type lookFlags struct {
	*shared
	output    string
	policies  string
	snapshots []string
	settle    time.Duration
	journal   string
	kept      *passes // nil: each question has a pass of its own
}

func (l *lookFlags) flags(cmd *cobra.Command, settle string) {
	l.outputFlag(cmd, "table, wide, json or yaml")
	policiesFlag(cmd.Flags(), &l.policies)
	l.settleFlag(cmd, settle)
}

// betweenLooks is what --settle means to commands that look twice.
const betweenLooks = "time between the two looks (default 1s)"

func (l *lookFlags) settleFlag(cmd *cobra.Command, usage string) {
	l.settle = time.Second
	cmd.Flags().Func("settle", usage, cli.Wait(&l.settle))
}

// outputFlag accepts every format: a variable sets it for all commands. formats are those that the command has.
func (l *lookFlags) outputFlag(cmd *cobra.Command, formats string) {
	l.output = "table"
	cmd.Flags().FuncP("output", "o", "format: "+formats+" (default table)", cli.OneOf(&l.output, "table", "wide", "json", "yaml"))
}

func (l *lookFlags) replayFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&l.snapshots, "snapshot", nil, "replay a saved snapshot `FILE`, compressed or not, instead of looking (- is stdin); repeatable, oldest first")
}

// policy returns the policy that the flags name.
func (l *lookFlags) policy() (*policy.Policy, error) { return policyfile.Load(l.policies) }

// lookOnce looks at this host once, with what this user has pinned. It serves commands that judge
// nothing: the policy only names programs to them.
func (l *lookFlags) lookOnce(ctx context.Context) (sweep.View, error) {
	p, note, err := policyfile.LoadAnyway(l.policies)
	if err != nil {
		return sweep.View{}, err
	}
	if note != "" {
		l.Remark(note)
	}
	once, err := l.once(p)
	if err != nil {
		return sweep.View{}, err
	}
	defer once.Close()
	defer l.Progress(0)()
	return once.Look(ctx)
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

// options are those of the terminal. A replay is told as of its last snapshot.
func (l *lookFlags) options() screen.Options {
	options := l.shared.options()
	if len(l.snapshots) > 0 {
		options.Now = time.Time{}
	}
	return options
}

// text reports that the answer is for people.
func (l *lookFlags) text() bool { return l.output == "table" || l.output == "wide" }

// show is answer of a value that a decider told.
func (l *lookFlags) show(text func(io.Writer) error, value any) error {
	return l.answer(text, func() ([]byte, error) { return screen.JSON(value) })
}

// answer writes to stdout as text, JSON or YAML. JSON and YAML are one value that begins
// with its version. On a terminal JSON is indented; elsewhere it is one line.
func (l *lookFlags) answer(text func(io.Writer) error, encode func() ([]byte, error)) error {
	if l.text() {
		return text(l.Out)
	}
	data, err := encode()
	switch {
	case err == nil && l.output == "yaml":
		data, err = screen.YAMLOf(data)
	case err == nil:
		data, err = l.shaped(data)
	}
	if err != nil {
		return human.Failed("", "%w", err)
	}
	_, err = l.Out.Write(append(bytes.TrimRight(data, "\n"), '\n'))
	return err
}

// shaped is JSON on one line or, on a terminal, on many, its version first.
func (l *lookFlags) shaped(data []byte) ([]byte, error) {
	var b bytes.Buffer
	err := json.Compact(&b, data)
	if err == nil && !bytes.HasPrefix(b.Bytes(), []byte(`{"version"`)) {
		var members map[string]json.RawMessage
		err = json.Unmarshal(data, &members)
		version := members["version"]
		delete(members, "version")
		rest, _ := json.Marshal(members) // of JSON
		data = append(append([]byte(`{"version":`), version...), append([]byte{','}, rest[1:]...)...)
	} else {
		data = bytes.Clone(b.Bytes())
	}
	if b.Reset(); cli.IsTerminal(l.Out) && err == nil {
		err = json.Indent(&b, data, "", "  ")
		data = b.Bytes()
	}
	return human.EscapeJSON(data), err
}
