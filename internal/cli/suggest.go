package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/reaperd/reaperd/internal/human"
)

// Suggest makes commands known under the words of other tools, given by command: "policy check".
// Several may be known under one.
func Suggest(root *cobra.Command, words map[string][]string) {
	for _, cmd := range EveryCommand(root) {
		cmd.SuggestFor = append(cmd.SuggestFor, words[called(cmd)]...)
	}
}

// meant are the commands, or the topic of the help, that were probably meant by a wrong word.
// Words of other tools come before similar spelling: "rm" is not meant as "run".
func meant(parent *cobra.Command, word string) (names []string) {
	var known []string
	for _, cmd := range parent.Commands() {
		if slices.Contains(cmd.SuggestFor, word) {
			names = append(names, cmd.Name())
		}
		if cmd.IsAvailableCommand() || cmd.IsAdditionalHelpTopicCommand() {
			known = append(known, cmd.Name())
		}
	}
	if like := alike(known, word); len(names) == 0 && like != "" {
		names = []string{like}
	}
	return names
}

// alikeFlag is the flag that was probably meant by a wrong one; "" if none.
func alikeFlag(flags *pflag.FlagSet, word string) string {
	var known []string
	flags.VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			known = append(known, flag.Name)
		}
	})
	return alike(known, word)
}

// alike is the known word that another begins, or that differs from it by a slip; "" if none.
func alike(known []string, word string) string {
	for _, name := range known {
		if len(word) > 1 && strings.HasPrefix(name, word) {
			return name
		}
	}
	return human.Nearest(word, known)
}
