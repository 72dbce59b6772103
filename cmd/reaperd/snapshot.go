package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/ownfile"
	"github.com/reaperd/reaperd/internal/redact"
)

func newSnapshot(s *shared) *cobra.Command {
	l := &lookFlags{shared: s}
	cmd := &cobra.Command{
		Use:   "snapshot [FILE]",
		Short: "Save what is seen, secrets masked: a bug report's attachment",
		Long: `Saves one look at processes and containers, with what looks like a secret masked. Without FILE, or
with -, it is written to stdout. A FILE whose name ends in .gz is compressed with gzip.

Replay it, compressed or not, with: reaperd scan --snapshot FILE

Where a source could not be read it says so, and ends with 4.`,
		Args: cli.Words(0, 1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.snapshot(cmd.Context(), append(args, "-")[0])
		},
	}
	cmd.Flags().FuncP("output", "o", "format: json", onlyJSON)
	cmd.Flags().StringVar(&l.policies, policyFlag, "", "policy `FILE`, for the sessions and servers it names")
	return cmd
}

// onlyJSON refuses every other format.
func onlyJSON(text string) error {
	if text != "json" {
		return fmt.Errorf("%q: a snapshot is json; its file is named without a flag", text)
	}
	return nil
}

func (l *lookFlags) snapshot(ctx context.Context, name string) error {
	view, err := l.lookOnce(ctx)
	if err != nil {
		return err
	}
	safe := redact.Snapshot(view.Graph.Snapshot)
	if name == "-" {
		err = unwritten(writeSnapshot(l.Out, safe))
	} else {
		err = l.saveSnapshot(name, safe)
	}
	if err != nil || safe.Complete() {
		return err
	}
	l.Remark("note: not all of this machine is in it: " + human.Safe(account.UnreadOf(safe, "")))
	return exitWith(exitIncomplete)
}

// unwritten is the error of a snapshot that could not be written; nil if it was.
func unwritten(err error) error {
	if err != nil {
		return human.Failed("", "write snapshot: %w", err)
	}
	return nil
}

// writeSnapshot writes a snapshot, with its invisible characters escaped.
func writeSnapshot(w io.Writer, s *inventory.Snapshot) error {
	var document bytes.Buffer
	if err := inventory.Write(&document, s); err != nil {
		return err
	}
	_, err := w.Write(human.EscapeJSON(document.Bytes()))
	return err
}

// writeTo writes a snapshot to a file of that name, compressed if its ending says so.
func writeTo(name string, file io.Writer, s *inventory.Snapshot) error {
	if !strings.HasSuffix(name, ".gz") {
		return writeSnapshot(file, s)
	}
	zip := gzip.NewWriter(file)
	return errors.Join(writeSnapshot(zip, s), zip.Close())
}

// saveSnapshot replaces the file atomically. Other users cannot read it. It replaces nothing but a regular
// file: not a device, and no link, which may be somebody else's.
func (l *lookFlags) saveSnapshot(name string, s *inventory.Snapshot) error {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return human.Failed("reaperd snapshot - >FILE   writes it to stdout, and so anywhere", "write snapshot %s: it is no regular file", name)
	}
	file, err := renameio.NewPendingFile(name, renameio.WithPermissions(0o600))
	if err != nil {
		return human.Failed("", "write snapshot %s: %w", name, ownfile.Cause(err))
	}
	defer file.Cleanup()
	if err := unwritten(writeTo(name, file, s)); err != nil {
		return err
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return human.Failed("", "write snapshot %s: %w", name, ownfile.Cause(err))
	}
	l.Remark(fmt.Sprintf("saved %s and %s to %s; what looks like a secret is masked, names and paths are not: read it before you send it",
		human.Count(len(s.Processes), "process"), human.Count(len(s.Containers), "container"), name))
	return nil
}
