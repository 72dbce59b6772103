//go:build !man

package main

import "github.com/spf13/cobra"

// builderCommands returns nothing: only builds of the packages have such commands.
func builderCommands() []*cobra.Command { return nil }
