// Command generate writes the JSON Schemas of package schema into the working directory.
// It derives them from the code that reads and writes the documents:
//
//	go generate ./internal/schema
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/google/jsonschema-go/jsonschema"
)

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// dialect is the version of JSON Schema.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// makers make the schemas, by the name that `reaperd schema` accepts.
func makers() map[string]func() (*jsonschema.Schema, error) {
	return map[string]func() (*jsonschema.Schema, error){
		"discover":     discovered,
		"doctor":       symptoms,
		"explain":      told("explain", "reaperd explain", "What `reaperd explain -o json` writes: of a target or a session, of a process that is neither, or of what is not here."),
		"history":      told("history", "reaperd history", "What `reaperd history -o json` writes."),
		"history-line": told("history-line", "reaperd history --follow", "A line of `reaperd history -f -o json`: the intention or the outcome of an act."),
		"pins":         told("pins", "reaperd pins", "What `reaperd pins -o json` writes."),
		"policy":       func() (*jsonschema.Schema, error) { return policyFile(), nil },
		"scan":         told("scan", "reaperd scan", "What `reaperd scan -o json` and `reaperd sweep -o json` write."),
		"snapshot":     snapshot,
		"status":       ofStatus,
	}
}

func write(folder string) error {
	for name, make := range makers() {
		text, err := textOf(make)
		if err != nil {
			return fmt.Errorf("schema %s: %w", name, err)
		}
		if err := os.WriteFile(folder+"/"+name+".json", text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// textOf returns a schema as printed: indented, with a line end.
func textOf(make func() (*jsonschema.Schema, error)) ([]byte, error) {
	schema, err := make()
	if err != nil {
		return nil, err
	}
	schema.Schema = dialect
	compact, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
