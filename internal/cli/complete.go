package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Completer returns the completions for the next argument, each with a description. typed are the arguments
// before it. If something fails, it returns none.
type Completer = func(cmd *cobra.Command, typed []string) []cobra.Completion

// Completions are what a shell offers for a program's commands.
type Completions struct {
	Arguments map[string]Completer // for each argument of a command, by its path; nil is a file
	Flags     map[string]Completer // for the value of a flag, by name
	Files     map[string][]string  // the endings of the files that a flag takes
}

// AsksForWords reports a command line with which a shell asks for completions.
func AsksForWords(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// Register registers the completions with every command. What has none takes no file either.
func (c Completions) Register(root *cobra.Command) {
	for _, cmd := range EveryCommand(root) {
		if find, known := c.Arguments[called(cmd)]; known && find != nil {
			cmd.ValidArgsFunction = offer(find, cobra.ShellCompDirectiveNoFileComp)
		} else if !known && len(cmd.ValidArgs) == 0 && !cmd.HasSubCommands() {
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			c.registerFlag(cmd, flag)
			_, flag.Usage = pflag.UnquoteUsage(flag) // the library would show the quotes that mark the name of its value
		})
	}
}

func (c Completions) registerFlag(cmd *cobra.Command, flag *pflag.Flag) {
	if endings, isFile := c.Files[flag.Name]; isFile {
		_ = cmd.MarkFlagFilename(flag.Name, endings...) // it is the command's
		return
	}
	find := cobra.NoFileCompletions
	if words := c.Flags[flag.Name]; words != nil {
		find = offer(words, cobra.ShellCompDirectiveNoFileComp)
	}
	_ = cmd.RegisterFlagCompletionFunc(flag.Name, find) // fails for a flag of the root's that has one already
}

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
		return slices.DeleteFunc(slices.Clone(find(cmd, typed)), func(word string) bool {
			text, _, _ := strings.Cut(word, "\t")
			return slices.Contains(typed, text)
		}), directive
	}
}

// OrFiles makes a function for cobra. Where no word begins with what is typed, the shell completes a file.
func OrFiles(find Completer) cobra.CompletionFunc {
	return offer(find, cobra.ShellCompDirectiveDefault)
}

// Fixed always offers the same words.
func Fixed(texts ...string) Completer {
	return func(*cobra.Command, []string) []cobra.Completion { return texts }
}

// OnlyOne offers words for the first argument only.
func OnlyOne(find Completer) Completer {
	return func(cmd *cobra.Command, typed []string) []cobra.Completion {
		if len(typed) > 0 {
			return nil
		}
		return find(cmd, typed)
	}
}

// HelpTopics are the commands and help topics below those that are typed.
func HelpTopics(cmd *cobra.Command, typed []string) (all []cobra.Completion) {
	parent, rest, err := cmd.Root().Find(typed)
	if err != nil || len(rest) > 0 {
		return nil
	}
	for _, below := range parent.Commands() {
		if below.IsAvailableCommand() || below.IsAdditionalHelpTopicCommand() {
			all = append(all, cobra.CompletionWithDesc(below.Name(), below.Short))
		}
	}
	return all
}
