package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Words are completions, each with a description.
type Words []cobra.Completion

// Completer returns the completions for the next argument. typed are the arguments
// before it. If something fails, it returns none.
type Completer func(cmd *cobra.Command, typed []string) Words

// Completions are the completers for a program's commands.
type Completions struct {
	Arguments map[string]Completer // by command; nil is a file
	Flags     map[string]Completer // by flag that takes a value
	Files     map[string][]string  // the endings of the files that a flag takes
}

// AsksForWords reports a command line with which a shell asks for completions.
func AsksForWords(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// Register registers the completers of arguments and flags with every command.
func (c Completions) Register(root *cobra.Command) {
	for _, cmd := range EveryCommand(root) {
		path := strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")
		if find, known := c.Arguments[path]; known && find != nil {
			cmd.ValidArgsFunction = offer(find, cobra.ShellCompDirectiveNoFileComp)
		} else if !known && len(cmd.ValidArgs) == 0 && !cmd.HasSubCommands() {
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		for name, find := range c.Flags {
			if cmd.Flag(name) != nil {
				_ = cmd.RegisterFlagCompletionFunc(name, offer(find, cobra.ShellCompDirectiveNoFileComp)) // fails for a flag of the root's that has one already
			}
		}
		for name, endings := range c.Files {
			if cmd.Flag(name) != nil {
				_ = cmd.MarkFlagFilename(name, endings...)
			}
		}
		cmd.LocalFlags().VisitAll(describe)
	}
}

// describe makes a flag's text its description in a shell: the library would show the
// quotes that mark the name of its value.
func describe(flag *pflag.Flag) { _, flag.Usage = pflag.UnquoteUsage(flag) }

// EveryCommand is a command and all its subcommands.
func EveryCommand(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, below := range cmd.Commands() {
		all = append(all, EveryCommand(below)...)
	}
	return all
}

// offer makes a function for cobra. It drops words that are already on the command
// line; the shell drops those that do not fit what is typed.
func offer(find Completer, directive cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(cmd *cobra.Command, typed []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var offered Words
		for _, word := range find(cmd, typed) {
			text, _, _ := strings.Cut(word, "\t")
			if !slices.Contains(typed, text) {
				offered = append(offered, word)
			}
		}
		return offered, directive
	}
}

// OrFiles makes a function for cobra. Where no word begins with what is typed, the shell completes a file.
func OrFiles(find Completer) cobra.CompletionFunc {
	return offer(find, cobra.ShellCompDirectiveDefault)
}

// Fixed always offers the same words.
func Fixed(texts ...string) Completer {
	return func(*cobra.Command, []string) Words { return texts }
}

// Nothing offers neither words nor files.
func Nothing(*cobra.Command, []string) Words { return nil }

// OnlyOne offers words for the first argument only.
func OnlyOne(find Completer) Completer {
	return func(cmd *cobra.Command, typed []string) Words {
		if len(typed) > 0 {
			return nil
		}
		return find(cmd, typed)
	}
}

// Formats are the formats listed in the flag's own text.
func Formats(cmd *cobra.Command, _ []string) Words {
	_, list, _ := strings.Cut(cmd.Flag("output").Usage, "format: ")
	return strings.Fields(strings.NewReplacer(",", " ", " or ", " ").Replace(list))
}

// HelpTopics are the commands and help topics below those that are typed.
func HelpTopics(cmd *cobra.Command, typed []string) Words {
	parent, rest, err := cmd.Root().Find(typed)
	if err != nil || len(rest) > 0 {
		return nil
	}
	var all Words
	for _, below := range parent.Commands() {
		if below.IsAvailableCommand() || below.IsAdditionalHelpTopicCommand() {
			all = append(all, cobra.CompletionWithDesc(below.Name(), below.Short))
		}
	}
	return all
}
