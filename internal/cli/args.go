package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/human"
)

// Any is for commands that take any number of arguments.
const Any = -1

// Words accepts so many arguments at the least and at the most, none of them empty. An error says what is wanted.
func Words(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		got := ""
		switch {
		case slices.Contains(args, ""):
			got = "an empty word: is a variable of the command line not set?"
		case len(args) < least:
			got = "nothing"
		case most != Any && len(args) > most:
			got = strings.Join(args, " ")
		default:
			return nil
		}
		return human.Misused(cmd.CommandPath()+" --help", "%s: want %s, got %s", called(cmd), what, got)
	}
}

// called is a command without the program: "policy check".
func called(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}
