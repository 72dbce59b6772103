package main

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/cli"
)

func newSchema(s *shared) *cobra.Command {
	formats := append(schemaNames(), policyFileSchema)
	return &cobra.Command{
		Use:   "schema NAME",
		Short: "Print the JSON Schema of a command's output or of policies.yaml",
		Long: `Prints the JSON Schema (draft 2020-12) of a format that reaperd reads or writes:
` + strings.Join(schemaNames(), ", ") + `. "scan" is that of
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
			text, err := schemaNamed(args[0])
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

// The JSON Schemas (draft 2020-12) of what reaperd reads and writes. A test makes them from the
// types that the commands encode and from the keys by which a policy file is read. Within one
// version of a format keys are only added.
//
//go:embed schema/*.json
var schemas embed.FS

const schemaEnding = ".json"

// policyFileSchema is another name of the schema of policy files.
const policyFileSchema = "policies.yaml"

// schemaNames are the names of all schemas, sorted.
func schemaNames() (names []string) {
	found, _ := fs.Glob(schemas, "schema/*"+schemaEnding) // the pattern is valid, and nothing else can fail
	for _, name := range found {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(name, "schema/"), schemaEnding))
	}
	slices.Sort(names)
	return names
}

// schemaNamed is the schema of that name.
func schemaNamed(name string) ([]byte, error) {
	if name == policyFileSchema {
		name = "policy"
	}
	text, err := schemas.ReadFile("schema/" + name + schemaEnding)
	if err != nil {
		return nil, fmt.Errorf("no schema %q: one of %s", name, strings.Join(schemaNames(), ", "))
	}
	return text, nil
}
