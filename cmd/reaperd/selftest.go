package main

import (
	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/doctor"
)

// newSelfTestPart makes the command that children of a self-test run.
func newSelfTestPart() *cobra.Command {
	return &cobra.Command{
		Use:                doctor.PartCommand,
		Short:              "Play a child of doctor --self-test",
		Hidden:             true,
		DisableFlagParsing: true, // the arguments are only there for the self-test to read from the process table
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return advice.Misused("reaperd doctor --self-test", "%s: it is doctor that starts this", doctor.PartCommand)
			}
			return doctor.PlayPart(args[0])
		},
	}
}
