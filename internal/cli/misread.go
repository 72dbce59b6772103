package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/reaperd/reaperd/internal/advice"
)

// RefuseStrayWords makes an unknown subcommand an error. cobra would show the help
// and report success, so that a script with "policy chekc" would go on.
func RefuseStrayWords(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch {
		case cmd.Name() == "help":
			cmd.Args = func(_ *cobra.Command, args []string) error { return noSuchHelp(root, args) }
		case cmd.HasSubCommands() && !cmd.Runnable():
			cmd.Args = cobra.NoArgs
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			cmd.DisableFlagsInUseLine = true
		}
	}
}

// noSuchHelp is the error of words behind "help" that name no command and no topic; nil if they
// name one. cobra explains the last command that it knows and passes over the rest.
func noSuchHelp(root *cobra.Command, args []string) error {
	topic, rest, err := root.Find(args)
	switch {
	case err != nil || topic == root && len(args) > 0:
		return advice.Misused(helpOn(root, args[0]), "help %q: no such command or topic", args[0])
	case len(rest) == 0:
		return nil
	case topic.HasSubCommands():
		return advice.Misused(helpOn(topic, rest[0]), "help %s: it has no command %q", called(topic), rest[0])
	}
	return advice.Misused("reaperd help "+called(topic), "help %s: it has no commands, got %q", called(topic), rest[0])
}

// helpOn is the help on what was probably meant by a wrong word below a command.
func helpOn(parent *cobra.Command, word string) string {
	path := strings.Fields(parent.CommandPath())
	path[0] = "reaperd help"
	return strings.Join(append(path, meant(parent, word)...), " ")
}

// Misread words cobra's error about a command line: what was wrong, and where to look.
func Misread(cmd *cobra.Command, err error) error {
	hint := cmd.CommandPath() + " --help"
	var value *pflag.InvalidValueError
	var bare *pflag.ValueRequiredError
	var missing *pflag.NotExistError
	switch {
	case errors.As(err, &value):
		return advice.Misused(hint, "--%s %q: want %s", value.GetFlag().Name, value.GetValue(), wanted(value))
	case errors.As(err, &bare):
		return advice.Misused(hint, "%s: want a value, got nothing", typed(bare))
	case errors.As(err, &missing):
		return unknownFlag(cmd, missing)
	}
	return strayWord(cmd, err)
}

// unknownFlag is the error of a flag that the command does not have.
func unknownFlag(cmd *cobra.Command, missing *pflag.NotExistError) error {
	hint := cmd.CommandPath() + " --help"
	if below := belowZero(missing); below != "" {
		return advice.Misused(hint, "%s: %s is below 0", cmd.CommandPath(), below)
	}
	switch name := missing.GetSpecifiedName(); {
	case cmd.Flag("output") != nil && slices.Contains(Formats(cmd, nil), name):
		hint = cmd.CommandPath() + " -o " + name
	case missing.GetSpecifiedShortnames() == "" && alikeFlag(cmd.Flags(), name) != "":
		hint = cmd.CommandPath() + " --" + alikeFlag(cmd.Flags(), name)
	}
	return advice.Misused(hint, "%s has no flag %s", cmd.CommandPath(), typed(missing))
}

// typed is a flag as it was typed.
func typed(flag interface {
	GetSpecifiedName() string
	GetSpecifiedShortnames() string
}) string {
	if flag.GetSpecifiedShortnames() != "" {
		return "-" + flag.GetSpecifiedName()
	}
	return "--" + flag.GetSpecifiedName()
}

// belowZero is the argument that pflag took for a flag, though it is a negative number;
// "" if it is none.
func belowZero(missing *pflag.NotExistError) string {
	text := missing.GetSpecifiedShortnames()
	if text == "" || text[0] < '0' || text[0] > '9' {
		return ""
	}
	return "-" + text
}

// strayWord is the error of a word that is no command, or that the command does not take.
func strayWord(cmd *cobra.Command, err error) error {
	hint := cmd.CommandPath() + " --help"
	var word, path string
	if n, _ := fmt.Sscanf(err.Error(), "unknown command %q for %q", &word, &path); n != 2 {
		return advice.Misused(hint, "%w", err)
	}
	if !cmd.HasSubCommands() {
		return advice.Misused(hint, "%s takes no %q", path, word)
	}
	if names := meant(cmd, word); len(names) > 0 {
		hint = path + " " + strings.Join(names, ", or "+path+" ")
	}
	return advice.Misused(hint, "%s has no command %q", path, word)
}

// wanted is the kind of value that the flag accepts.
func wanted(value *pflag.InvalidValueError) string {
	switch value.GetFlag().Value.Type() {
	case "bool":
		return "true or false"
	case "int":
		return "a whole number"
	case "uint16":
		return "a whole number from 0 to 65535"
	case "duration":
		return "a time with its unit, such as 30s or 2m"
	}
	return fmt.Sprintf("another value: %v", errors.Unwrap(value))
}
