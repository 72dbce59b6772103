package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	var output string
	cmd := &cobra.Command{
		Use:   "snapshot [FILE]",
		Short: "Save what is seen, secrets masked: a bug report's attachment",
		Long: `Saves one look at processes and containers, with what looks like a secret masked. Without FILE, or
with -, it is written to stdout. A FILE whose name ends in .gz is compressed with gzip.

Replay it, compressed or not, with: reaperd scan --snapshot FILE

Where a source could not be read it says so, and ends with 4.`,
		Args: cli.AtMost(1, "one file", false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output != "json" {
				return notAFormat(cmd, output)
			}
			return l.snapshot(cmd.Context(), append(args, "-")[0])
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "json", "format: json")
	cmd.Flags().StringVar(&l.policies, policyFlag, "", "policy `FILE`, for the sessions and servers it names")
	return cmd
}

// notAFormat refuses -o. A value that is no format of any command is a file.
func notAFormat(cmd *cobra.Command, output string) error {
	hint := ""
	if !slices.Contains([]string{"table", "wide", "yaml"}, output) {
		hint = cmd.CommandPath() + " " + human.Shell(output)
	}
	return human.Misused(hint, "-o %q: a snapshot is json", output)
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
	instead := ""
	if info, err := os.Lstat(name); err == nil {
		if !info.Mode().IsRegular() && !info.IsDir() {
			return notAFile(name, info)
		}
		instead = ", in place of what was there"
	}
	file, err := renameio.NewPendingFile(name, renameio.WithPermissions(0o600))
	if err != nil {
		return unsaved(name, err)
	}
	defer file.Cleanup()
	if err := unwritten(writeTo(name, file, s)); err != nil {
		return err
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return unsaved(name, err)
	}
	l.Remark(fmt.Sprintf("saved %s and %s to %s%s; what looks like a secret is masked, names and paths are not: read it before you send it",
		human.Count(len(s.Processes), "process"), human.Count(len(s.Containers), "container"), name, instead))
	return nil
}

// notAFile is the error of a name that stands for something which must not be replaced.
func notAFile(name string, info fs.FileInfo) error {
	if target, err := os.Readlink(name); err == nil {
		return human.Failed("name what it leads to, or another file; reaperd snapshot - >FILE   writes it to stdout, and so anywhere", "write snapshot %s: it is a link to %s", name, target)
	}
	what := "a device"
	switch {
	case info.Mode()&fs.ModeNamedPipe != 0:
		what = "a FIFO"
	case info.Mode()&fs.ModeSocket != 0:
		what = "a socket"
	}
	return human.Failed("reaperd snapshot - >FILE   writes it to stdout, and so anywhere", "write snapshot %s: it is %s", name, what)
}

// unsaved names the file that was asked for, and not the temporary one beside it, which
// the error of a system call names.
func unsaved(name string, err error) error {
	err = ownfile.Cause(err)
	hint := "reaperd snapshot - >FILE   writes it to stdout, and so anywhere"
	switch info, missing := os.Stat(name); {
	case missing == nil && info.IsDir():
		hint, err = "reaperd snapshot "+filepath.Join(name, "snapshot.json"), errors.New("it is a folder")
	case errors.Is(err, fs.ErrNotExist):
		hint = "mkdir -p " + filepath.Dir(name) + "   makes its folder"
	}
	return human.Failed(hint, "write snapshot %s: %w", name, err)
}
