package pins

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
)

// nothingSeen is a look that fails.
func nothingSeen() *Seen { return nil }

// seen is a look that shows codex 224, which is pinned, with its server time 231, the server
// fetch 300 that its environment keeps, the server sqlite 310 that ann has pinned, and git 400 that nothing
// keeps.
func seen() *Seen {
	target := func(pid int, name string, vetoes ...graph.Veto) *graph.Target {
		p := &inventory.Process{PID: pid, Start: 1}
		return &graph.Target{ID: p.ID().String(), Name: name, Root: p, Vetoes: vetoes}
	}
	targets := []*graph.Target{
		target(224, "codex", graph.Veto{Guard: graph.GuardPinned, Text: "pinned by uid 0"}),
		target(231, "time", graph.Veto{Guard: graph.GuardInUse}, graph.Veto{Guard: graph.GuardPinned, For: "224:1", Text: "it belongs to codex 224"}),
		target(300, "fetch", graph.Veto{Guard: graph.GuardPinned, Marked: true, Text: "REAPERD_KEEP is set"}),
		target(310, "sqlite", graph.Veto{Guard: graph.GuardPinned, By: "ann", Text: "reaperd pin of ann keeps it"}),
		target(400, "git"),
	}
	s := &Seen{Graph: &graph.Graph{Snapshot: &inventory.Snapshot{}, Targets: targets}}
	for _, t := range targets {
		s.Verdicts = append(s.Verdicts, policy.Verdict{Target: t})
	}
	return s
}

// TestWhatAnothersPinKeepsIsToldByThat to who would end a pin that is not there.
func TestWhatAnothersPinKeepsIsToldByThat(t *testing.T) {
	dir := state.Dir(t.TempDir())
	if err := dir.Pin("", time.Now(), state.Pin{ID: "224:1", Name: "codex"}); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		world      string
		words      []string
		look       Look
		want, hint string
	}{
		{"its session is pinned", []string{"231"}, seen, "time 231 has no pin of its own; it stays: codex 224 is pinned", "reaperd unpin 224   ends that"},
		{"by its name, beside another", []string{"codex", "time"}, seen, "time 231 has no pin of its own; it stays: codex 224 is pinned; nothing is unpinned", "reaperd unpin 224   ends that"},
		{"it is marked", []string{"300"}, seen, "fetch 300 has no pin of its own; it stays: REAPERD_KEEP is set", "reaperd explain 300   says more"},
		{"another user has pinned it", []string{"310"}, seen, "sqlite 310 is pinned by ann, and not by this user; it stays", "su ann -c 'reaperd unpin 310'   ends that"},
		{"nothing keeps it", []string{"git"}, seen, "git: not pinned", "reaperd pins   lists them"},
		{"it is not there", []string{"codex", "nope"}, seen, "nope: not pinned; nothing is unpinned", "reaperd pins   lists them"},
		{"the host cannot be looked at", []string{"231"}, nothingSeen, "231: not pinned", "reaperd pins   lists them"},
	} {
		ended, err := End(dir, row.words, row.look)
		var advised *advice.Error
		if len(ended) > 0 || !errors.As(err, &advised) || err.Error() != row.want || advised.Hint != row.hint {
			t.Errorf("%s: ended %v, %v", row.world, ended, err)
		}
	}
	if pins, err := dir.Pins("", time.Now()); len(pins) != 1 || err != nil {
		t.Errorf("pins are %v, %v", pins, err)
	}
}

// TestTheEndOfAPinNamesAllThatKeepsAThing: what has it, what would end with it, and whose pins these are.
func TestTheEndOfAPinNamesAllThatKeepsAThing(t *testing.T) {
	pin := graph.Veto{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}
	of := func(id string) graph.Veto {
		return graph.Veto{Guard: graph.GuardPinned, For: id, Text: "it belongs to another"}
	}
	anns := graph.Veto{Guard: graph.GuardPinned, By: "ann", Text: "reaperd pin of ann keeps it"}
	marked := graph.Veto{Guard: graph.GuardPinned, Marked: true, Text: "REAPERD_KEEP is set"}
	type vetoes = []graph.Veto
	for _, row := range []struct {
		world                    string
		session, gateway, server vetoes // of codex 224, mcp-hub 231 and git 400, each below the one before
		keptFor                  []string
		ended                    string
		want                     string
	}{
		{"session and gateway", vetoes{pin}, vetoes{pin}, vetoes{of("231:1")}, []string{"231:1", "224:1"}, "400:1", "it stays: mcp-hub 231 and codex 224 are pinned; reaperd unpin 231 224   ends that"},
		{"the session of the gateway", vetoes{pin}, vetoes{of("224:1")}, vetoes{of("224:1")}, []string{"224:1"}, "400:1", "it stays: codex 224 is pinned; reaperd unpin 224   ends that"},
		{"the gateway of a pinned server", nil, nil, vetoes{pin}, nil, "231:1", "it stays: git 400, which would end with it, is pinned; reaperd unpin 400   ends that"},
		{"the session of both", nil, vetoes{pin}, vetoes{pin}, nil, "224:1", "it stays: mcp-hub 231 and git 400, which would end with it, are pinned; reaperd unpin 231 400   ends that"},
		{"one of them is another user's", vetoes{anns}, vetoes{pin}, vetoes{of("231:1")}, []string{"231:1", "224:1"}, "400:1", "it stays: mcp-hub 231 and codex 224 are pinned; reaperd unpin 231; su ann -c 'reaperd unpin 224'   ends that"},
		{"another user pinned it too", vetoes{pin}, nil, vetoes{anns, of("224:1")}, []string{"224:1"}, "400:1", "it stays: codex 224 is pinned, and reaperd pin of ann keeps it; su ann -c 'reaperd unpin 400'; reaperd unpin 224   ends that"},
		{"a mark, which no command ends", vetoes{pin}, vetoes{marked}, vetoes{{Guard: graph.GuardPinned, Marked: true, For: "231:1", Text: "it belongs to mcp-hub 231, which is kept: REAPERD_KEEP is set"}}, []string{"231:1", "224:1"}, "400:1",
			"it stays: codex 224 is pinned, and it belongs to mcp-hub 231, which is kept: REAPERD_KEEP is set"},
		{"a mark below it", nil, nil, vetoes{marked}, nil, "231:1", "it stays: git 400, which would end with it, is kept: REAPERD_KEEP is set"},
		{"nothing", nil, nil, nil, nil, "400:1", ""},
	} {
		target := func(pid int, name string, vetoes vetoes, below ...string) *graph.Target {
			p := &inventory.Process{PID: pid, Start: 1}
			return &graph.Target{ID: p.ID().String(), Name: name, Root: p, Vetoes: vetoes, Below: below}
		}
		server := target(400, "git", row.server)
		server.KeptFor = row.keptFor
		targets := []*graph.Target{target(224, "codex", row.session, "231:1"), target(231, "mcp-hub", row.gateway, "400:1"), server}
		seen := &Seen{Graph: &graph.Graph{Snapshot: &inventory.Snapshot{}, Targets: targets}}
		for _, t := range targets {
			seen.Verdicts = append(seen.Verdicts, policy.Verdict{Target: t})
		}
		notes, _ := StillKeptNotes([]state.Pin{{ID: row.ended}}, func() *Seen { return seen }, nil)
		if got := strings.TrimPrefix(strings.Join(notes, "\n"), "note: "); got != row.want {
			t.Errorf("%s: %s\nwant %s", row.world, got, row.want)
		}
	}
}

// TestTheEndOfAPinTellsWhatStaysAllTheSame.
func TestTheEndOfAPinTellsWhatStaysAllTheSame(t *testing.T) {
	own, free, gone := state.Pin{ID: "231:1"}, state.Pin{ID: "400:1"}, state.Pin{ID: "999:1", Name: "git"}
	for _, row := range []struct {
		world string
		ended []state.Pin
		look  Look
		notes []string
		free  []state.Pin
	}{
		{"its session's pin stays", []state.Pin{own}, seen, []string{"note: it stays: codex 224 is pinned; reaperd unpin 224   ends that"}, nil},
		{"one of two", []state.Pin{own, free}, seen, []string{"note: 1 of them stays: codex 224 is pinned; reaperd unpin 224   ends that"}, []state.Pin{free}},
		{"only the mark", []state.Pin{{ID: "300:1"}}, seen, []string{"note: it stays: REAPERD_KEEP is set"}, nil},
		{"nothing keeps it, or it has ended", []state.Pin{free, gone}, seen, []string{"note: git 999 is gone"}, []state.Pin{free}},
		{"the host cannot be looked at", []state.Pin{own}, nothingSeen, nil, []state.Pin{own}},
	} {
		notes, others := StillKeptNotes(row.ended, row.look, nil)
		if !slices.Equal(notes, row.notes) || !slices.EqualFunc(others, row.free, func(a, b state.Pin) bool { return a.ID == b.ID }) {
			t.Errorf("%s: %q, %v", row.world, notes, others)
		}
	}
}

// TestTheEndOfAPinThatRootsDaemonDidNotGoByChangesNothingForIt, and nobody decides on what is gone.
func TestTheEndOfAPinThatRootsDaemonDidNotGoByChangesNothingForIt(t *testing.T) {
	roots, me := beside.Daemons{{User: "root", PID: 7}}, os.Geteuid()
	process := func(pid, uid int) inventory.Process {
		return inventory.Process{PID: pid, Start: 1, State: "S", UID: inventory.Known(uid)}
	}
	g := &graph.Graph{Snapshot: &inventory.Snapshot{Processes: []inventory.Process{process(21, me), process(22, me+1)}}}
	for i := range g.Snapshot.Processes {
		p := &g.Snapshot.Processes[i]
		g.Targets = append(g.Targets, &graph.Target{ID: p.ID().String(), Kind: graph.KindServer, Root: p, UID: p.UID})
	}
	box := strings.Repeat("ab", 32)
	const before = "note: root's daemon (process 7) decides on git %s as before, by its own policy and pins: sudo reaperd status"
	for _, row := range []struct {
		world, pin string
		daemons    beside.Daemons
		want       string
		others     int
	}{
		{"another user's process", "22:1", roots, fmt.Sprintf(before, "22"), 0},
		{"a container", box, roots, fmt.Sprintf(before, box[:12]), 0},
		{"the user's own process, which the pin kept from it", "21:1", roots, "", 1},
		{"no daemon of root's runs", box, nil, "", 1},
		{"it is gone", "23:1", roots, "note: git 23 is gone", 0},
		{"it is gone, and no daemon runs", "23:1", nil, "note: git 23 is gone", 0},
	} {
		notes, others := StillKeptNotes([]state.Pin{{ID: row.pin, Name: "git"}}, func() *Seen { return &Seen{Graph: g} }, row.daemons)
		if got := strings.Join(notes, "\n"); got != row.want || len(others) != row.others {
			t.Errorf("%s: %q, and %d left; want %q", row.world, got, len(others), row.want)
		}
	}
}

// TestAnEmptyWordEndsNoPin: it is an empty variable of a script.
func TestAnEmptyWordEndsNoPin(t *testing.T) {
	dir := state.Dir(t.TempDir())
	if err := dir.Pin("", time.Now(), state.Pin{ID: "224:1", Name: "codex"}); err != nil {
		t.Fatal(err)
	}
	ended, err := End(dir, []string{"224", ""}, seen)
	if pins, _ := dir.Pins("", time.Now()); len(ended) > 0 || len(pins) != 1 || err == nil || err.Error() != "unpin: an empty word names nothing" {
		t.Errorf("ended %v, pinned %v: %v", ended, pins, err)
	}
}

// TestAPinOfAContainerKeepsItsDockerRunFromOnesOwnSweepsOnly beside root's daemon, which takes both.
func TestAPinOfAContainerKeepsItsDockerRunFromOnesOwnSweepsOnly(t *testing.T) {
	box := &graph.Target{ID: "0a", Name: "github", Kind: graph.KindContainer, Container: &inventory.Container{Name: "/gh14"}, Vetoes: []graph.Veto{{Guard: graph.GuardPinned}}}
	run := &graph.Target{ID: "57:1", Name: "github", Root: &inventory.Process{PID: 57, Start: 1}, Vetoes: []graph.Veto{{Guard: graph.GuardPinned, For: box.ID}}}
	look := func() *Seen {
		return &Seen{Graph: &graph.Graph{Snapshot: &inventory.Snapshot{}, Targets: []*graph.Target{box, run}}, Verdicts: []policy.Verdict{{Target: run}}}
	}
	for want, daemons := range map[string]beside.Daemons{
		"note: it stays: github gh14 is pinned; reaperd unpin gh14   ends that": nil,
		"note: your pin of gh14 keeps it from your own sweeps; from root's daemon only a pin of root's does; root's daemon (process 7) goes by a user's pins of processes, not of containers: sudo reaperd pin gh14": {{User: "root", PID: 7}},
	} {
		if notes, _ := StillKeptNotes([]state.Pin{{ID: run.ID}}, look, daemons); !slices.Equal(notes, []string{want}) {
			t.Errorf("%q, want %q", notes, want)
		}
	}
}
