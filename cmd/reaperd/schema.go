package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
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
sweep too, and policies.yaml another name of "policy". Within a version keys are only added.
The JSON of version, policy check and policy show has no schema, and may change.

For an editor that completes and checks policies.yaml:

  mkdir -p ~/.config/reaperd
  reaperd schema policy > ~/.config/reaperd/policies.schema.json

and as the first line of policies.yaml:

  # yaml-language-server: $schema=policies.schema.json`,
		ValidArgs: formats,
		Args:      aFormat(formats),
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

// unsettled are the commands whose JSON has no schema.
func unsettled() []string { return []string{"version", "policy check", "policy show"} }

// aFormat accepts one of the formats. The JSON of sweep has no schema of its own.
func aFormat(formats []string) cobra.PositionalArgs {
	one := cli.OneOf("a format", formats)
	return func(cmd *cobra.Command, args []string) error {
		if slices.Equal(args, []string{"sweep"}) {
			return advice.Misused(cmd.CommandPath()+" scan", `schema: no "sweep": its JSON is that of scan`)
		}
		if asked := strings.Join(args, " "); slices.Contains(unsettled(), asked) {
			return advice.Misused("reaperd "+asked+" -o json   shows it", `schema: none of %q, whose JSON may change: one of %s`, asked, strings.Join(formats, ", "))
		}
		return one(cmd, args)
	}
}
