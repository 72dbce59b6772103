package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/sweep"
)

// Replay is what saved snapshots come to, without regard to this machine.
type Replay struct{ look account.Look }

// ForReplay judges saved snapshots, oldest first. One of the files may be "-", which is stdin.
func ForReplay(p *policy.Policy, whatIf bool, files []string, stdin io.Reader) (*Replay, error) {
	if i := slices.Index(files, "-"); i >= 0 && slices.Contains(files[i+1:], "-") {
		return nil, human.Misused(saveOne, "--snapshot -: stdin can be read once, and is asked for twice")
	}
	var snapshots []*inventory.Snapshot
	for _, name := range files {
		snapshot, err := readSnapshot(name, stdin)
		if err != nil {
			return nil, err
		}
		snapshots = append(snapshots, snapshot)
	}
	sweeper := &sweep.Sweeper{Catalogue: host.Catalogue(p), Policy: p, OneShot: true}
	view, err := sweeper.Replay(snapshots)
	if err != nil {
		return nil, human.Misused("", "%w", err)
	}
	return &Replay{account.Look{
		Graph: view.Graph, Verdicts: view.Verdicts, Policy: p.Identity(), WhatIf: whatIf, Resumes: catalogue.Resumes(),
		Decider: account.Decider{Kind: account.ByReplay},
	}}, nil
}

// Account is what the last snapshots come to.
func (r *Replay) Account(context.Context, bool) (*account.Account, error) {
	return account.Of(r.look), nil
}

// Explain tells all that is known of what a word means.
func (r *Replay) Explain(_ context.Context, subject string) (*account.Explanation, error) {
	e, err := account.ExplainOf(r.look, called(r.look, subject), nil)
	if err == nil && e.Complete && e.Gone != nil && !e.IsKnown() {
		return nil, human.Failed("reaperd scan --snapshot FILE   shows what is in one", "%s: not in the snapshot", human.Safe(subject))
	}
	return e, err
}

const saveOne = "reaperd snapshot FILE   saves one"

func readSnapshot(name string, stdin io.Reader) (*inventory.Snapshot, error) {
	if name == "-" {
		return snapshotIn("stdin", stdin)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, human.Misused(saveOne, "read snapshot: %w", err)
	}
	defer file.Close()
	return snapshotIn(name, file)
}

// snapshotIn reads a snapshot; a fault has the name of where it comes from.
func snapshotIn(name string, from io.Reader) (*inventory.Snapshot, error) {
	snapshot, err := inventory.Read(from)
	if err != nil {
		return nil, human.Misused(saveOne, "%w", inFile(name, err))
	}
	return snapshot, nil
}

// inFile puts a file's name before each line of an error.
func inFile(name string, err error) error {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		lines = append(lines, fmt.Sprintf("snapshot %s: %s", name, strings.TrimRight(line, "\n")))
	}
	return errors.New(strings.Join(lines, "\n"))
}
