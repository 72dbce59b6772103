package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Suggest makes commands known under other words, given by command: "policy check". Several
// may be known under one. A flag behind a command is typed with it: "wrap --undo".
func Suggest(root *cobra.Command, words map[string][]string) {
	commands := map[string]*cobra.Command{}
	for _, cmd := range EveryCommand(root) {
		commands[called(cmd)] = cmd
	}
	for line, others := range words {
		path, flags, hasFlags := strings.Cut(line, " --")
		cmd := commands[path]
		cmd.SuggestFor = append(cmd.SuggestFor, others...)
		for _, word := range others {
			if hasFlags {
				annotate(cmd, flagsFor+word, "--"+flags)
			}
		}
	}
}

func annotate(cmd *cobra.Command, key, value string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[key] = value
}

// Instead is what to type in place of a flag of another tool: words, and the value that the
// flag was given, or else this one; or another command.
type Instead struct{ Words, Value, Command string }

// SuggestFlags makes flags known as other tools write them ("--force", "-f"), given by command.
func SuggestFlags(root *cobra.Command, flags map[string]map[string]Instead) {
	for _, cmd := range EveryCommand(root) {
		for flag, instead := range flags[called(cmd)] {
			annotate(cmd, wordsFor+flag, instead.Words)
			annotate(cmd, valueFor+flag, instead.Value)
			annotate(cmd, commandFor+flag, instead.Command)
		}
	}
}

// The annotations of a command, before the flag or the word of another tool.
const (
	wordsFor   = "reaperd_words_for_"
	valueFor   = "reaperd_value_for_"
	commandFor = "reaperd_command_for_"
	flagsFor   = "reaperd_flags_for_"
)

// inPlaceOf is what to type in place of a command with a flag that it does not have; "" if that is
// not known.
func inPlaceOf(cmd *cobra.Command, args []string, flag string) string {
	if format := formatOf(cmd, args, flag); format != "" {
		return cmd.CommandPath() + " -o " + format
	}
	if command := cmd.Annotations[commandFor+flag]; command != "" {
		return cmd.Root().Name() + " " + command
	}
	words, known := cmd.Annotations[wordsFor+flag]
	value := cmd.Annotations[valueFor+flag]
	if known && value != "" {
		if given := valueIn(args, flag); given != "" {
			value = given
		}
	}
	if instead := strings.TrimSpace(words + " " + value); instead != "" {
		return cmd.CommandPath() + " " + instead
	}
	return ""
}

// formatOf is the value of -o that was meant by a flag, --json or --format json; "" if none. A format is
// no command's own flag.
func formatOf(cmd *cobra.Command, args []string, flag string) string {
	name := strings.TrimLeft(flag, "-")
	if cmd.Flag("output") == nil || len(name) < 2 {
		return ""
	}
	formats := Formats(cmd, nil)
	if name == "format" || name == "output-format" {
		name = valueIn(args, flag)
		if !slices.Contains(formats, name) {
			name = "json"
		}
	}
	if slices.Contains(formats, name) {
		return name
	}
	return ""
}

// valueIn is the value that a flag is given on a command line; "" if none.
func valueIn(args []string, flag string) string {
	for i, arg := range args {
		if value, found := strings.CutPrefix(arg, flag+"="); found {
			return value
		}
		if arg == flag && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			return args[i+1]
		}
	}
	return ""
}
