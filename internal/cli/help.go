package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/human"
)

// WrapHelp makes every command's help fit the columns that width returns. cobra has no way back for
// the error of a help that could not be written: the stream keeps it.
func WrapHelp(root *cobra.Command, width func() int) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), helpOf(cmd, width())) })
}

// helpOf is cobra's help of a command. cobra does not break the lines of flags, and
// changes that only by a template, so the text about flags is replaced.
func helpOf(cmd *cobra.Command, width int) string {
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	text := human.WrapParagraphs(strings.TrimSpace(about), width) + "\n"
	if !cmd.Runnable() && !cmd.HasSubCommands() {
		return text
	}
	usage := cmd.UsageString()
	for _, flags := range []interface {
		FlagUsages() string
		FlagUsagesWrapped(columns int) string
	}{cmd.LocalFlags(), cmd.InheritedFlags()} {
		if lines := flags.FlagUsages(); lines != "" {
			usage = strings.Replace(usage, strings.TrimRight(lines, "\n"), strings.TrimRight(flags.FlagUsagesWrapped(width), "\n"), 1)
		}
	}
	return text + "\n" + usage
}
