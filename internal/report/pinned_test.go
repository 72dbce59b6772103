package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// pinnedInUse has a session with two servers in use, one of them pinned, and a pinned
// session without servers.
func pinnedInUse() *world {
	w := newWorld("linux", 40)
	claude := w.session("claude-code", 12, time.Hour, "/home/dev/app", 0)
	w.session("codex", 47, time.Hour, "/home/dev/app", 0)
	veto := []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it until 18:00: a demo"}}
	w.sessions[1].Target = &graph.Target{Kind: graph.KindSession, Vetoes: veto}
	server := owned(w.server("github-mcp-server", 31, time.Hour, 90*megabyte, "github-mcp-server"), claude, "")
	server.Vetoes = veto
	w.keep(server)
	w.keep(owned(w.server("playwright-mcp", 32, time.Hour, 90*megabyte, "playwright-mcp"), claude, ""))
	return w
}

// What its own label keeps is not said to be pinned: unpin would not find it.
func TestWhatALabelKeepsIsNotPinned(t *testing.T) {
	w := newWorld("linux", 40)
	server := owned(w.server("fetch", 31, time.Hour, 0, "fetch"), w.session("codex", 12, time.Hour, "/", 0), "")
	server.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "it has the label reaperd.keep", Marked: true}}
	w.keep(server)
	for _, pinnedToo := range []bool{false, true} {
		want, not := []string{"fetch 31  kept", " It is kept in any case: it has the label reaperd.keep."}, "pinned"
		if pinnedToo {
			server.Vetoes = append(server.Vetoes, graph.Veto{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"})
			want, not = []string{"fetch 31  pinned", " It is pinned."}, "in any case"
		}
		var b bytes.Buffer
		if err := Table(&b, w.input(), screenOf(120)); err != nil {
			t.Fatal(err)
		}
		if err := Explain(&b, w.input(), server.ID, screenOf(120)); err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(b.String(), text) {
				t.Errorf("pinned too %t: no %q in\n%s", pinnedToo, text, b.String())
			}
		}
		if strings.Contains(b.String(), not) {
			t.Errorf("pinned too %t: %q in\n%s", pinnedToo, not, b.String())
		}
	}
}

func TestAPinShowsOnWhatIsInUse(t *testing.T) {
	in := pinnedInUse().input()
	explained := func(pid string) func(*bytes.Buffer) error {
		return func(b *bytes.Buffer) error { return Explain(b, in, pid, screenOf(100)) }
	}
	wide := screenOf(100)
	wide.Wide = true
	for _, row := range []struct {
		name  string
		write func(*bytes.Buffer) error
		want  []string
		not   string
	}{
		{"the table", func(b *bytes.Buffer) error { return Table(b, in, screenOf(100)) },
			[]string{"github-mcp-server 31  pinned", "without MCP servers: codex 47  pinned"}, "playwright-mcp 32  pinned"},
		{"one line for each", func(b *bytes.Buffer) error { return Table(b, in, wide) },
			[]string{"owned: ancestor!; pinned: reaperd pin keeps it until 18:00: a demo"}, ""},
		{"its explanation", explained("31:310"),
			[]string{"in use. reaperd leaves it alone. It is pinned.", "guards     reaperd pin keeps it until 18:00: a demo\nunpin      reaperd unpin 31\n"}, "none applies"},
		{"that of the other server", explained("32:320"), []string{"guards     none applies"}, "pinned"},
		{"that of a session", explained("47:470"),
			[]string{"reaperd leaves it alone. It is pinned.", "guards     reaperd pin keeps it until 18:00: a demo\nunpin      reaperd unpin 47\n"}, ""},
		{"that of the other session", explained("12:120"), []string{"reaperd leaves it alone.\n"}, "It is pinned"},
	} {
		var b bytes.Buffer
		if err := row.write(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range row.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", row.name, want, b.String())
			}
		}
		if row.not != "" && strings.Contains(b.String(), row.not) {
			t.Errorf("%s: %q in\n%s", row.name, row.not, b.String())
		}
	}
}

// TestOfWhatIsAskedForAPinInUseIsTold with the command that ends it.
func TestOfWhatIsAskedForAPinInUseIsTold(t *testing.T) {
	const unpin = "reaperd unpin 31   ends its pin\n"
	for _, names := range [][]string{nil, {"31"}, {"32"}} {
		options, want := screenOf(100), slices.Contains(names, "31")
		options.Names = names
		var b bytes.Buffer
		if err := Table(&b, pinnedInUse().input(), options); err != nil || strings.Contains(b.String(), unpin) != want {
			t.Errorf("%q: %v, want the command: %v\n%s", names, err, want, b.String())
		}
	}
}

func TestAPinIsNotSaidTwice(t *testing.T) {
	var b bytes.Buffer
	world := pinned()
	world.verdicts[0].Target.Vetoes = world.verdicts[0].Vetoes
	in := world.input()
	if err := Explain(&b, in, in.Verdicts[0].Target.ID, screenOf(100)); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "guards     pinned until 18:00\n"); n != 1 || strings.Contains(b.String(), "It is pinned") {
		t.Errorf("%d times:\n%s", n, b.String())
	}
}

// The command that ends a pin names what is pinned, not what is kept for its sake.
func TestUnpinNamesWhatIsPinned(t *testing.T) {
	w := newWorld("linux", 40)
	pinned := w.container("gitlab", "zen", "mcp/gitlab", time.Hour, 0)
	kept := w.server("gitlab", 986, time.Hour, 0, "docker")
	for _, row := range []struct {
		world         string
		own, decided  []graph.Veto // of the target, of the verdict on it
		want, without string
	}{
		{"it is pinned", []graph.Veto{{Guard: graph.GuardPinned, Text: "x"}}, nil, "unpin      reaperd unpin 986\n", "unpin zen"},
		{"it may be that of what is pinned", []graph.Veto{{Guard: graph.GuardPinned, Text: "x", For: pinned.ID}}, nil, "unpin      reaperd unpin zen\n", "unpin 986"},
		{"what is pinned would end with it", nil, []graph.Veto{{Guard: graph.GuardPinned, Text: "x", For: pinned.ID}}, "unpin      reaperd unpin zen\n", "unpin 986"},
		{"the policy protects what would end with it", nil, []graph.Veto{{Guard: graph.GuardPinned, Text: "x"}}, "guards ", "unpin "},
		{"it is marked itself", []graph.Veto{{Guard: graph.GuardPinned, Text: "x", Marked: true}}, nil, "guards ", "unpin "},
	} {
		kept.Vetoes = row.own
		w.verdicts = nil
		w.keep(pinned)
		w.keep(kept).Vetoes = row.decided
		var b bytes.Buffer
		if err := Explain(&b, w.input(), kept.ID, screenOf(100)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), row.want) || strings.Contains(b.String(), row.without) {
			t.Errorf("%s: want %q and no %q in\n%s", row.world, row.want, row.without, b.String())
		}
	}
}

// TestAPairThatMayBeAnothersIsNotToldAsKnown: two docker runs of one image have leaked, and one
// is pinned. Either container may be that one's.
func TestAPairThatMayBeAnothersIsNotToldAsKnown(t *testing.T) {
	const pinned = "397:1"
	for _, row := range []struct {
		world         string
		vetoes        func(run string) []graph.Veto // of the container
		run, box, not string
	}{
		{"it may be that of another", func(string) []graph.Veto { return []graph.Veto{{Guard: graph.GuardPinned, Text: "x", For: pinned}} },
			"maybe container zen", "its docker run may be 1356", "docker run is"},
		{"its own docker run is pinned", func(run string) []graph.Veto { return []graph.Veto{{Guard: graph.GuardPinned, Text: "x", For: run}} },
			"container zen", "its docker run is 1356", "maybe"},
		{"nothing is pinned", func(string) []graph.Veto { return nil }, "container zen", "its docker run is 1356", "maybe"},
		{"its session is pinned, and lives", func(string) []graph.Veto { return []graph.Veto{{Guard: graph.GuardPinned, Text: "x", For: pinned}} },
			"container zen", "its docker run is 1356", "maybe"},
		{"the gateway above both is pinned", func(string) []graph.Veto { return nil }, "container zen", "its docker run is 1356", "maybe"},
	} {
		w := newWorld("linux", 40)
		box, run := w.container("gitlab", "zen", "mcp/gitlab", time.Hour, 0), w.server("gitlab", 1356, time.Hour, 0, "docker")
		if strings.HasSuffix(row.world, "lives") {
			box.Owner.Liveness = graph.LivenessLive
		}
		box.Runner, run.Containers, box.Vetoes = run.ID, []string{box.ID}, row.vetoes(run.ID)
		if strings.HasPrefix(row.world, "the gateway") {
			hub := w.server("hub", 397, time.Hour, 0, "hub")
			hub.Kind = graph.KindGateway
			box.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "x", For: hub.ID}}
			w.keep(hub)
		}
		w.keep(box)
		w.keep(run)
		for id, want := range map[string]string{run.ID: row.run, box.ID: row.box} {
			var b bytes.Buffer
			if err := Explain(&b, w.input(), id, screenOf(100)); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), want) || strings.Contains(b.String(), row.not) {
				t.Errorf("%s: want %q and no %q in\n%s", row.world, want, row.not, b.String())
			}
		}
	}
}

func TestPinsInJSON(t *testing.T) {
	data, err := JSON(pinnedInUse().input())
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Sessions, Targets []struct {
			PID    int
			Pinned string
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for _, thing := range append(got.Sessions, got.Targets...) {
		if want := thing.PID == 31 || thing.PID == 47; (thing.Pinned == "reaperd pin keeps it until 18:00: a demo") != want {
			t.Errorf("%d: pinned %q", thing.PID, thing.Pinned)
		}
	}
}

func TestNothingStandsBelowTheCaptionOfAnOlderCopyButTheCopy(t *testing.T) {
	w := generations("codex", 111, 2, time.Minute, "dollhouse")
	pinned := orphaned(w.server("dollhouse", 6005, time.Hour, 10*megabyte, "node"), gone("claude-code", 6003, time.Minute))
	pinned.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}}
	w.decide(pinned, policy.Keep, "orphaned-servers", policy.ActionTerminate)
	var b bytes.Buffer
	if err := Table(&b, w.input(), screenOf(80)); err != nil {
		t.Fatal(err)
	}
	rest := b.String()
	for _, text := range []string{"dollhouse 6005  orphaned, but reaperd pin keeps it", "\n   left by claude-code 6003\n", "An older copy below codex 111\ndollhouse "} {
		var found bool
		if _, rest, found = strings.Cut(rest, text); !found {
			t.Errorf("no %q where it is expected:\n%s", text, b.String())
		}
	}
}

// TestAPlanTellsWhyAPinnedLeakStays: it is orphaned as the one that goes.
func TestAPlanTellsWhyAPinnedLeakStays(t *testing.T) {
	for want, veto := range map[string]graph.Veto{
		"\nLeft alone: 2 in use, 1 pinned.\n":                          {Guard: graph.GuardPinned, Text: "reaperd pin keeps it"},
		"\nLeft alone: 2 in use, 1 kept by a label or REAPERD_KEEP.\n": {Guard: graph.GuardPinned, Text: "its label reaperd.keep keeps it", Marked: true},
	} {
		w := unifi()
		w.verdicts = slices.Clone(w.verdicts)
		for i := range w.verdicts {
			if v := &w.verdicts[i]; v.Decision == policy.Reap {
				target := *v.Target
				target.Vetoes = []graph.Veto{veto}
				v.Target, v.Decision, v.Vetoes = &target, policy.Keep, target.Vetoes
				break
			}
		}
		var b bytes.Buffer
		if err := Plan(&b, w.input(), screenOf(100)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestWhatAPinAloneKeepsNamesItsUnpinOnce: a leaked container, and the docker run that stays for
// its sake.
func TestWhatAPinAloneKeepsNamesItsUnpinOnce(t *testing.T) {
	w := newWorld("linux", 4)
	left := gone("pi", 9, time.Hour)
	container := w.keep(orphaned(w.container("gitlab", "gl1", "mcp/gitlab", time.Hour, megabyte), left))
	container.Rule, container.Action = "orphaned-containers", policy.ActionRemove
	container.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}}
	container.Target.Vetoes = container.Vetoes
	run := w.keep(orphaned(w.server("gitlab", 41, time.Hour, megabyte, "docker", "run"), left))
	run.Rule, run.Action = "orphaned-servers", policy.ActionTerminate
	run.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "its container gl1 is pinned", For: w.verdicts[0].Target.ID}}
	in := w.input()
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 160}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Count(got, "reaperd unpin gl1   ends its pin") != 1 || strings.Count(got, "unpin") != 1 {
		t.Errorf("got\n%s", got)
	}
	in.NoRoom = true
	out.Reset()
	if err := Table(&out, in, Options{Width: 160}); err != nil || strings.Contains(out.String(), "unpin") {
		t.Errorf("on a full disk: %v\n%s", err, out.String())
	}
}

// TestWhatThePolicyProtectsIsMarkedInUse, and its guard stands once. A pin beside it is not offered to be ended: that
// would change nothing.
func TestWhatThePolicyProtectsIsMarkedInUse(t *testing.T) {
	for _, isPinned := range []bool{false, true} {
		w := newWorld("linux", 40)
		server := owned(w.server("fetch", 31, time.Hour, 0, "fetch"), w.session("codex", 12, time.Hour, "/", 0), "")
		if isPinned {
			server.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}}
		}
		verdict := w.keep(server)
		verdict.Protected, verdict.Reason = &policy.Protect{Name: "ours"}, `protected by "ours"`
		var table, explained strings.Builder
		if err := Table(&table, w.input(), screenOf(120)); err != nil {
			t.Fatal(err)
		}
		if err := Explain(&explained, w.input(), server.ID, screenOf(120)); err != nil {
			t.Fatal(err)
		}
		mark, said, times := "fetch 31  kept", ` It is kept in any case: protected by "ours".`, 2
		if isPinned {
			mark, said, times = "fetch 31  pinned", " It is pinned.", 1
		}
		var wide strings.Builder
		options := screenOf(200)
		options.Wide = true
		if err := Table(&wide, w.input(), options); err != nil || !strings.Contains(wide.String(), `kept: protected by "ours"`) {
			t.Errorf("one line for each: %v\n%s", err, wide.String())
		}
		got := explained.String()
		if !strings.Contains(table.String(), mark) || !strings.Contains(got, said) || strings.Count(got, `protected by "ours"`) != times || strings.Contains(got, "unpin") {
			t.Errorf("pinned %t: want %q, %q and %d times why, without unpin in\n%s\n%s", isPinned, mark, said, times, table.String(), got)
		}
	}
}
