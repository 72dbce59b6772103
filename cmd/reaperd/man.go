package main

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/manual"
)

// newMan makes the command with which packages are built: deploy/packages/stage.sh.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write a man page for each command",
		Args:   cli.AtMost(1, "one folder for the pages", true),
		Hidden: true,
		RunE:   func(cmd *cobra.Command, args []string) error { return writeManPages(cmd.Root(), args[0]) },
	}
}

// writeManPages writes reaperd-COMMAND.1 for every command, and for every help topic.
// The page reaperd.1 is in deploy/packages.
func writeManPages(root *cobra.Command, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	date, err := sourceDate()
	if err != nil {
		return err
	}
	for cmd := range manual.Pages(root) {
		text := manual.Page(root, cmd, date)
		if err := os.WriteFile(filepath.Join(folder, manual.Name(cmd)+".1"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sourceDate returns the time in SOURCE_DATE_EPOCH (seconds since 1970), else now.
func sourceDate() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Now(), nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, advice.Misused("", "SOURCE_DATE_EPOCH=%q: want seconds since 1970", text)
	}
	return time.Unix(seconds, 0), nil
}
