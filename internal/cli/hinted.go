package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/reaperd/reaperd/internal/advice"
)

// Hinted completes an error about a command line. It names the variable in place of a flag
// that nobody has typed, and the help of the command where the error has no hint.
func Hinted(cmd *cobra.Command, err error) error {
	misuse, is := err.(*advice.Error)
	if !is || !misuse.Misuse {
		return err
	}
	if text := byVariable(cmd.Flags(), misuse.Error()); text != "" {
		return advice.Misused("reaperd help environment", "%s", text)
	}
	if misuse.Hint != "" {
		return err
	}
	return advice.Misused(cmd.CommandPath()+" --help", "%w", misuse.Err)
}

// fromEnvironment is the annotation of a flag that a variable has set.
const fromEnvironment = "reaperd_from_environment"

// byVariable is the text of an error that begins with a flag, with the variable that has set
// the flag in its place; "" if it begins with no such flag.
func byVariable(flags *pflag.FlagSet, text string) (named string) {
	typed, rest, found := strings.Cut(text, " ")
	link := "="
	if about, ends := strings.CutSuffix(typed, ":"); ends {
		typed, link = about, ": "
	}
	flags.VisitAll(func(flag *pflag.Flag) {
		is := typed == "--"+flag.Name || flag.Shorthand != "" && typed == "-"+flag.Shorthand
		if found && is && flag.Annotations[fromEnvironment] != nil {
			named = variableOf(flag.Name) + link + rest
		}
	})
	return named
}
