package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/doctor"
	"github.com/reaperd/reaperd/internal/policy"
)

var update = flag.Bool("update", false, "write the JSON Schemas")

func resolved(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	r, err := schemaOf(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fromYAML is a policy file as an editor sees it: as JSON values.
func fromYAML(t *testing.T, text []byte) (any, bool) {
	t.Helper()
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		return nil, false
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, false
	}
	var plain any
	err = json.Unmarshal(text, &plain)
	return plain, err == nil
}

// TestTheSchemasAreWhatTheCodeSays fails after a change of a format; with -update it writes the schemas.
func TestTheSchemasAreWhatTheCodeSays(t *testing.T) {
	for name, make := range makers() {
		want, err := textOf(make)
		if err == nil && *update {
			err = os.WriteFile("schema/"+name+schemaEnding, want, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := schemaNamed(name); (err != nil || !bytes.Equal(got, want)) && !*update {
			t.Errorf("%s is out of date (%v): go test ./cmd/reaperd -run Schemas -update", name, err)
		}
	}
	if names, known := schemaNames(), slices.Sorted(maps.Keys(makers())); !slices.Equal(names, known) {
		t.Errorf("schemas %v are embedded, %v are made", names, known)
	}
}

func TestEverySchemaIsOne(t *testing.T) {
	for _, name := range schemaNames() {
		resolved(t, name)
	}
	if _, err := schemaNamed("polcy"); err == nil || !strings.Contains(err.Error(), "policy") {
		t.Errorf("an unknown name says %v, which names no schema", err)
	}
}

// TestThePolicySchemaAcceptsWhatIsRead goes through every policy in the tree.
func TestThePolicySchemaAcceptsWhatIsRead(t *testing.T) {
	builtin := policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()}
	files := [][]byte{builtin.Data}
	for _, text := range []string{
		"version: 1\nextends: builtin\nrules:\n- name: orphaned-servers\n  match: {listening: null}\n",
		"version: 1\nrules:\n- {name: a, for: 0, grace: 1d12h, match: {user: 1000, memory_over: 1073741824, cpu_over: 12.5}}\n",
		"version: 1\nschedule: 'CRON_TZ=Europe/Paris 0 3 * * 1-5'\nlimits: {max_actions: 3}\n",
		"version: 1\nprotect:\n- {name: ours, match: {label: {com.example.keep: '*'}, state: [exited, 'dead*']}, reason: jobs}\n",
		"version: 1\nservers:\n- {name: dialpad, match: {argv: ['/usr/local/bin/dialpad']}}\nrules:\n",
	} {
		files = append(files, []byte(text))
	}
	validator := resolved(t, "policy")
	for _, text := range files {
		if _, err := policy.Load(policy.File{Name: "test", Data: text}, builtin); err != nil {
			t.Fatalf("the reader refuses %s: %v", text, err)
		}
		value, ok := fromYAML(t, text)
		if err := validator.Validate(value); !ok || err != nil {
			t.Errorf("the schema refuses what the reader takes: %v\n%s", err, text)
		}
	}
}

// TestThePolicySchemaTakesAListWhereverTheReaderDoes goes through the keys of a rule's match and a protect's.
func TestThePolicySchemaTakesAListWhereverTheReaderDoes(t *testing.T) {
	builtin := policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()}
	validator, lists := resolved(t, "policy"), 0
	for _, top := range policy.Keys() {
		for _, key := range top.Keys {
			if key.Shape != "match" {
				continue
			}
			for _, of := range key.Keys {
				if !of.Several {
					continue
				}
				word, entry := "a*", "name: one"
				if of.Type == policy.TypeWord {
					word = of.Words[0]
				}
				if key.Name == "exclude" { // a rule says what it is about first
					entry += ", match: {server: b}"
				}
				text := fmt.Appendf(nil, "version: 1\n%s: [{%s, %s: {%s: [%s, %[5]s]}}]\n", top.Name, entry, key.Name, of.Name, word)
				if _, err := policy.Load(policy.File{Name: "test", Data: text}, builtin); err != nil && !strings.Contains(err.Error(), "only a container has") {
					t.Errorf("the reader refuses %s: %v", text, err)
				}
				value, ok := fromYAML(t, text)
				if err := validator.Validate(value); !ok || err != nil {
					t.Errorf("the schema refuses %s: %v", text, err)
				}
				lists++
			}
		}
	}
	if lists < 20 {
		t.Errorf("only %d lists were tried", lists)
	}
}

// TestThePolicySchemaRefuses what the reader refuses, as far as one key shows it.
func TestThePolicySchemaRefuses(t *testing.T) {
	builtin := policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()}
	validator := resolved(t, "policy")
	for what, text := range map[string]string{
		"a file without its version":      "mode: report\n",
		"another version":                 "version: 2\n",
		"an unknown key":                  "version: 1\nrule: []\n",
		"an unknown key of a match":       "version: 1\nrules: [{name: a, match: {servr: x}}]\n",
		"a rule without a name":           "version: 1\nrules: [{match: {server: x}}]\n",
		"an unknown finding":              "version: 1\nrules: [{name: a, match: {finding: orphand}}]\n",
		"one unknown finding of two":      "version: 1\nrules: [{name: a, match: {finding: [orphaned, dead]}}]\n",
		"an unknown action":               "version: 1\nrules: [{name: a, action: kill, match: {server: x}}]\n",
		"a duration that is none":         "version: 1\nrules: [{name: a, for: soon, match: {server: x}}]\n",
		"a duration without its unit":     "version: 1\nrules: [{name: a, for: 30, match: {server: x}}]\n",
		"a size that is none":             "version: 1\nrules: [{name: a, match: {memory_over: much}}]\n",
		"a count of nothing":              "version: 1\nlimits: {max_actions: 0}\n",
		"a truth that is a text":          "version: 1\ndiscover: 'yes'\n",
		"an empty list of globs":          "version: 1\nrules: [{name: a, match: {server: []}}]\n",
		"rules that are no list":          "version: 1\nrules: {name: a}\n",
		"a schedule with too few fields":  "version: 1\nschedule: '* * *'\n",
		"a label without a value to have": "version: 1\nrules: [{name: a, match: {label: {x: [1]}}}]\n",
	} {
		if _, err := policy.Load(policy.File{Name: "test", Data: []byte(text)}, builtin); err == nil {
			t.Errorf("%s: the reader takes it", what)
		}
		if value, ok := fromYAML(t, []byte(text)); !ok || validator.Validate(value) == nil {
			t.Errorf("%s: the schema takes it", what)
		}
	}
}

// TestWordsAreComplete reads the constants of the types that are one of a few
// words, and looks for each in the schemas.
func TestWordsAreComplete(t *testing.T) {
	var all bytes.Buffer
	for _, name := range schemaNames() {
		text, err := schemaNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	types := map[string][]string{
		"../../internal/graph":     {"Kind", "Finding", "Liveness", "OwnerKind", "Check", "Says", "Guard"},
		"../../internal/inventory": {"Status", "Kind", "Peer"},
		"../../internal/policy":    {"Mode", "Action"},
	}
	for folder, names := range types {
		for _, name := range names {
			constants := wordsOf(t, folder, name)
			if len(constants) < 2 {
				t.Errorf("%s.%s has %d words", folder, name, len(constants))
			}
			for _, word := range constants {
				if word != "" && !bytes.Contains(all.Bytes(), []byte(strconv.Quote(word))) {
					t.Errorf("%s.%s: no schema has %q", folder, name, word)
				}
			}
		}
	}
}

// wordsOf are the values of the constants of one type.
func wordsOf(t *testing.T, folder, kind string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			if typed, ok := spec.Type.(*ast.Ident); ok && typed.Name == kind {
				if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
					word, _ := strconv.Unquote(literal.Value)
					words = append(words, word)
				}
			}
			return true
		})
	}
	return words
}

// TestWhatIsWrittenElsewhereIsValid takes documents that no replay writes.
func TestWhatIsWrittenElsewhereIsValid(t *testing.T) {
	symptoms, err := doctor.JSON([]doctor.Symptom{{Check: "docker", State: "note", Text: "no engine", Remedy: "set DOCKER_HOST"}, {Check: "user", State: "ok", Text: "root"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, documents := range map[string]map[bool]string{
		"doctor": {true: string(symptoms), false: `{"version":1}`},
		"pins": {
			true:  `{"version":1,"pins":[{"id":"7:70","members":["7:70"],"boot_id":"b","name":"git","by_uid":0,"at":"2026-11-22T08:22:34Z","running":true}]}`,
			false: `{"version":1,"pins":[{"id":7}]}`,
		},
		"status": {
			true:  `{"version":1,"running":false,"paused":true,"paused_until":"2026-11-22T08:22:34Z"}`,
			false: `{"version":1,"running":true}`, // of one that runs more is said
		},
	} {
		for want, text := range documents {
			var value any
			if err := json.Unmarshal([]byte(text), &value); err != nil {
				t.Fatal(err)
			}
			if err := resolved(t, name).Validate(value); (err == nil) != want {
				t.Errorf("%s: %s: %v", name, text, err)
			}
		}
	}
}

// dialect is the version of JSON Schema.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// makers make the schemas, by the name that `reaperd schema` accepts.
func makers() map[string]func() (*jsonschema.Schema, error) {
	return map[string]func() (*jsonschema.Schema, error){
		"discover":     discovered,
		"doctor":       symptoms,
		"explain":      schemaTold("explain", "reaperd explain", "What `reaperd explain -o json` writes: of a target or a session, of a process that is neither, or of what is not here."),
		"history":      schemaTold("history", "reaperd history", "What `reaperd history -o json` writes."),
		"history-line": schemaTold("history-line", "reaperd history --follow", "A line of `reaperd history -f -o json`: the intention or the outcome of an act."),
		"pins":         schemaTold("pins", "reaperd pins", "What `reaperd pins -o json` writes."),
		"policy":       func() (*jsonschema.Schema, error) { return policyFile(), nil },
		"scan":         schemaTold("scan", "reaperd scan", "What `reaperd scan -o json` and `reaperd sweep -o json` write."),
		"snapshot":     snapshot,
		"status":       ofStatus,
	}
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
