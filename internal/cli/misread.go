package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/reaperd/reaperd/internal/human"
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
	if err != nil || topic == root {
		rest = args
	}
	if len(rest) == 0 {
		return nil
	}
	hint := append(strings.Fields(topic.CommandPath())[1:], meant(topic, rest[0])...)
	return human.Misused(strings.Join(append([]string{"reaperd help"}, hint...), " "), "help %q: no such command or topic", strings.Join(args, " "))
}

// Misread words cobra's error about a command line: what was wrong, and where to look.
func Misread(cmd *cobra.Command, err error) error {
	hint := cmd.CommandPath() + " --help"
	var value *pflag.InvalidValueError
	var bare *pflag.ValueRequiredError
	var missing *pflag.NotExistError
	switch {
	case errors.As(err, &value):
		return human.Misused(hint, "--%s %s", value.GetFlag().Name, refused(value))
	case errors.As(err, &bare):
		return human.Misused(hint, "%s: want a value, got nothing", typed(bare))
	case errors.As(err, &missing):
		return unknownFlag(cmd, missing)
	}
	return strayWord(cmd, err)
}

// unknownFlag is the error of a flag that the command does not have.
func unknownFlag(cmd *cobra.Command, missing *pflag.NotExistError) error {
	hint := cmd.CommandPath() + " --help"
	switch name := missing.GetSpecifiedName(); {
	case cmd.Flag("output") != nil && slices.Contains([]string{"json", "yaml", "wide"}, name):
		hint = cmd.CommandPath() + " -o " + name
	case missing.GetSpecifiedShortnames() == "" && alikeFlag(cmd.Flags(), name) != "":
		hint = cmd.CommandPath() + " --" + alikeFlag(cmd.Flags(), name)
	}
	return human.Misused(hint, "%s has no flag %s", cmd.CommandPath(), typed(missing))
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

// strayWord is the error of a word that is no command, or that the command does not take.
func strayWord(cmd *cobra.Command, err error) error {
	hint := cmd.CommandPath() + " --help"
	var word, path string
	if n, _ := fmt.Sscanf(err.Error(), "unknown command %q for %q", &word, &path); n != 2 {
		return human.Misused(hint, "%w", err)
	}
	if !cmd.HasSubCommands() {
		return human.Misused(hint, "%s takes no %q", path, word)
	}
	if names := meant(cmd, word); len(names) > 0 {
		hint = path + " " + strings.Join(names, ", or "+path+" ")
	}
	return human.Misused(hint, "%s has no command %q", path, word)
}

// refused is a value that a flag does not take, and what it takes. The errors of our own values say both.
func refused(value *pflag.InvalidValueError) string {
	wanted := map[string]string{
		"bool": "true or false", "int": "a whole number", "uint16": "a whole number from 0 to 65535",
		"duration": "a time with its unit, such as 30s or 2m",
	}[value.GetFlag().Value.Type()]
	if wanted == "" {
		return errors.Unwrap(value).Error()
	}
	return fmt.Sprintf("%q: want %s", value.GetValue(), wanted)
}
