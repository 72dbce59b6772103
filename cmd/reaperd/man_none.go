//go:build !man

package main

import "github.com/spf13/cobra"

// builderCommands are what only a build of the packages needs.
func builderCommands() []*cobra.Command { return nil }
