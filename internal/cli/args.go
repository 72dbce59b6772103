package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
)

// AtMost accepts at most so many arguments, none of them empty; if needed is set, at least
// one.
func AtMost(most int, what string, needed bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := Any(what)(cmd, args); err != nil {
			return err
		}
		if len(args) > most || needed && len(args) == 0 {
			return advice.Misused(cmd.CommandPath()+" --help", "%s: want %s, got %s", called(cmd), what, wordsText(args))
		}
		return nil
	}
}

// Any accepts any number of arguments, none of them empty.
func Any(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if slices.Contains(args, "") {
			return advice.Misused(cmd.CommandPath()+" --help", "%s: want %s, got an empty word: is a variable of the command line not set?", called(cmd), what)
		}
		return nil
	}
}

// SomeOf accepts one argument or more.
func SomeOf(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return advice.Misused(cmd.CommandPath()+" --help", "%s: want %s, got nothing", called(cmd), what)
		}
		return nil
	}
}

func wordsText(args []string) string {
	if len(args) == 0 {
		return "nothing"
	}
	return strings.Join(args, " ")
}

// called is a command without the program: "policy check".
func called(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}
