package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Suggest makes commands known under other words, given by command: "policy check". Several
// may be known under one.
func Suggest(root *cobra.Command, words map[string][]string) {
	for _, cmd := range EveryCommand(root) {
		cmd.SuggestFor = append(cmd.SuggestFor, words[called(cmd)]...)
	}
}

// knownAs are the commands below a parent that are known under another word.
func knownAs(parent *cobra.Command, word string) (paths []string) {
	for _, cmd := range parent.Commands() {
		if slices.Contains(cmd.SuggestFor, word) {
			paths = append(paths, cmd.CommandPath())
		}
	}
	return paths
}

// Instead is what to type in place of a flag of another tool: words, and the value that the
// flag was given, or else this one.
type Instead struct{ Words, Value string }

// SuggestFlags makes flags known as other tools write them ("--force", "-f"), given by command.
func SuggestFlags(root *cobra.Command, flags map[string]map[string]Instead) {
	for _, cmd := range EveryCommand(root) {
		for flag, instead := range flags[called(cmd)] {
			if cmd.Annotations == nil {
				cmd.Annotations = map[string]string{}
			}
			cmd.Annotations[wordsFor+flag], cmd.Annotations[valueFor+flag] = instead.Words, instead.Value
		}
	}
}

// The annotations of a command, before the flag of another tool.
const (
	wordsFor = "reaperd_words_for_"
	valueFor = "reaperd_value_for_"
)

// inPlaceOf is what to type in place of a flag that the command does not have; "" if that is
// not known. A format is none's own flag: it is a value of -o.
func inPlaceOf(cmd *cobra.Command, args []string, flag string) string {
	format := strings.TrimLeft(flag, "-")
	if output := cmd.Flag("output"); output != nil && len(format) > 1 && slices.Contains(Formats(cmd, nil), format) {
		return "-o " + format
	}
	words, known := cmd.Annotations[wordsFor+flag]
	value := cmd.Annotations[valueFor+flag]
	if known && value != "" {
		if given := valueIn(args, flag); given != "" {
			value = given
		}
	}
	return strings.TrimSpace(words + " " + value)
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
