package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/sweep"
)

// recorded is a recording judged as it was, with its plan.
func recorded(t *testing.T, name string) (sweep.View, *policy.Policy, policy.Plan) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Snapshots []json.RawMessage }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	var snapshots []*inventory.Snapshot
	for _, text := range file.Snapshots {
		snapshot, err := inventory.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		snapshots = append(snapshots, snapshot)
	}
	p, err := policy.Load(policyfile.Builtin(), policyfile.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	sweeper := &sweep.Sweeper{Catalogue: host.Catalogue(p), Policy: p, OneShot: true}
	view, err := sweeper.Replay(snapshots)
	if err != nil {
		t.Fatal(err)
	}
	return view, p, sweeper.Plan(view.Verdicts, view.Graph)
}

func TestNobodyIsAskedAboutWhatWasNotShown(t *testing.T) {
	ownState(t)
	view, p, plan := recorded(t, "dockblind-kill9")
	for _, row := range []struct {
		name, output, says string
		yes                bool
		done               bool
		out, err           []string // what stands there, in this order; none is nothing at all
	}{
		{"a table is the plan", "table", "n\n", false, true, []string{"About to stop 2 servers, remove 2 containers"}, []string{"Stop these 4? [y/N]", "Nothing stopped."}},
		{"JSON has the plan beside it", "json", "n\n", false, true, nil, []string{"About to stop 2 servers, remove 2 containers", "Stop these 4? [y/N]", "Nothing stopped."}},
		{"YAML has it too", "yaml", "y\n", false, false, nil, []string{"About to stop 2 servers, remove 2 containers", "Stop these 4? [y/N]"}},
		{"who is not asked sees JSON alone", "json", "", true, false, nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out, err bytes.Buffer
			c := &sweeping{yes: row.yes, looking: looking{output: row.output,
				shared: &shared{terminal: terminal{in: strings.NewReader(row.says), out: &out, err: &err}}}}
			if done, fault := c.confirm(t.Context(), view, p, plan); done != row.done || fault != nil {
				t.Errorf("ends %v, %v", done, fault)
			}
			wantInOrder(t, "stdout", out.String(), row.out)
			wantInOrder(t, "stderr", err.String(), row.err)
		})
	}
}

func wantInOrder(t *testing.T, stream, text string, want []string) {
	t.Helper()
	if len(want) == 0 && text != "" {
		t.Errorf("%s: %q, want nothing", stream, text)
	}
	rest := text
	for _, piece := range want {
		_, after, found := strings.Cut(rest, piece)
		if !found {
			t.Errorf("%s: %q, want %q in it", stream, text, want)
			return
		}
		rest = after
	}
}
