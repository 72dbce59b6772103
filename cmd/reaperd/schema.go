package main

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func newSchema(s *shared) *cobra.Command {
	return &cobra.Command{
		Use:   "schema NAME",
		Short: "Print the JSON Schema of a command's output or of policies.yaml",
		Long: `Prints the JSON Schema (draft 2020-12) of a format that reaperd reads or writes:
` + strings.Join(schemaNames(), ", ") + `. That of sweep
is scan's, and that of policies.yaml "policy". Within a version keys are only added.
The JSON of version, policy check and policy show has no schema, and may change.

For an editor that completes and checks policies.yaml:

  mkdir -p ~/.config/reaperd
  reaperd schema policy > ~/.config/reaperd/policies.schema.json

and as the first line of policies.yaml:

  # yaml-language-server: $schema=policies.schema.json`,
		ValidArgs: append(schemaNames(), "sweep", "policies.yaml"),
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
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

// The JSON Schemas (draft 2020-12) of what reaperd reads and writes. A test makes them from the
// types that the commands encode and from the keys by which a policy file is read. Within one
// version of a format keys are only added.
//
//go:embed schema/*.json
var schemas embed.FS

const schemaEnding = ".json"

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
	other := map[string]string{"sweep": "scan", "policies.yaml": "policy"}
	text, err := schemas.ReadFile("schema/" + cmp.Or(other[name], name) + schemaEnding)
	if err != nil {
		return nil, fmt.Errorf("no schema %q: one of %s", name, strings.Join(schemaNames(), ", "))
	}
	return text, nil
}
