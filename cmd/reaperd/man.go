//go:build man

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/reaperd/reaperd/internal/cli"
)

// builderCommands are only needed to build the packages. No binary that ships has them:
//
//	go run -tags man ./cmd/reaperd man FOLDER
func builderCommands() []*cobra.Command {
	return []*cobra.Command{{
		Use:    "man FOLDER",
		Short:  "Write a man page for each command",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE:   func(cmd *cobra.Command, args []string) error { return writeManPages(cmd.Root(), args[0]) },
	}}
}

// writeManPages writes reaperd-COMMAND.1 for every command, and for every help
// topic, with the time in SOURCE_DATE_EPOCH. The page reaperd.1 is in deploy/packages.
func writeManPages(root *cobra.Command, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	header := &doc.GenManHeader{Section: "1", Source: "reaperd", Manual: "User Commands"}
	for _, cmd := range cli.EveryCommand(root) {
		if cmd == root || cmd.Hidden || cmd.Name() == "help" || cmd.Parent().Name() == "completion" {
			continue
		}
		cmd.DisableAutoGenTag = true
		cmd.Long = literal(cmd)
		cmd.Example = strings.ReplaceAll(cmd.Example, "…", "...")
		header.Title = strings.ToUpper(strings.ReplaceAll(cmd.CommandPath(), " ", "-"))
		if err := writeManPage(cmd, header, folder); err != nil {
			return err
		}
	}
	return nil
}

func writeManPage(cmd *cobra.Command, header *doc.GenManHeader, folder string) error {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + "." + header.Section
	file, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	if err := doc.GenMan(cmd, header, file); err != nil {
		file.Close()
		return fmt.Errorf("man page %s: %w", name, err)
	}
	return file.Close()
}

// literal keeps the line breaks of texts whose layout matters: tables and indented
// examples.
func literal(cmd *cobra.Command) string {
	text := cmd.Long
	if text == "" {
		return cmd.Short
	}
	if !strings.Contains(text, "\n  ") {
		return text
	}
	return "```\n" + text + "\n```\n"
}
