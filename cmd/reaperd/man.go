package main

import (
	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
)

// newMan makes the command with which packages are built: deploy/packages/stage.sh.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write a man page for each command",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE:   func(cmd *cobra.Command, args []string) error { return cli.WriteManual(cmd.Root(), args[0]) },
	}
}
