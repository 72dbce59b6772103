package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/human"
)

// strayWord is the error of a word that is no command, or that the command does not take. args is the
// command line.
func strayWord(cmd *cobra.Command, args []string, err error) error {
	hint := cmd.CommandPath() + " --help"
	var word, path string
	if n, _ := fmt.Sscanf(err.Error(), "unknown command %q for %q", &word, &path); n != 2 {
		return advice.Misused(hint, "%w", err)
	}
	if !cmd.HasSubCommands() {
		return advice.Misused(hint, "%s takes no %q", path, word)
	}
	if lines := inPlaceOfWord(cmd, word, args); len(lines) > 0 {
		hint = strings.Join(lines, ", or ")
	}
	return advice.Misused(hint, "%s has no command %q", path, word)
}

// inPlaceOfWord are the command lines that were probably meant by one with a wrong word.
func inPlaceOfWord(parent *cobra.Command, word string, args []string) (lines []string) {
	like := meant(parent, word)
	for _, cmd := range parent.Commands() {
		if slices.Contains(cmd.SuggestFor, word) || like != "" && cmd.Name() == like {
			line := append(strings.Fields(cmd.CommandPath()), strings.Fields(cmd.Annotations[flagsFor+word])...)
			behind := args[slices.Index(args, word)+1:]
			if words := operands(cmd, behind); cmd.ValidateArgs(words) == nil {
				line = append(line, words...)
			}
			lines = append(lines, human.Shell(line...))
		}
	}
	return lines
}

// operands are the words of a command line that are neither flags nor their values. Flags are left
// out: those of another command are none of this one's.
func operands(cmd *cobra.Command, args []string) (words []string) {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case len(arg) < 2 || arg[0] != '-':
			words = append(words, arg)
		case takesNext(cmd, arg):
			i++
		}
	}
	return words
}

// takesNext reports a flag of the command whose value is the next word.
func takesNext(cmd *cobra.Command, arg string) bool {
	flag := cmd.Flag(strings.TrimLeft(arg, "-"))
	if len(arg) == 2 {
		flag = cmd.Flags().ShorthandLookup(arg[1:])
	}
	return flag != nil && flag.NoOptDefVal == ""
}

// shortWord is the length from which a word with another first letter is taken for a
// slip.
const shortWord = 4

// meant is the command that was probably meant by a wrong word; "" if none. Words of
// other tools come before similar spelling: "rm" is not meant as "run".
func meant(parent *cobra.Command, word string) string {
	for _, cmd := range parent.Commands() {
		if slices.Contains(cmd.SuggestFor, word) {
			return cmd.Name()
		}
	}
	alike := parent.SuggestionsFor(word)
	for _, name := range alike {
		if strings.HasPrefix(name, word) { // the rest was not typed
			return name
		}
	}
	var first []string // few slip at the first letter
	for _, name := range alike {
		if strings.HasPrefix(name, word[:min(1, len(word))]) {
			first = append(first, name)
		}
	}
	switch {
	case len(word) >= shortWord:
		return cmp.Or(human.Nearest(word, first), human.Nearest(word, alike))
	case len(first) > 0:
		return first[0]
	}
	return "" // every short word is near to another
}

// topicLike is the topic of the help that was probably meant by a word: one that it begins, or one that
// differs by a slip; "" if none. For the library a topic is no command.
func topicLike(root *cobra.Command, word string) string {
	var topics []string
	for _, cmd := range root.Commands() {
		if cmd.IsAdditionalHelpTopicCommand() {
			topics = append(topics, cmd.Name())
		}
	}
	begun := func(topic string) bool { return len(word) > 1 && strings.HasPrefix(topic, word) }
	if at := slices.IndexFunc(topics, begun); at >= 0 {
		return topics[at]
	}
	return human.Nearest(word, topics)
}
