package top

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestWhatWentWrongIsSaid(t *testing.T) {
	r := &reader{t: t, model: New(Options{}, at), now: at}
	r.sends(Resized{80, 24})
	wantOn(t, r.screen(), []string{"Looking at processes and containers..."}, nil)
	r.sends(Seen{Err: errors.New("no process table")})
	wantOn(t, r.screen(), []string{"No newer look: no process table", "Nothing was seen."}, nil)
	w := ordinary()
	w.Graph.Snapshot.Sources = append(w.Graph.Snapshot.Sources, inventory.Source{Name: "docker", Status: inventory.StatusError, Reason: "permission denied"})
	r.sends(Seen{Tree: w.tree()})
	wantOn(t, r.screen(), []string{"Not all was seen: docker error: permission denied", "lark-mcp"}, []string{"No newer look"})
	r.sends(Seen{Err: errors.New("it hangs")})
	wantOn(t, r.screen(), []string{"No newer look: it hangs", "lark-mcp"}, nil)
}

// TestAnEngineThatHangsIsNotTakenForOneWithoutContainers: the notice ends with what helps.
func TestAnEngineThatHangsIsNotTakenForOneWithoutContainers(t *testing.T) {
	w := newWorld()
	w.session("codex", 5100)
	w.Graph.Snapshot.Sources = append(w.Graph.Snapshot.Sources, inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusError,
		Reason: "no answer within 5s at unix:///var/run/docker.sock; if docker ps hangs too, restart the engine"})
	r := reads(t, w)
	wantOn(t, r.screen(), []string{"1 session, 0 servers, containers not read, ", "restart the", "engine\n"}, []string{"0 containers"})
	r.sends(Resized{80, roomForGaps - 1})
	wantOn(t, r.screen(), []string{"Not all was seen: docker error (e: why)"}, []string{"…"})
	r.types("e")
	wantOn(t, r.screen(), []string{"no answer within 5s"}, nil)
}

func TestWhatIsWrongWithTheTreeIsInTheHead(t *testing.T) {
	w := newWorld()
	w.session("codex", 5100)
	tree := w.tree()
	tree.Unseen = overview.Unseen{Containers: 4, Engines: []string{"docker"}, Since: at.Add(-time.Minute)}
	tree.Refused = []string{`/home/dev/.config/reaperd/policies.yaml:3: unknown key "moed"`}
	r := reads(t, w)
	r.sends(Seen{Tree: tree, From: Daemon})
	gone, refused := "Docker is gone since 14:01:11: its 4 containers cannot be seen", "The policy file is refused (1 fault: reaperd policy check); the one before it"
	wantOn(t, r.screen(), []string{gone, refused, "1 session, 0 servers, containers not read, "}, []string{"0 containers"})
	r.sends(Resized{40, roomForGaps - 1})
	wantOn(t, r.screen(), []string{"Docker is gone (e: more)", "The policy file is refused (e: more)", "codex"}, nil)
	tree.ShownBy = "the built-in one"
	r.sends(Resized{80, 24}, Seen{Tree: tree})
	r.model.options.Home = "/home/dev"
	wantOn(t, r.screen(), []string{"The policy file is refused (1 fault: reaperd policy check); the built-in one\nholds, and x stops nothing\n"}, []string{"moed"})
	r.types("e")
	wantOn(t, r.screen(), []string{"the\n           built-in one holds, and x stops nothing", `           ~/.config/reaperd/policies.yaml:3: unknown key "moed"`, "as no daemon of yours"}, nil)
	if screen := r.screen(); strings.Index(screen, "fault ") > strings.Index(screen, "as no daemon of yours") {
		t.Errorf("what is wrong now stands below what ended:\n%s", screen)
	}
	r.types("esc")
	tree.ShownBy = ""
	r.sends(Resized{120, 24}, Seen{Tree: tree, From: Daemon})
	r.types("e")
	wantOn(t, r.screen(), []string{"Docker is gone since 2026-11-22 14:01:11", refused}, []string{"everything was seen"})
}

// TestLeakedMeansWhatStandsBelowThatHeading: the page counts the same.
func TestLeakedMeansWhatStandsBelowThatHeading(t *testing.T) {
	type change func(*world, *policy.Verdict)
	for _, row := range []struct {
		world  string
		change change
		want   string
	}{
		{"both go at once", func(*world, *policy.Verdict) {}, "2 leaked, 80 MB: stop in 43s"},
		{"one is being stopped", func(w *world, v *policy.Verdict) { w.Acting = map[string]bool{v.Target.ID: true} }, "2 leaked, 80 MB: 1 being stopped, 1 stops in 43s"},
		{"both are being stopped", func(w *world, v *policy.Verdict) { w.Acting = map[string]bool{v.Target.ID: true, "700:1": true} }, "2 leaked, 80 MB: being stopped"},
		{"one is being stopped, and one is pinned", func(w *world, v *policy.Verdict) {
			w.Acting = map[string]bool{"700:1": true}
			kept(v, time.Second)
		}, "2 leaked, 80 MB: 1 being stopped  1 pinned"},
		{"one later", func(_ *world, v *policy.Verdict) { v.DueAt = at.Add(time.Hour) }, "2 leaked, 80 MB: the first stops in 43s"},
		{"one later, and the first is removed", func(_ *world, v *policy.Verdict) {
			v.DueAt, v.Action = at.Add(10*time.Second), policy.ActionRemove
		}, "2 leaked, 80 MB: the first is removed in 10s"},
		{"one now, which is removed", func(_ *world, v *policy.Verdict) {
			v.Decision, v.DueAt, v.Action = policy.Reap, time.Time{}, policy.ActionRemove
		}, "2 leaked, 80 MB: 1 is removed now, 1 in 43s"},
		{"one is pinned", func(_ *world, v *policy.Verdict) { kept(v, time.Second) }, "2 leaked, 80 MB: 1 stops in 43s  1 pinned"},
		{"a user has pinned one, and root looks", func(_ *world, v *policy.Verdict) {
			kept(v, time.Second)
			v.Target.Vetoes[0].By = "dev"
		}, "2 leaked, 80 MB: 1 stops in 43s  1 pinned"},
		{"one is only reported", func(_ *world, v *policy.Verdict) {
			v.Decision, v.DueAt, v.Action = policy.Keep, time.Time{}, policy.ActionReport
		}, "2 leaked, 80 MB: 1 stops in 43s  1 only reported"},
		{"a third goes that a live session has", func(w *world, _ *policy.Verdict) {
			orphaned(w.server("jira", 900, w.session("codex", 800)), 10*time.Second).Target.Finding = graph.FindingDisconnected
		}, "2 leaked, 80 MB: stop in 43s  1 more: stops in 10s"},
		{"an older copy goes that a live session has", func(w *world, _ *policy.Verdict) {
			orphaned(w.server("jira", 900, w.session("codex", 800)), 10*time.Second).Target.Finding = graph.FindingDuplicate
		}, "2 leaked, 80 MB: stop in 43s  1 older copy: stops in 10s"},
	} {
		w := newWorld()
		w.Verdicts = make([]policy.Verdict, 0, 3)
		orphaned(w.server("git", 700, gone("codex", 600)), 43*time.Second)
		row.change(w, orphaned(w.server("fetch", 710, gone("codex", 600)), 43*time.Second))
		r := reads(t, w)
		var pins []string
		if strings.HasSuffix(row.world, "is pinned") {
			pins = []string{"710:1"}
		}
		r.sends(Seen{Tree: w.tree(), From: Daemon, Pins: pins})
		if got := r.model.matter().String(); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestADockerRunThatEndsWithItsContainerGoesWhenThatDoes, whatever else waits.
func TestADockerRunThatEndsWithItsContainerGoesWhenThatDoes(t *testing.T) {
	w := newWorld()
	w.Mode = policy.ModeReport
	w.Verdicts = make([]policy.Verdict, 0, 3)
	runner := w.server("fetch", 910, gone("codex", 600))
	container := orphaned(w.container("fetch", runner), 0)
	container.Action = policy.ActionRemove
	runner.Target.Finding, runner.EndsWith = graph.FindingOrphaned, container.Target.ID
	orphaned(w.server("git", 700, gone("codex", 600)), 43*time.Second)
	if got, want := reads(t, w).model.matter().String(), "3 leaked, 180 MB: 2 would stop now, 1 in 43s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWhatGoesOfALiveSessionIsNamed, where nothing leaked.
func TestWhatGoesOfALiveSessionIsNamed(t *testing.T) {
	for _, row := range []struct {
		going [3]bool // a server, its docker run, its container
		want  string
	}{
		{[3]bool{true, false, false}, "1 server: stops in 10s"},
		{[3]bool{true, true, false}, "2 servers: stop in 10s"},
		{[3]bool{false, false, true}, "1 container: stops in 10s"},
		{[3]bool{true, true, true}, "3 things: stop in 10s"},
	} {
		w := newWorld()
		w.Verdicts = make([]policy.Verdict, 0, 3)
		codex := w.session("codex", 800)
		server, runner := w.server("jira", 900, codex), w.server("fetch", 910, codex)
		for i, v := range []*policy.Verdict{server, runner, w.container("fetch", runner)} {
			if row.going[i] {
				v.Decision, v.Rule, v.Action, v.DueAt = policy.Pending, "any", policy.ActionTerminate, at.Add(10*time.Second)
			}
		}
		if got := reads(t, w).model.matter().String(); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}

// TestTheSumNamesAKindOfMemoryThatAllOfItHas: a sum of both kinds is neither.
func TestTheSumNamesAKindOfMemoryThatAllOfItHas(t *testing.T) {
	w := newWorld()
	w.session("codex", 5100)
	tree := w.tree()
	kind := strings.ToUpper(tree.Totals.MemoryKind)
	r := reads(t, w)
	if kind == "" {
		t.Fatal("a world without memory shows nothing here")
	}
	wantOn(t, r.screen(), []string{" MB " + kind}, nil)
	tree.Totals.MemoryKind = "another"
	r.sends(Seen{Tree: tree, From: Daemon})
	wantOn(t, r.screen(), []string{" MB"}, []string{" MB " + kind, "ANOTHER"})
}

// TestTheHeadTellsEachPinOnceAndThatNothingLeaks, where sessions idle too.
func TestTheHeadTellsEachPinOnceAndThatNothingLeaks(t *testing.T) {
	idles := func(tree *overview.Tree, keys ...string) {
		for _, key := range keys {
			n := tree.Find(key)
			n.State, n.IdleSince, n.Totals.IdleSessions = overview.StateIdle, at.Add(-4*time.Hour), 1
			tree.Totals.IdleSessions, tree.Totals.IdleBytes = tree.Totals.IdleSessions+1, tree.Totals.IdleBytes+20_000_000
		}
	}
	for _, row := range []struct {
		world string
		pins  []string
		want  string
	}{
		{"no pin", nil, "Nothing leaks.  2 sessions idle, 40 MB"},
		{"one of the sessions", []string{"4711:1"}, "Nothing leaks.  2 sessions idle, 40 MB, 1 pinned"},
		{"both", []string{"4711:1", "5100:1"}, "Nothing leaks.  2 sessions idle, 40 MB, pinned"},
		{"one of them, and a server of the other", []string{"4711:1", "5110:1"}, "Nothing leaks.  2 sessions idle, 40 MB  2 pinned"},
		{"a server", []string{"5110:1"}, "Nothing leaks.  2 sessions idle, 40 MB  1 pinned"},
	} {
		w := ordinary()
		w.Verdicts = w.Verdicts[:len(w.Verdicts)-1]
		tree := w.tree()
		idles(&tree, "session:5100:1", "session:4711:1")
		r := reads(t, w)
		r.sends(Seen{Tree: tree, From: Daemon, Pins: row.pins})
		if got := r.model.matter().String(); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestTheHeadCountsSessionsThatARuleSoonStops, as the page does under what goes next.
func TestTheHeadCountsSessionsThatARuleSoonStops(t *testing.T) {
	stops := func(tree *overview.Tree, key string, in time.Duration, idles bool) {
		n := tree.Find(key)
		n.IdleSince, n.Next.AheadAt = at.Add(-time.Minute), at.Add(in)
		if idles {
			n.State, n.Totals.IdleSessions, n.Totals.IdleBytes = overview.StateIdle, 1, 340_000_000
			tree.Totals.IdleSessions, tree.Totals.IdleBytes = 1, 340_000_000
		}
	}
	for _, row := range []struct {
		world string
		in    [2]time.Duration
		idles bool
		mode  policy.Mode
		pins  []string
		want  string
	}{
		{"one", [2]time.Duration{112 * time.Second}, false, policy.ModeEnforce, nil, "Nothing leaks.  1 session stops in 1m 52s if it goes on doing nothing"},
		{"the mode is report", [2]time.Duration{112 * time.Second}, false, policy.ModeReport, nil, "Nothing leaks.  1 session would stop in 1m 52s if it goes on doing nothing"},
		{"its time has come", [2]time.Duration{-time.Second}, false, policy.ModeEnforce, nil, "Nothing leaks.  1 session stops soon if it goes on doing nothing"},
		{"it is idle", [2]time.Duration{112 * time.Second}, true, policy.ModeEnforce, nil, "Nothing leaks.  1 session stops in 1m 52s if it goes on doing nothing"},
		{"in an hour", [2]time.Duration{time.Hour}, true, policy.ModeEnforce, nil, "Nothing leaks.  1 session idle, 340 MB"},
		{"two at once", [2]time.Duration{112 * time.Second, 112 * time.Second}, false, policy.ModeEnforce, nil, "Nothing leaks.  2 sessions stop in 1m 52s if they go on doing nothing"},
		{"one after the other", [2]time.Duration{3 * time.Minute, 112 * time.Second}, false, policy.ModeEnforce, nil, "Nothing leaks.  2 sessions: the first stops in 1m 52s if it goes on doing nothing"},
		{"it is pinned", [2]time.Duration{112 * time.Second}, false, policy.ModeEnforce, []string{"5100:1"}, "Nothing leaks.  1 pinned"},
	} {
		w := ordinary()
		w.Mode = row.mode
		w.Verdicts = w.Verdicts[:len(w.Verdicts)-1]
		tree := w.tree()
		for i, key := range []string{"session:5100:1", "session:4711:1"} {
			if row.in[i] != 0 {
				stops(&tree, key, row.in[i], row.idles)
			}
		}
		r := reads(t, w)
		r.sends(Seen{Tree: tree, From: Daemon, Pins: row.pins})
		if got := r.model.matter().String(); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestWhatRootMayReadIsToldInOneLineWithWhatReadsIt: for a user who is not root it stands there for good.
func TestWhatRootMayReadIsToldInOneLineWithWhatReadsIt(t *testing.T) {
	partial := func(gaps ...inventory.Gap) inventory.Source {
		return inventory.Source{Name: inventory.SourceProcesses, Status: inventory.StatusPartial, Gaps: gaps, Reason: "descriptors of 5 processes of other users could not be read"}
	}
	docker := inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusError, Reason: "permission denied"}
	for _, row := range []struct {
		world   string
		sources []inventory.Source
		root    bool
		width   int
		want    string
	}{
		{"80 columns", []inventory.Source{partial(inventory.GapDescriptors)}, false, 80, "Not all was seen: processes partial (e: why; sudo reaperd top reads them)\nNAME"},
		{"a wide screen", []inventory.Source{partial(inventory.GapDescriptors)}, false, 130, "of other users could not be read (sudo reaperd top reads them)\nNAME"},
		{"root reads", []inventory.Source{partial(inventory.GapDescriptors)}, true, 80, "descriptors of 5 processes of other users\ncould not be read\nNAME"},
		{"an engine cannot be read either", []inventory.Source{partial(inventory.GapDescriptors), docker}, false, 130, "could not be read; docker error: permission denied\nNAME"},
	} {
		w := newWorld()
		w.session("codex", 5100)
		w.Graph.Snapshot.Sources = row.sources
		r := reads(t, w)
		r.model.options.Root = row.root
		r.sends(Resized{row.width, 24})
		wantOn(t, r.screen(), []string{row.want}, nil)
	}
}
