package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/schema"
)

func newSchema(s *shared) *cobra.Command {
	formats := append(schema.Names(), schema.PolicyFile)
	return &cobra.Command{
		Use:   "schema NAME",
		Short: "Print the JSON Schema of a command's output or of policies.yaml",
		Long: `Prints the JSON Schema (draft 2020-12) of a format that reaperd reads or writes:
` + strings.Join(schema.Names(), ", ") + `. "scan" is that of
sweep too. Within a version keys are only added. The JSON of version, policy check and
policy show has no schema, and may change.

For an editor that completes and checks policies.yaml:

  reaperd schema policy > ~/.config/reaperd/policies.schema.json

and as the first line of policies.yaml:

  # yaml-language-server: $schema=policies.schema.json`,
		ValidArgs: formats,
		Args:      cli.OneOf("a format", formats),
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
