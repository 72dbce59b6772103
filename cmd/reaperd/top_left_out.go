//go:build notop

package main

import (
	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/human"
)

// newTop tells that this program was built without top. `make run` builds it so: its
// first build then downloads a quarter less.
func newTop(*shared) *cobra.Command {
	return &cobra.Command{
		Use:                "top",
		Short:              "Watch sessions, servers and what leaks (not in this program)",
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return human.Failed("make build   builds a program that has it", "this reaperd was built without top (build tag notop)")
		},
	}
}
