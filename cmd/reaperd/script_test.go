package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/reaperd/reaperd/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"reaperd": func() {
			os.Exit(run(context.Background(), os.Args[1:], cli.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
		},
		"asker": asker,
	})
}

// TestScripts runs the scripts in testdata/script: the specification of the
// command line. Whole streams are compared.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			env.Setenv("REAPERD_STATE_DIR", filepath.Join(env.WorkDir, "state"))
			env.Setenv("DOCKER_HOST", "unix://"+filepath.Join(env.WorkDir, "no-engine.sock"))
			env.Setenv("TZ", "UTC")
			env.Setenv("COLUMNS", "100")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"recording": recordingCommand,
			"field":     fieldCommand,
			"valid":     validCommand,
		},
	})
}

// recordingCommand writes the snapshots of a recording as files NAME-1.json,
// NAME-2.json, … : recording NAME. The first also as NAME-again.json, 20 s later.
func recordingCommand(ts *testscript.TestScript, _ bool, args []string) {
	recorded, err := os.ReadFile(filepath.Join(corpus, args[0]+".json"))
	ts.Check(err)
	var file struct {
		Snapshots []map[string]any `json:"snapshots"`
	}
	ts.Check(json.Unmarshal(recorded, &file))
	save := func(name string, snapshot map[string]any) {
		data, err := json.Marshal(snapshot)
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(name), data, 0o600))
	}
	for i, snapshot := range file.Snapshots {
		save(args[0]+"-"+string(rune('1'+i))+".json", snapshot)
	}
	again := file.Snapshots[0]
	at, err := time.Parse(time.RFC3339, again["taken_at"].(string))
	ts.Check(err)
	again["taken_at"] = at.Add(20 * time.Second).Format(time.RFC3339Nano)
	save(args[0]+"-again.json", again)
}

// corpus is where the recorded worlds are, seen from this package.
var corpus = func() string {
	dir, err := filepath.Abs(filepath.Join("..", "..", "internal", "sweep", "testdata", "corpus"))
	if err != nil {
		panic(err)
	}
	return dir
}()

// fieldCommand compares a field of the JSON on stdout: field PATH WANT. A path
// goes through objects by key and through lists by number; "len" is a list's length.
func fieldCommand(ts *testscript.TestScript, neg bool, args []string) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile("stdout"))))
	decoder.UseNumber()
	ts.Check(decoder.Decode(&value))
	for _, key := range strings.Split(args[0], ".") {
		switch at := value.(type) {
		case map[string]any:
			value = at[key]
		case []any:
			if key == "len" {
				value = len(at)
				continue
			}
			var i int
			ts.Check(json.Unmarshal([]byte(key), &i))
			if i >= len(at) {
				ts.Fatalf("%s: the list has %d items", args[0], len(at))
			}
			value = at[i]
		default:
			value = nil
		}
	}
	got, err := json.Marshal(value)
	ts.Check(err)
	text := strings.Trim(string(got), `"`)
	if (text == args[1]) == neg {
		ts.Fatalf("%s is %s, want %s", args[0], text, args[1])
	}
}

// validCommand checks JSON against one of reaperd's schemas: valid NAME [FILE]. Without a
// file it checks stdout.
func validCommand(ts *testscript.TestScript, neg bool, args []string) {
	file := "stdout"
	if len(args) > 1 {
		file = args[1]
	}
	resolved, err := schemaOf(args[0])
	ts.Check(err)
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &value))
	switch err := resolved.Validate(value); {
	case err != nil && !neg:
		ts.Fatalf("%s is not what the schema %s says: %v", file, args[0], err)
	case err == nil && neg:
		ts.Fatalf("the schema %s takes %s", args[0], file)
	}
}

// schemaOf is one of reaperd's schemas.
func schemaOf(name string) (*jsonschema.Resolved, error) {
	text, err := schemaNamed(name)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	return s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
}
