package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/cli"
)

// TestNobodyIsAskedAboutWhatWasNotShown: where stdout is kept for a program, the plan goes to stderr.
func TestNobodyIsAskedAboutWhatWasNotShown(t *testing.T) {
	ownState(t)
	plan := &account.Plan{
		Account: &account.Account{Complete: true, Outcomes: []account.Act{}}, Targets: []string{"7:1"}, Question: "Stop 1 MCP server, 40 MB?",
		Rows: []account.Row{{Title: "fetch 7", Servers: 1}}, Would: account.Words("Would stop 1 MCP server, 40 MB."),
	}
	for _, row := range []struct {
		name, output, says string
		yes                bool
		ends               bool
		out, err           []string // texts in the stream, in this order; none: the stream is empty
	}{
		{"a table is the plan", "table", "n\n", false, true, []string{"fetch 7"}, []string{"Stop 1 MCP server, 40 MB? [y/N]", "Nothing stopped."}},
		{"JSON has the plan beside it", "json", "n\n", false, true, nil, []string{"fetch 7", "Stop 1 MCP server, 40 MB? [y/N]", "Nothing stopped."}},
		{"YAML has it too", "yaml", "y\n", false, false, nil, []string{"fetch 7", "Stop 1 MCP server, 40 MB? [y/N]"}},
		{"who is not asked sees JSON alone", "json", "", true, false, nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out, err bytes.Buffer
			c := &sweepFlags{yes: row.yes, lookFlags: lookFlags{output: row.output,
				shared: &shared{Terminal: cli.Terminal{In: strings.NewReader(row.says), Out: &out, Err: &err}}}}
			if ends, fault := c.confirm(t.Context(), plan); ends != row.ends || fault != nil {
				t.Errorf("ends %v, %v", ends, fault)
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

// TestWhatASweepRefuses: with the code for a call that is wrong, and before anything is looked at.
func TestWhatASweepRefuses(t *testing.T) {
	ownState(t)
	for args, says := range map[string]string{
		"sweep":                             "add --yes",
		"sweep --mode report --yes":         "a sweep may not act",
		"sweep --settle -1s --dry-run":      "want 0 or a time",
		"sweep --idle-over soon --dry-run":  "--idle-over",
		"sweep --settle 2h --dry-run":       "--settle 2h",
		"sweep --rule nosuch --dry-run":     "the policy has no such rule",
		"sweep -o csv --dry-run":            `--output "csv"`,
		"scan --dry-run=false":              "reaperd sweep",
		"sweep --policies /none.yaml --yes": "/none.yaml",
		"sweep --yes --mode both":           "want report or enforce",
	} {
		if got := command(t, strings.Fields(args)...); got.code != exitUsage || !strings.Contains(got.err, says) {
			t.Errorf("%s: %d\n%swant %q", args, got.code, got.err, says)
		}
	}
	if got := command(t, "sweep", "--dry-run", "no-such-server"); got.code != exitFailed || !strings.Contains(got.err, "no such MCP server") {
		t.Errorf("what is not there: %+v", got)
	}
}

// TestBesideADaemonThatHangsNobodySweepsUnasked: it holds its lock, and answers nothing.
func TestBesideADaemonThatHangsNobodySweepsUnasked(t *testing.T) {
	hanging(t, ownState(t))
	if got := command(t, "sweep", "--yes"); got.code != exitFailed || !strings.Contains(got.err, "does not answer") || !strings.Contains(got.err, "reaperd sweep --alone") {
		t.Errorf("%+v", got)
	}
	for _, args := range []string{"pin 1", "unpin --all", "pause", "resume"} {
		if got := command(t, strings.Fields(args)...); got.code != exitFailed || !strings.Contains(got.err, "does not answer") {
			t.Errorf("%s: %+v", args, got)
		}
	}
	for _, args := range []string{"scan --settle 0", "sweep --dry-run --settle 0", "sweep --yes --alone --settle 0 --rule duplicates", "explain 1 --settle 0"} {
		if got := command(t, strings.Fields(args)...); strings.Contains(got.err, "error") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
