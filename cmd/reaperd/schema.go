package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/schema"
)

func newSchema(s *shared) *cobra.Command {
	return &cobra.Command{
		Use:   "schema NAME",
		Short: "Print the JSON Schema of a format: " + strings.Join(schema.Names(), ", "),
		Long: `Prints the JSON Schema (draft 2020-12) of a format that reaperd reads or writes.

For an editor that completes and checks policies.yaml:

  reaperd schema policy > ~/.config/reaperd/policies.schema.json

and as the first line of policies.yaml:

  # yaml-language-server: $schema=policies.schema.json`,
		ValidArgs: schema.Names(),
		Args:      oneOf("a format", schema.Names()),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := schema.Of(args[0])
			if err != nil {
				return err
			}
			_, err = s.Out.Write(text)
			return err
		},
	}
}

// oneOf wants one argument, one of these words.
func oneOf(what string, words []string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && slices.Contains(words, args[0]) {
			return nil
		}
		said := fmt.Sprintf("%s: want %s", cmd.Name(), what)
		if len(args) > 0 {
			said = fmt.Sprintf("%s: no format %q", cmd.Name(), args[0])
		}
		return advice.Misused("", "%s: one of %s", said, strings.Join(words, ", "))
	}
}
