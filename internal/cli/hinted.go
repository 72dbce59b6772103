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

// alike is the flag that was probably meant by a wrong one; "" if none: one that is written
// with other dashes, one that it begins, or one that differs by a slip.
func alike(flags *pflag.FlagSet, word string) string {
	known := &cobra.Command{SuggestionsMinimumDistance: 2}
	same, begun := "", ""
	bare := func(text string) string { return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(text)) }
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		known.AddCommand(&cobra.Command{Use: flag.Name, Run: func(*cobra.Command, []string) {}})
		switch {
		case bare(flag.Name) == bare(word):
			same = flag.Name
		case begun == "" && strings.HasPrefix(bare(flag.Name), bare(word)):
			begun = flag.Name
		}
	})
	for _, name := range []string{same, begun, meant(known, word)} {
		if name != "" {
			return name
		}
	}
	return ""
}
