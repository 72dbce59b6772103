package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/terminal"
)

// recorded is a recording, judged at the time it was made.
func recorded(t *testing.T, name string) *oneshot.Sweep {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var recording struct{ Snapshots []json.RawMessage }
	if err := json.Unmarshal(data, &recording); err != nil {
		t.Fatal(err)
	}
	var files []string
	for i, text := range recording.Snapshots {
		files = append(files, filepath.Join(t.TempDir(), fmt.Sprintf("%d.json", i)))
		if err := os.WriteFile(files[i], text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sight, err := oneshot.Replay(policyfile.Shipped(), files, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &oneshot.Sweep{Sight: sight}
}

func TestNobodyIsAskedAboutWhatWasNotShown(t *testing.T) {
	ownState(t)
	sweep := recorded(t, "dockblind-kill9")
	plan, err := sweep.Plan()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, output, says string
		yes                bool
		done               bool
		out, err           []string // texts in the stream, in this order; none: the stream is empty
	}{
		{"a table is the plan", "table", "n\n", false, true, []string{"About to stop 2 servers, remove 2 containers"}, []string{"Stop these 4? [y/N]", "Nothing stopped."}},
		{"JSON has the plan beside it", "json", "n\n", false, true, nil, []string{"About to stop 2 servers, remove 2 containers", "Stop these 4? [y/N]", "Nothing stopped."}},
		{"YAML has it too", "yaml", "y\n", false, false, nil, []string{"About to stop 2 servers, remove 2 containers", "Stop these 4? [y/N]"}},
		{"who is not asked sees JSON alone", "json", "", true, false, nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out, err bytes.Buffer
			c := &sweepFlags{yes: row.yes, lookFlags: lookFlags{output: row.output,
				shared: &shared{Terminal: terminal.Terminal{In: strings.NewReader(row.says), Out: &out, Err: &err}}}}
			if done, fault := c.confirm(t.Context(), sweep.Report(), plan); done != row.done || fault != nil {
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

// TestAHintKeepsWhatWasTyped: with its policy, its switches and its names.
func TestAHintKeepsWhatWasTyped(t *testing.T) {
	ownState(t)
	t.Setenv("REAPERD_SETTLE", "0s")
	for args, want := range map[string]string{
		"sweep --duplicates --settle 1m30s -o json --rule duplicates --mode enforce": "hint: reaperd sweep --mode enforce --duplicates --rule duplicates --settle 1m30s -o json --yes ",
		"sweep --mode report --idle-over 8h --now --yes codex git*":                  "hint: reaperd sweep --mode enforce --idle-over 8h --now --yes codex 'git*'\n",
		"scan --dry-run=false git*":                                                  "hint: reaperd sweep 'git*'\n",
	} {
		if got := command(t, strings.Fields(args)...); got.code != exitUsage || !strings.Contains(got.err, want) {
			t.Errorf("%s: %d\n%swant %q", args, got.code, got.err, want)
		}
	}
}
