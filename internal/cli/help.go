package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/reaperd/reaperd/internal/human"
)

// Everything is the topic of the help that has all commands; the first page has a few.
const Everything = "all"

// WrapHelp makes every command's help fit the columns that width returns, with a few commands on the
// first page. cobra has no way back for the error of a help that could not be written: the stream keeps
// it.
func WrapHelp(root *cobra.Command, first []string, width func() int) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		text := ""
		switch {
		case cmd == root:
			text = firstPage(root, first, width())
		case cmd.Parent() == root && cmd.Name() == Everything:
			text = helpOf(root, width())
		default:
			text = helpOf(cmd, width())
		}
		fmt.Fprint(cmd.OutOrStdout(), text)
	})
}

// firstPage has these commands, and how to come to the others.
func firstPage(root *cobra.Command, names []string, width int) string {
	text := human.WrapParagraphs(strings.TrimSpace(root.Long), width) + "\n\n"
	for _, name := range names {
		for _, cmd := range root.Commands() {
			if cmd.Name() == name {
				text += fmt.Sprintf("  %-10s %s\n", name, cmd.Short)
			}
		}
	}
	return text + fmt.Sprintf("\nMore: %s help %s        About one: %s COMMAND --help\n", root.Name(), Everything, root.Name())
}

// about is what a command's help says about it.
func about(cmd *cobra.Command) string {
	return strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short))
}

// helpOf is the help of a command, or of a topic.
func helpOf(cmd *cobra.Command, width int) string {
	text := human.WrapParagraphs(about(cmd), width) + "\n"
	if usage := usage(cmd, width); usage != "" {
		text += "\n" + usage
	}
	return text
}

// usage is cobra's usage of a command; "" for a topic. cobra does not break the lines of flags, and
// changes that only by a template, so the text about flags is replaced.
func usage(cmd *cobra.Command, width int) string {
	if !cmd.Runnable() && !cmd.HasSubCommands() {
		return ""
	}
	text := cmd.UsageString()
	for _, flags := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.InheritedFlags()} {
		if lines := flags.FlagUsages(); lines != "" {
			text = strings.Replace(text, strings.TrimRight(lines, "\n"), strings.TrimRight(flags.FlagUsagesWrapped(width), "\n"), 1)
		}
	}
	return text
}
