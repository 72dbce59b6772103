package report

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares the whole text with testdata/name.golden.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got:\n%s", file, got)
	}
}

// screenOf is the usual terminal: 100 cells, UTF-8, no colour.
func screenOf(width int) Options { return Options{Width: width, UTF8: true, Home: "/home/dev"} }

func TestTableTellsEachReport(t *testing.T) {
	tests := []struct {
		name    string
		world   *world
		options Options
	}{
		{"r4-100", dollhouse(), screenOf(100)},
		{"r4-60", dollhouse(), screenOf(60)},
		{"r4-80", dollhouse(), screenOf(80)},
		{"r4-160", dollhouse(), screenOf(160)},
		{"r4-ascii", dollhouse(), Options{Width: 100, Home: "/home/dev"}},
		{"r4-colour", dollhouse(), Options{Width: 100, UTF8: true, Color: true, Home: "/home/dev"}},
		{"r4-names", dollhouse(), Options{Width: 100, UTF8: true, Names: []string{"CLAUDE-M*"}}},
		{"r0-100", hoarder(), screenOf(100)},
		{"r0-60", hoarder(), screenOf(60)},
		{"r0-ascii", hoarder(), Options{Width: 80, Home: "/home/dev"}},
		{"r1-100", unifi(), screenOf(100)},
		{"r1-wide", unifi(), Options{Width: 100, UTF8: true, Wide: true}},
		{"r2-100", dialpad(), screenOf(100)},
		{"r3-100", respawningDaemon(), screenOf(100)},
		{"r3-80", respawningDaemon(), screenOf(80)},
		{"empty", newWorld("linux", 12), screenOf(100)},
	}
	for i, test := range tests {
		if testing.Short() && i%4 > 0 {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Table(&b, test.world.input(), test.options); err != nil {
				t.Fatal(err)
			}
			golden(t, test.name, b.Bytes())
		})
	}
}

func lines(b []byte) []string {
	colour := regexp.MustCompile("\x1b\\[[0-9;]*m")
	var out []string
	for _, line := range bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n")) {
		out = append(out, colour.ReplaceAllString(string(line), ""))
	}
	return out
}

func TestPlanAndOutcomesTellTheTruthInTheirTense(t *testing.T) {
	tests := []struct {
		name    string
		write   func(io.Writer, Input, Options) error
		world   *world
		options Options
	}{
		{"plan-r4", Plan, dollhouse(), screenOf(100)},
		{"plan-r1", Plan, unifi(), screenOf(100)},
		{"plan-r0", Plan, hoarder(), screenOf(100)},
		{"plan-empty", Plan, newWorld("linux", 12), screenOf(100)},
		{"plan-gateway", Plan, failingGateway(), screenOf(100)},
		{"outcomes-r1", Outcomes, swept(), screenOf(100)},
		{"outcomes-none", Outcomes, unifi(), screenOf(100)},
		{"table-gateway", Table, failingGateway(), screenOf(100)},
		{"table-swept", Table, swept(), screenOf(100)},
		{"table-pinned", Table, pinned(), screenOf(100)},
		{"table-ends-with", Table, runnerLeft(), screenOf(100)},
		{"table-strangers", Table, strangers(), screenOf(100)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := test.write(&b, test.world.input(), test.options); err != nil {
				t.Fatal(err)
			}
			golden(t, test.name, b.Bytes())
		})
	}
}

// TestASingleOlderCopyIsToldWithItsOwner: a host may have the same session several times.
func TestASingleOlderCopyIsToldWithItsOwner(t *testing.T) {
	w := generations("openclaw", 2200, 2, 4*time.Minute, "dialpad-messaging")
	last := &w.verdicts[len(w.verdicts)-1]
	last.Decision, last.Action = policy.Reap, policy.ActionTerminate
	var b bytes.Buffer
	if err := Plan(&b, w.input(), screenOf(100)); err != nil || !strings.Contains(b.String(), "\nAn older copy below openclaw 2200\n") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

func TestGapsAreSaid(t *testing.T) {
	lost := func(w *world) Input {
		w.last.Sources[1].Status, w.last.Sources[1].Reason = inventory.StatusError, "permission denied"
		w.last.Sources[0].Status, w.last.Sources[0].Reason = inventory.StatusPartial, "31 of 412 processes: permission denied"
		in := w.input()
		in.Notes = []string{"Docker Desktop keeps containers in a VM: clients were counted, stdin was not seen"}
		return in
	}
	for name, in := range map[string]Input{"gaps-empty": lost(newWorld("linux", 12)), "gaps-pinned": lost(pinned())} {
		var b bytes.Buffer
		if err := Table(&b, in, screenOf(100)); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}

func TestReplaysOfferNothingToDo(t *testing.T) {
	in := dollhouse().input()
	in.Replay, in.Graph.Snapshot.Host.OS = true, "linux"
	in.First.Snapshot.TakenAt = noon.Add(-3 * time.Hour)
	var b bytes.Buffer
	if err := Table(&b, in, screenOf(100)); err != nil {
		t.Fatal(err)
	}
	golden(t, "replay", b.Bytes())
}

func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	worlds := []*world{dollhouse(), hoarder(), unifi(), respawningDaemon(), dialpad(), swept(), pinned(), runnerLeft(), strangers(), failingGateway(), newWorld("linux", 3)}
	widths := []int{20, 34, 47, 60, 72, 80, 100, 160}
	if testing.Short() {
		widths, worlds = []int{34}, worlds[1:]
	}
	for _, w := range worlds {
		in := w.input()
		for _, width := range widths {
			for _, utf8 := range []bool{true, false} {
				options := Options{Width: width, UTF8: utf8, Color: true}
				for name, write := range map[string]func(io.Writer, Input, Options) error{"table": Table, "plan": Plan, "outcomes": Outcomes, "explain": explainFirst} {
					var b bytes.Buffer
					if err := write(&b, in, options); err != nil {
						t.Fatal(err)
					}
					for _, line := range lines(b.Bytes()) {
						if got := human.Width(line); got > width {
							t.Fatalf("%s at %d cells: %d cells in %q", name, width, got, line)
						}
					}
				}
			}
		}
	}
}

func explainFirst(w io.Writer, in Input, options Options) error {
	if len(in.Verdicts) == 0 {
		return nil
	}
	return Explain(w, in, in.Verdicts[0].Target.ID, options)
}

func TestWithoutUTF8EverythingIsASCII(t *testing.T) {
	for _, w := range []*world{dollhouse(), hoarder(), swept()} {
		var b bytes.Buffer
		if err := Table(&b, w.input(), Options{}); err != nil {
			t.Fatal(err)
		}
		for i, c := range b.Bytes() {
			if c >= 0x80 {
				t.Fatalf("byte %x at %d: %q", c, i, b.Bytes()[max(0, i-40):i])
			}
		}
	}
}

func TestNamesChooseWhatTheAnswerIsAboutAndJudgeNothing(t *testing.T) {
	for _, row := range []struct {
		names, want string
		reaps       bool
	}{
		{"", "94 MCP servers and 1 container: 1 in use, 91 orphaned, 3 unclear. Would stop 91 servers", true},
		{"82391", "1 MCP server, in use. Nothing to do.", false},
		{"82364", "1 MCP server, in use. Nothing to do.", false},        // the targets of a session
		{"Claude-Code", "92 MCP servers: 1 in use, 91 orphaned.", true}, // those of all sessions of that name
		{"CLAUDE-M*", "1 MCP container, unclear.", false},
		{"claude-*", "92 MCP servers and 1 container: 1 in use, 91 orphaned, 1 unclear.", true},
		{"nothing-*", "No MCP server, container or session here is called nothing-*, or belongs to it. Nothing to do.", false},
	} {
		in, options := dollhouse().input(), screenOf(160)
		if row.names != "" {
			options.Names = []string{row.names}
			in.Names = options.Names
		}
		var b bytes.Buffer
		if err := Table(&b, in, options); err != nil {
			t.Fatal(err)
		}
		if got := lines(b.Bytes())[0]; !strings.HasPrefix(got, row.want) {
			t.Errorf("%q: %s", row.names, got)
		}
		if in.WouldReap() != row.reaps {
			t.Errorf("%q: something would be reaped: %v", row.names, !row.reaps)
		}
	}
}

func TestACommandToTypeNextNamesWhatWasAskedAbout(t *testing.T) {
	for _, row := range []struct {
		names []string
		want  string
	}{
		{nil, "reaperd sweep "},
		{[]string{"claude-code"}, "reaperd sweep claude-code "},
		{[]string{"doll*", "82391"}, "reaperd sweep 'doll*' 82391 "},
	} {
		options := screenOf(100)
		options.Names = row.names
		var b bytes.Buffer
		if err := Table(&b, dollhouse().input(), options); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "\n"+row.want+" ") {
			t.Errorf("%q: no line begins with %q:\n%s", row.names, row.want, b.String())
		}
	}
}

func TestTheOrderOfVerdictsChangesNothing(t *testing.T) {
	in := unifi().input()
	show := func() string {
		var b bytes.Buffer
		if err := Table(&b, in, screenOf(100)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	before := show()
	slices.Reverse(in.Verdicts)
	if after := show(); after != before {
		t.Errorf("got\n%s\nwant\n%s", after, before)
	}
}

func TestTheHintKnowsADaemonThatRuns(t *testing.T) {
	in := hoarder().input()
	in.Daemon = true
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	want := "hint: reaperd sweep --settle 2m   looks for that long, then asks to stop it; or leave it to the daemon: reaperd status\n"
	if !strings.Contains(out.String(), want) || strings.Contains(out.String(), "reaperd install") {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

func TestTheLimitOfASweepIsSaid(t *testing.T) {
	w := newWorld("linux", 6)
	for n := range 5 {
		server := orphaned(w.server("fetch", 100+n, time.Hour, 10*megabyte, ""), gone("claude-code", 44, time.Hour))
		if n < 2 {
			w.decide(server, policy.Reap, "orphaned-servers", policy.ActionTerminate)
			continue
		}
		v := w.decide(server, policy.Pending, "orphaned-servers", policy.ActionTerminate)
		v.Beyond, v.DueAt, v.Reason = 2, noon.Add(30*time.Second), "a sweep stops no more than 2 (limits.max_actions)"
	}
	waiting := orphaned(w.server("fetch", 200, time.Hour, 10*megabyte, ""), gone("claude-code", 44, time.Hour))
	v := w.decide(waiting, policy.Pending, "orphaned-servers", policy.ActionTerminate)
	v.Needs, v.Held, v.DueAt = 30*time.Second, time.Second, noon.Add(29*time.Second)
	var b bytes.Buffer
	if err := Table(&b, w.input(), Options{Width: 160, UTF8: true}); err != nil {
		t.Fatal(err)
	}
	w.outcome(w.verdicts[0].Target, policy.ActionTerminate, done.Exited, "", 10*megabyte)
	w.outcome(w.verdicts[1].Target, policy.ActionTerminate, done.Killed, "1 process was killed after 5s", 10*megabyte)
	if err := Outcomes(&b, w.input(), Options{Width: 160, UTF8: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Stopped 2 and freed 20 MB. The limit of 2 a sweep is reached: 3 more wait for the next.",
		"Would stop 2 and free 20 MB. 1 more is pending. The limit of 2 a sweep is reached: 3 more wait for the next.",
		"PENDING · rule orphaned-servers · limit of 2 a sweep\n3 × fetch 102 103 104",
		"a sweep stops no more than 2 (limits.max_actions)\n",
		"PENDING · rule orphaned-servers · held 1s of 30s\nfetch 200",
		"   had to be killed: fetch 101\n", "reaperd sweep   stops the next, asks first",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
