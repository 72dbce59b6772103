package top

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestKeys(t *testing.T) {
	for _, row := range []struct {
		name, keys string
		here       string   // the beginning of the row under the cursor
		shows      []string // texts on the screen
		hides      []string
		did        []Effect
	}{
		{"at first the reader is at the top and everything but processes shows", "", "▾ LEAKED",
			[]string{"lark-mcp 21700", "claude-code 4711", "docker 4730", "fetch fetch-1", "github 5110"}, []string{"node /srv"}, nil},
		{"down and up move, and stop at the ends", "up down down j k k", "└ ▾ codex 21655", nil, nil, nil},
		{"end is the last row", "G", "└ ▸ github 5110", nil, nil, nil},
		{"n goes to what leaks, from there on to it again", "n n", "└ ▸ lark-mcp 21700", nil, nil, nil},
		{"N goes there from the end", "G N", "└ ▸ lark-mcp 21700", nil, nil, nil},
		{"space folds a session, which then counts what it has", "/ p l a y enter up esc space", "├ ▸ claude-code 4711  ~/src  2 s…", nil, nil, nil},
		{"right unfolds a server's processes", "n right", "└ ▾ lark-mcp 21700", []string{"npm 21700", "node 21701"}, nil, nil},
		{"left folds it again, then goes to its owner", "n right left left", "└ ▾ codex 21655", nil, []string{"node 21701"}, nil},
		{"a second right on a client shows its processes beside its container", "/ d o c k e r enter esc right", "├ ▾ docker 4730",
			[]string{"node 4731", "fetch fetch-1"}, nil, nil},
		{"minus folds everything, plus unfolds it", "- +", "▾ LEAKED", []string{"github 5110"}, nil, nil},
		{"minus leaves sessions and what they hold", "-", "▾ LEAKED", []string{"claude-code 4711  ~/src  2 s…", "▸ codex 21655", "480 MB", "1 stops in 43s"}, []string{"playwright"}, nil},
		{"a filter leaves what it finds and what that stands below", "/ l a r k enter", "└ ▸ lark-mcp", []string{"codex 21655", "lark-mcp", "filter: lark"}, []string{"claude-code", "github"}, nil},
		{"a filter finds processes by PID although they are folded", "/ 2 1 7 0 1 enter", "└ node 21701", []string{"node 21701"}, []string{"npm 21700"}, nil},
		{"every word of a filter has to be there", "/ p e n d i n g space c l a u d e enter", "", []string{`Nothing here has "pending claude" in it`}, nil, nil},
		{"a filter by state", "/ i d l e enter", "└ ▸ github", []string{"github 5110"}, []string{"lark", "playwright"}, nil},
		{"a filter by the words of the column STATE", "/ s t o p s space i n enter", "└ ▸ lark-mcp", []string{"lark-mcp", "stops in 43s"}, []string{"github", "playwright"}, nil},
		{"a filter by the heading of what leaks", "/ l e a k e d enter", "", []string{"lark-mcp 21700"}, []string{"github", "playwright"}, nil},
		{"a word that no row has finds nothing", "/ k e p t enter", "", []string{`Nothing here has "kept" in it`}, nil, nil},
		{"a time of a state is no PID", "/ 4 3 s enter", "", []string{`Nothing here has "43s" in it`}, nil, nil},
		{"a session that a filter finds keeps what is below it", "/ c l a u d e enter", "└ ▾ claude-code", []string{"playwright", "fetch"}, []string{"github"}, nil},
		{"escape while typing ends the filter", "/ l a r k esc", "└ ▸ lark-mcp", []string{"claude-code"}, nil, nil},
		{"backspace takes a letter back", "/ l a r x backspace k enter", "└ ▸ lark-mcp", []string{"lark-mcp"}, nil, nil},
		{"commands are letters while a filter is typed", "/ q x p enter", "", []string{`"qxp"`}, nil, nil},
		{"s sorts siblings by memory", "s", "▾ LEAKED", []string{"by memory"}, nil, nil},
		{"enter shows everything that is known", "n enter", "", []string{"lark-mcp 21700: stops in 43s", "nobody holds the other end of its stdin (orphaned, proof)",
			"gone since 2026-11-22 13:54:11", "orphaned-servers", "SIGTERM, and SIGKILL after 5s", "reaperd pin 21700"}, []string{"claude-code"}, nil},
		{"escape comes back to the same row", "n enter esc", "└ ▸ lark-mcp 21700", nil, nil, nil},
		{"enter on the head of a branch folds it", "enter", "▸ LEAKED", nil, []string{"lark"}, nil},
		{"help says what keys do", "?", "", []string{"pin it: reaperd leaves it alone", "a live session or process has it"}, nil, nil},
		{"p pins", "n p", "└ ▸ lark-mcp 21700", []string{"pinning…"}, nil, []Effect{{Do: Pin, Targets: []string{"21700:1"}}}},
		{"p pins from the page of details too", "n enter p", "", []string{"pinning…"}, nil, []Effect{{Do: Pin, Targets: []string{"21700:1"}}}},
		{"x asks for the plan, and only once", "n x x", "└ ▸ lark-mcp 21700", []string{"first the question; esc gives it up"}, nil, []Effect{{Do: Stop, Targets: []string{"21700:1"}}}},
		{"until the question is there no key means anything else", "n x up enter / y p s", "└ ▸ lark-mcp 21700", []string{"first the question"}, []string{"by memory"}, []Effect{{Do: Stop, Targets: []string{"21700:1"}}}},
		{"x says how long it looks, and how to give it up", "n x", "└ ▸ lark-mcp 21700", []string{"looking twice, 10s apart, before the question is asked… 10s  esc gives up"}, nil, []Effect{{Do: Stop, Targets: []string{"21700:1"}}}},
		{"escape gives a stop up", "n x esc", "└ ▸ lark-mcp 21700", []string{"giving up…"}, nil, []Effect{{Do: Stop, Targets: []string{"21700:1"}}, {Do: GiveUp}}},
		{"nothing else is begun before it is given up", "n x esc p", "└ ▸ lark-mcp 21700", []string{"one thing after the other"}, nil, []Effect{{Do: Stop, Targets: []string{"21700:1"}}, {Do: GiveUp}}},
		{"x on the heading of what leaks stops all of it", "x", "▾ LEAKED", []string{"looking twice"}, nil, []Effect{{Do: Stop, Targets: []string{"21700:1"}}}},
		{"x on a session that has ended stops all that it left", "down x", "└ ▾ codex 21655", []string{"looking twice"}, nil, []Effect{{Do: Stop, Targets: []string{"21700:1"}}}},
		{"p on a session that has ended pins all that it left", "down p", "└ ▾ codex 21655", []string{"pinning"}, nil, []Effect{{Do: Pin, Targets: []string{"21700:1"}}}},
		{"a heading of what lives is not acted on", "down down down x p", "▾ LIVE SESSIONS", []string{"go to a session, a server or a container first"}, nil, nil},
		{"q quits", "q", "▾ LEAKED", nil, nil, []Effect{{Do: Quit}}},
		{"q leaves a page first", "? q q", "▾ LEAKED", nil, nil, []Effect{{Do: Quit}}},
		{"the terminal's keys", "ctrl-z ctrl-l r", "▾ LEAKED", nil, nil, []Effect{{Do: Suspend}, {Do: Redraw}, {Do: Look}}},
		{"other keys do nothing", "ü tab ctrl-u 7", "▾ LEAKED", nil, nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := reads(t, ordinary())
			r.types(row.keys)
			if row.here != "" && !strings.HasPrefix(strings.TrimLeft(r.here(), "│ "), row.here) {
				t.Errorf("the reader is at %q, want %q", r.here(), row.here)
			}
			wantOn(t, r.screen(), row.shows, row.hides)
			if !reflect.DeepEqual(r.did, row.did) {
				t.Errorf("it did %v, want %v", r.did, row.did)
			}
		})
	}
}

func wantOn(t *testing.T, screen string, shows, hides []string) {
	t.Helper()
	for _, text := range shows {
		if !strings.Contains(screen, text) {
			t.Errorf("%q is not on the screen:\n%s", text, screen)
		}
	}
	for _, text := range hides {
		if strings.Contains(screen, text) {
			t.Errorf("%q is on the screen:\n%s", text, screen)
		}
	}
}

func TestOnlyAYIsAYes(t *testing.T) {
	for keys, want := range map[string][]Effect{
		"y": {{Do: Yes}}, "Y": {{Do: Yes}}, "n": {{Do: No}}, "enter": {{Do: No}}, "esc": {{Do: No}}, "q": {{Do: No}}, "ctrl-c": {{Do: No}},
		"x": nil, "down": nil, "space": nil, "/ y": {{Do: Yes}},
	} {
		r := reads(t, ordinary())
		r.types("n x")
		r.did = nil
		r.sends(Question{Plan: []string{"Would stop 1."}, Asks: "Stop this?"})
		wantOn(t, r.screen(), []string{"Would stop 1.", "Stop this?", "y yes, n no"}, nil)
		r.types(keys)
		if !reflect.DeepEqual(r.did, want) {
			t.Errorf("%s does %v, want %v", keys, r.did, want)
		}
	}
}

func TestWhatIsPastedIsNoCommand(t *testing.T) {
	r := reads(t, ordinary())
	r.sends(Pasted("qxy"))
	r.sends(Question{Asks: "Stop this?"})
	r.sends(Pasted("y"))
	if len(r.did) != 0 {
		t.Errorf("it did %v", r.did)
	}
	r.types("n /")
	r.sends(Pasted("lark\x1b[2J"))
	wantOn(t, r.screen(), []string{"filter: lark?[2J"}, nil)
}

func TestWhatCameOfAnActIsSaid(t *testing.T) {
	for _, row := range []struct {
		name  string
		said  Said
		shows []string
	}{
		{"one line at the foot", Said{Lines: []string{"Pinned lark-mcp 21700."}}, []string{"Pinned lark-mcp 21700.", "LEAKED"}},
		{"more lines on a page", Said{Lines: []string{"Stopped 1.", "", "lark-mcp 21700  exited"}}, []string{"What came of it", "exited"}},
		{"why it was not done", Said{Err: errors.New("mode: report")}, []string{"Not done: mode: report", "LEAKED"}},
	} {
		r := reads(t, ordinary())
		r.types("n p")
		r.sends(row.said)
		wantOn(t, r.screen(), row.shows, []string{"pinning it"})
		r.types("x")
		if len(r.did) != 1 && r.model.mode == browsing && r.did[1].Do != Stop {
			t.Errorf("%s: afterwards it did %v", row.name, r.did)
		}
	}
}

// TestAStopWithNothingToAskIsNotCalledDone: nothing came of it.
func TestAStopWithNothingToAskIsNotCalledDone(t *testing.T) {
	r := reads(t, ordinary())
	r.types("n x")
	r.sends(Said{Effect: Effect{Do: Stop}, Lines: []string{"1 MCP server, orphaned.", "Would stop nothing."}})
	wantOn(t, r.screen(), []string{"Nothing is stopped", "Would stop nothing."}, []string{"What came of it"})

	r.types("esc x")
	r.sends(Question{Asks: "Stop lark-mcp 21700?"})
	r.types("y")
	r.sends(Said{Effect: Effect{Do: Stop}, Lines: []string{"Stopped 1.", "lark-mcp 21700  exited"}})
	wantOn(t, r.screen(), []string{"What came of it", "Stopped 1."}, nil)
}

func TestAPinnedRowIsUnpinned(t *testing.T) {
	kept := []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}}
	for _, row := range []struct {
		name  string
		keys  string
		pins  []string
		guard []graph.Veto
		want  Effect
		shows []string
		hides []string
	}{
		{"a pinned server", "G p", []string{"21700:1"}, kept, Effect{Do: Unpin, Targets: []string{"21700:1"}}, []string{"pinned  ", "1 pinned"}, nil},
		{"a pinned session", "down p", []string{"5:1"}, nil, Effect{Do: Unpin, Targets: []string{"5:1"}}, []string{"pinned  ", "1 pinned"}, nil},
		{"the details of a pinned session", "down enter", []string{"5:1"}, nil, Effect{}, []string{"codex 5: pinned", "p ends the pin (reaperd unpin 5)", "the pin ends with the session, and keeps what it holds only until"}, []string{"p pins it"}},
		{"a server that its session's pin keeps has none to end", "G p", []string{"5:1"}, kept, Effect{Do: Pin, Targets: []string{"21700:1"}}, []string{"1 pinned"}, nil},
		{"a server whose environment keeps it counts as no pin", "G p", nil, kept, Effect{Do: Pin, Targets: []string{"21700:1"}}, []string{"pinned  "}, []string{"1 pinned"}},
		{"a pin that the daemon's look does not know yet", "G p", []string{"21700:1"}, nil, Effect{Do: Unpin, Targets: []string{"21700:1"}}, []string{"pinned  ", "1 pinned"}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld()
			w.server("lark-mcp", 21700, w.session("codex", 5)).Target.Vetoes = row.guard
			r := reads(t, w)
			r.sends(Seen{Tree: w.tree(), From: Daemon, Pins: row.pins})
			r.types(row.keys)
			if row.want.Do == Nothing && len(r.did) > 0 || row.want.Do != Nothing && !reflect.DeepEqual(r.did, []Effect{row.want}) {
				t.Errorf("did %v", r.did)
			}
			wantOn(t, r.screen(), row.shows, row.hides)
		})
	}
}

func TestTheSecondPUnpinsASession(t *testing.T) {
	r := reads(t, ordinary())
	r.types("/ 5 1 0 0 enter esc p")
	r.sends(Said{Effect: r.did[0], Lines: []string{"Pinned codex 5100."}})
	wantOn(t, r.screen(), []string{"Pinned codex 5100, and while it lives its 1 server.", "1 pinned"}, nil)
	r.types("p")
	r.sends(Said{Effect: r.did[1], Lines: []string{"Unpinned codex 5100."}})
	wantOn(t, r.screen(), []string{"Unpinned codex 5100."}, []string{"1 pinned"})
	if want := []Effect{{Do: Pin, Targets: []string{"5100:1"}}, {Do: Unpin, Targets: []string{"5100:1"}}}; !reflect.DeepEqual(r.did, want) {
		t.Errorf("did %v", r.did)
	}
}

func TestTheReaderStaysWhereItWas(t *testing.T) {
	r := reads(t, ordinary())
	r.types("/ p l a y enter esc")
	if !strings.Contains(r.here(), "playwright 4720") {
		t.Fatalf("at %q", r.here())
	}
	w := ordinary()
	w.Verdicts = w.Verdicts[:len(w.Verdicts)-1] // the leaked server has gone
	r.sends(Seen{Tree: w.tree(), From: Daemon})
	if !strings.Contains(r.here(), "playwright 4720") {
		t.Errorf("after a look at %q", r.here())
	}
	w.Verdicts = w.Verdicts[1:] // playwright has gone too
	r.sends(Seen{Tree: w.tree(), From: Daemon})
	if !strings.Contains(r.here(), "codex 5100") {
		t.Errorf("when it is gone, at %q", r.here())
	}
	r.sends(Seen{Tree: overview.Tree{}, From: Daemon})
	wantOn(t, r.screen(), []string{"No agent session"}, nil)
	r.types("up down enter n N x space left")
}

func TestOrdersAreReadAsTheyAreWritten(t *testing.T) {
	for _, order := range Orders() {
		if read, err := ParseOrder(order.String()); err != nil || read != order {
			t.Errorf("%s is read as %s, %v", order, read, err)
		}
	}
	if _, err := ParseOrder("size"); err == nil || !strings.Contains(err.Error(), "tree, memory, cpu, age, state, name") {
		t.Errorf("got %v", err)
	}
}

func TestSiblingsAreSorted(t *testing.T) {
	for order, want := range map[Order]string{
		ByTree: "a b c", ByName: "a b c", ByMemory: "b c a", ByCPU: "c a b", ByAge: "c b a", ByUrgent: "b c a",
	} {
		w := newWorld()
		w.Verdicts = make([]policy.Verdict, 0, 4)
		owner := w.session("claude-code", 1)
		a, b, c := w.server("a", 10, owner), w.server("b", 20, owner), w.server("c", 30, owner)
		a.Target.MemoryBytes, b.Target.MemoryBytes, c.Target.MemoryBytes = 1, 3, 2
		a.Target.CPUPercent, b.Target.CPUPercent, c.Target.CPUPercent = inventory.Known(2.0), inventory.Known(1.0), inventory.Known(3.0)
		a.Target.Root.StartedAt, b.Target.Root.StartedAt, c.Target.Root.StartedAt = at, at.Add(-1), at.Add(-2)
		orphaned(b, 0).Target.Owner = owner
		c.Target.Finding = graph.FindingDuplicate
		r := reads(t, w)
		r.model.order = order
		var got []string
		for _, row := range r.model.listed()[2:] {
			got = append(got, row.node.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("by %s: %v, want %s", order, got, want)
		}
	}
}

func TestTheFootOffersOnlyWhatARowCanDo(t *testing.T) {
	for _, row := range []struct {
		name, keys string
		pins       []string
		shows      []string
		hides      []string
	}{
		{"a heading", "g down down down", nil, []string{"q quit"}, []string{"p pin", "x stop"}},
		{"the heading of what leaks", "g", nil, []string{"p pin all  x stop all"}, nil},
		{"a dead session", "g down", nil, []string{"p pin all  x stop all"}, nil},
		{"the details of a dead session", "g down enter", nil, []string{"esc back  p pin all  x stop all", "p pins all that it left", "x asks to stop all that it left now"}, nil},
		{"a server", "n", nil, []string{"p pin  x stop"}, nil},
		{"the details of a server", "n enter", nil, []string{"esc back  p pin  x stop", "x asks to stop it now (reaperd sweep 21700)"}, nil},
		{"a pinned server", "n", []string{"21700:1"}, []string{"p unpin  /"}, []string{"x stop"}},
		{"the details of a pinned server", "n enter", []string{"21700:1"}, []string{"esc back  p unpin"}, []string{"x stop"}},
		{"a server in use", "/ 4 7 2 0 enter esc", nil, []string{"p pin  /"}, []string{"x stop"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := reads(t, ordinary())
			r.sends(Seen{Tree: ordinary().tree(), From: Daemon, Pins: row.pins})
			r.types(row.keys)
			wantOn(t, r.screen(), row.shows, row.hides)
		})
	}
}

// TestOfAGroupTheFootCountsWhatGoes: what is pinned stays, and x stops the rest.
func TestOfAGroupTheFootCountsWhatGoes(t *testing.T) {
	w := ordinary()
	orphaned(w.server("fetch", 21800, gone("codex", 21655)), 30*time.Second)
	r := reads(t, w)
	r.sends(Seen{Tree: w.tree(), From: Daemon, Pins: []string{"21700:1"}})
	r.types("g")
	wantOn(t, r.screen(), []string{"q quit  enter fold  p pin all  x stop 1  /"}, nil)
	r.types("down enter")
	wantOn(t, r.screen(), []string{"x stop 1", "x asks to stop fetch 21800 now; lark-mcp 21700 stays"}, nil)
}

// onlyReported has a rule without an action be the one that holds of a leak.
func onlyReported(tree *overview.Tree, key string) {
	n := tree.Find(key)
	n.State, n.Next = overview.StateReported, overview.Next{Rule: "listening-orphans", Action: policy.ActionReport}
}

// TestOfAGroupWhatARuleOnlyReportsIsNotOffered: x would not stop it.
func TestOfAGroupWhatARuleOnlyReportsIsNotOffered(t *testing.T) {
	w := ordinary()
	orphaned(w.server("fetch", 21800, gone("codex", 21655)), 30*time.Second)
	tree := w.tree()
	onlyReported(&tree, "server:21700:1")
	r := reads(t, w)
	r.sends(Seen{Tree: tree, From: Daemon})
	r.types("g")
	wantOn(t, r.screen(), []string{"q quit  enter fold  p pin all  x stop 1  /"}, nil)
	r.types("down enter")
	wantOn(t, r.screen(), []string{"x asks to stop fetch 21800 now; lark-mcp 21700 stays"}, nil)
	onlyReported(&tree, "server:21800:1")
	r.sends(Seen{Tree: tree, From: Daemon})
	wantOn(t, r.screen(), []string{"x stops none of it: all that it left stays"}, []string{"x asks", "x stop all"})
	r.types("esc x")
	wantOn(t, r.screen(), []string{"Nothing is stopped", "x stops none of it. x on one of them says why."}, []string{"pin"})
	if len(r.did) > 0 {
		t.Errorf("x does %v", r.did)
	}
}

// TestWhatIsBeingStoppedOffersNothing: no key changes that its end has begun.
func TestWhatIsBeingStoppedOffersNothing(t *testing.T) {
	const late = "too late: its end has begun, and neither p nor x changes that"
	for _, pins := range [][]string{nil, {"21700:1"}} {
		w := ordinary()
		w.Acting = map[string]bool{"21700:1": true}
		r := reads(t, w)
		r.sends(Seen{Tree: w.tree(), From: Daemon, Pins: pins})
		r.types("n")
		wantOn(t, r.screen(), []string{"lark-mcp 21700", "enter details  /"}, []string{"p pin", "p unpin", "x stop"})
		r.types("enter")
		wantOn(t, strings.Join(strings.Fields(r.screen()), " "), []string{"stopping now", "keep it " + late}, []string{"p pin", "p ends", "x asks", "x stop"})
		for _, key := range []string{"p", "x"} {
			r.types("esc " + key)
			wantOn(t, r.screen(), []string{late}, nil)
		}
		if len(r.did) > 0 {
			t.Errorf("the keys ask for %v", r.did)
		}
	}
}

// TestWhatGoesWithASessionIsNotStoppedAlone: a plan for the server alone would be empty.
func TestWhatGoesWithASessionIsNotStoppedAlone(t *testing.T) {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 4)
	owner := w.session("codex", 5100)
	p := w.Graph.Sessions[0].Process
	w.Graph.Sessions[0].Target = &graph.Target{ID: p.ID().String(), Kind: graph.KindSession, Name: "codex", Root: p, Members: []*inventory.Process{p}, Finding: graph.FindingIdle}
	session := w.add(w.Graph.Sessions[0].Target)
	session.Decision, session.Rule, session.Action = policy.Reap, "too-long", policy.ActionTerminate
	server := w.server("github", 5110, owner)
	server.Decision, server.Rule, server.Action, server.With = policy.Reap, "too-long", policy.ActionTerminate, session.Target.ID
	r := reads(t, w)
	r.types("G")
	wantOn(t, r.screen(), []string{"github 5110", "p pin  /"}, []string{"x stop"})
	r.types("enter")
	wantOn(t, r.screen(), []string{"it goes with codex 5100"}, []string{"reaperd sweep", "x stop"})
	r.types("esc x")
	wantOn(t, strings.Join(strings.Fields(r.screen()), " "), []string{"github 5110 goes only with codex 5100: x on codex 5100 stops it with all that goes with it."}, nil)
}

// TestWhatWaitsWithALeakedGatewayIsStoppedWithThat: x on the server alone would change nothing.
func TestWhatWaitsWithALeakedGatewayIsStoppedWithThat(t *testing.T) {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 2)
	left := graph.Owner{Name: "opencode", Kind: graph.OwnerSession, ID: inventory.ID{PID: 44, Start: 1}, Liveness: graph.LivenessGone, Since: at}
	hub := w.server("docker-mcp-gateway", 5000, left)
	below := w.server("github", 5110, graph.Owner{Name: "docker-mcp-gateway", Kind: graph.OwnerGateway, ID: hub.Target.Root.ID(), Liveness: graph.LivenessGone})
	hub.Target.Kind, hub.Target.Below = graph.KindGateway, []string{below.Target.ID}
	for verdict, rule := range map[*policy.Verdict]string{hub: "orphaned-gateways", below: "orphaned-servers"} {
		verdict.Decision, verdict.Rule, verdict.Action = policy.Pending, rule, policy.ActionTerminate
		verdict.Target.Finding, verdict.DueAt = graph.FindingOrphaned, at.Add(20*time.Second)
	}
	r := reads(t, w)
	r.types("G")
	wantOn(t, r.screen(), []string{"github 5110", "p pin  /"}, []string{"x stop"})
	r.types("enter")
	said := strings.Join(strings.Fields(r.screen()), " ")
	wantOn(t, said, []string{"it goes with docker-mcp-gateway 5000", "p pins it, and then docker-mcp-gateway 5000 stays too (reaperd pin 5110)", "x on docker-mcp-gateway 5000 asks to stop that, with all that goes with it (reaperd sweep 5000)"}, nil)
	if n := strings.Count(said, "next "); n != 1 {
		t.Errorf("%d lines say what comes next: %s", n, said)
	}
	r.types("esc x")
	wantOn(t, strings.Join(strings.Fields(r.screen()), " "), []string{"github 5110 goes only with docker-mcp-gateway 5000: x on docker-mcp-gateway 5000 stops it with all that goes with it."}, nil)
}

// TestWhatIsHeldByASessionThatStopsGoesWithIt, and is not shown as in use; x on the session is a
// sweep for what idles.
func TestWhatIsHeldByASessionThatStopsGoesWithIt(t *testing.T) {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 4)
	owner := w.session("codex", 5100)
	p := w.Graph.Sessions[0].Process
	w.Graph.Sessions[0].Target = &graph.Target{ID: p.ID().String(), Kind: graph.KindSession, Name: "codex", Root: p, Members: []*inventory.Process{p}, Finding: graph.FindingIdle, Idle: inventory.Known(20 * time.Minute)}
	session := w.add(w.Graph.Sessions[0].Target)
	session.Decision, session.Rule, session.Action, session.DueAt = policy.Pending, "idle-end", policy.ActionTerminate, at.Add(2*time.Minute)
	w.server("github", 5110, owner)
	r := reads(t, w)
	wantOn(t, r.screen(), []string{"1 session idle, 340 MB: stops in 2m", "stops with session"}, []string{"in use"})
	r.types("G enter")
	wantOn(t, r.screen(), []string{"github 5110: stops with session", "it goes with codex 5100: stops in 2m"}, []string{"reaperd sweep"})
	r.types("esc x")
	wantOn(t, strings.Join(strings.Fields(r.screen()), " "), []string{"github 5110 goes only with codex 5100"}, nil)
	r.types("esc k enter")
	wantOn(t, r.screen(), []string{"codex 5100: stops in 2m", "reaperd sweep --idle-over 20m 5100"}, nil)
	r.types("x")
	if want := []Effect{{Do: Stop, Targets: []string{session.Target.ID}, Ends: policy.Switches{IdleOver: 20 * time.Minute}}}; !reflect.DeepEqual(r.did, want) {
		t.Errorf("it does %+v, want %+v", r.did, want)
	}
}

// TestOfAGroupOnlyTheRestIsOffered: the end of one of two has begun, and then of both.
func TestOfAGroupOnlyTheRestIsOffered(t *testing.T) {
	w := ordinary()
	orphaned(w.server("fetch", 21800, gone("codex", 21655)), 30*time.Second)
	w.Acting = map[string]bool{"21700:1": true}
	r := reads(t, w)
	r.types("g down enter")
	wantOn(t, strings.Join(strings.Fields(r.screen()), " "),
		[]string{"lark-mcp 21700: stopping now", "too late the end of 1 of these has begun", "p pins the rest", "x asks to stop the rest now", "esc back p pin the rest x stop the rest"}, nil)
	wantOn(t, r.screen(), nil, []string{"stop all"})
	r.types("esc p")
	if last := r.did[len(r.did)-1]; last.Do != Pin || !slices.Equal(last.Targets, []string{"21800:1"}) {
		t.Errorf("p does %v", last)
	}
	w.Acting["21800:1"] = true
	r = reads(t, w)
	r.types("g down enter")
	wantOn(t, strings.Join(strings.Fields(r.screen()), " "), []string{"keep it too late: the end of all of it has begun", "esc back"}, []string{"p pin", "x stop", "x asks"})
	for _, keys := range []string{"esc x", "g x"} {
		r.types(keys)
		wantOn(t, r.screen(), []string{"too late: the end of all of it has begun"}, nil)
	}
	if len(r.did) > 0 {
		t.Errorf("x does %v", r.did)
	}
}

func TestWhatStaysSaysSoAtOnce(t *testing.T) {
	for _, row := range []struct {
		name   string
		goes   string // the keys that go to the row
		pins   []string
		change func(*overview.Tree)
		shows  []string
	}{
		{"a live session", "/ 5 1 0 0 enter esc", nil, nil, []string{"codex 5100 stays", "codex 5100 is a live session and in use", "Quit it on pts/3", "--idle-over"}},
		{"a pinned session", "/ 5 1 0 0 enter esc", []string{"5100:1"}, nil, []string{"codex 5100 stays", "codex 5100 is pinned, so x does not stop it. p ends the pin."}},
		{"a server in use", "/ 4 7 2 0 enter esc", nil, nil, []string{"playwright 4720 stays", "playwright 4720 is in use by claude-code 4711.", "It ends with claude-code 4711: quit that on pts/3"}},
		{"a server that is idle with its session", "/ 5 1 1 0 enter esc", nil, nil, []string{"github 5110 is in use by codex 5100.", "It ends with codex 5100"}},
		{"an older copy that is not idle for as long as its rule asks", "/ 5 1 1 0 enter esc", nil, func(tree *overview.Tree) {
			n := tree.Find("server:5110:1")
			n.Rests, n.Reason = true, `an older copy: rule "duplicates" asks for an idle time of 30m, and it has 2m`
		}, []string{"github 5110 is an older copy: rule \"duplicates\" asks for an idle time of 30m, and it has 2m. Until then it counts as in use"}},
		{"a server of an idle session", "/ 5 1 1 0 enter esc", nil, func(tree *overview.Tree) {
			tree.Find("session:5100:1").State = overview.StateIdle
		}, []string{"It ends with codex 5100, which is idle: x on that session asks to stop it with all that it holds."}},
		{"a server of a pinned session", "/ 5 1 1 0 enter esc", []string{"5100:1"}, func(tree *overview.Tree) {
			n := tree.Find("server:5110:1")
			n.State, n.Guards = overview.StatePinned, []graph.Veto{{Guard: graph.GuardPinned, Text: "it hangs on codex 5100, which is pinned"}}
		}, []string{"it is pinned with codex 5100, whose pin p ends there"}},
		{"a server whose environment pins it", "/ 5 1 1 0 enter esc", nil, func(tree *overview.Tree) {
			n := tree.Find("server:5110:1")
			n.State, n.Guards = overview.StatePinned, []graph.Veto{{Guard: graph.GuardPinned, Text: "REAPERD_KEEP is in its environment"}}
		}, []string{"so x does not stop it: REAPERD_KEEP is in its environment."}},
		{"what a rule only reports", "g down down enter esc", nil, func(tree *overview.Tree) {
			onlyReported(tree, "server:21700:1")
		}, []string{"lark-mcp 21700 stays, and x does not stop it: rule \"listening-orphans\"", "it only reports. An action in your policy has it stopped: reaperd help policy"}},
		{"what nothing proves to be anybody's", "/ 5 1 1 0 enter esc", nil, func(tree *overview.Tree) {
			n := tree.Find("server:5110:1")
			n.Owner, n.Reason = overview.Owner{}, ""
		}, []string{"nothing proves whose it is", "x stops only what is proven to be nobody's"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, width := range []int{80, 40} {
				tree := ordinary().tree()
				if row.change != nil {
					row.change(&tree)
				}
				r := reads(t, ordinary())
				r.sends(Resized{width, 24}, Seen{Tree: tree, From: Daemon, Pins: row.pins})
				r.types(row.goes + " x")
				if len(r.did) != 0 {
					t.Errorf("it does %v", r.did)
				}
				screen := strings.Join(strings.Fields(r.screen()), " ")
				wantOn(t, screen, row.shows, nil)
			}
		})
	}
}

func TestAServerOfAPinnedSessionSaysSo(t *testing.T) {
	r := reads(t, ordinary())
	r.sends(Seen{Tree: ordinary().tree(), From: Daemon, Pins: []string{"5100:1"}})
	r.types("/ 5 1 1 0 enter esc")
	wantOn(t, r.here(), []string{"pinned with session"}, nil)
	r.types("p")
	r.sends(Said{Effect: r.did[0], Lines: []string{"Pinned github 5110."}})
	wantOn(t, r.screen(), []string{"Pinned github 5110. It is pinned with codex 5100 too.", "2 pinned"}, nil)
	r.types("p")
	r.sends(Said{Effect: r.did[1], Lines: []string{"Unpinned github 5110."}, Stays: []string{"5110:1"}, Keeps: " It stays: codex 5100 is pinned."})
	wantOn(t, r.screen(), []string{"Unpinned github 5110. It stays: codex 5100 is pinned.", "1 pinned"}, nil)
	if want := []Effect{{Do: Pin, Targets: []string{"5110:1"}}, {Do: Unpin, Targets: []string{"5110:1"}}}; !reflect.DeepEqual(r.did, want) {
		t.Errorf("did %v", r.did)
	}
	r.types("enter")
	wantOn(t, r.screen(), []string{"github 5110: pinned with session", "it is pinned with codex 5100, whose pin p ends there"}, nil)
}

func TestOneLongLineIsReadWhole(t *testing.T) {
	r := reads(t, ordinary())
	r.types("n p")
	r.sends(Said{Lines: []string{"Pinned lark-mcp 21700. " + strings.Repeat("word ", 30) + "needed"}})
	wantOn(t, r.screen(), []string{"What came of it", "needed"}, nil)
	r.types("esc")
	r.sends(Said{Err: errors.New(strings.Repeat("word ", 30) + "refused")})
	wantOn(t, r.screen(), []string{"Not done", "word", "refused"}, []string{"Not done: "})
	r.sends(Said{Err: errors.New("It has 2 faults:\n" + strings.Repeat("word ", 30) + "one\nthe other")})
	wantOn(t, r.screen(), []string{"It has 2 faults:\nword", "word one\nthe other\n"}, []string{"?"})
}

// TestWhatAPinnedServersSessionHoldsIsKeptWithThatServer: nobody has pinned the others.
func TestWhatAPinnedServersSessionHoldsIsKeptWithThatServer(t *testing.T) {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 4)
	owner := w.session("codex", 5100)
	p := w.Graph.Sessions[0].Process
	w.Graph.Sessions[0].Target = &graph.Target{ID: p.ID().String(), Kind: graph.KindSession, Name: "codex", Root: p, Members: []*inventory.Process{p}, Finding: graph.FindingIdle, Idle: inventory.Known(20 * time.Minute)}
	session := w.add(w.Graph.Sessions[0].Target)
	pinned := w.server("github", 5110, owner)
	pinned.Target.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}}
	session.Rule, session.Action = "idle-end", policy.ActionTerminate
	session.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, For: pinned.Target.ID, Text: "github 5110 would end with it: reaperd pin keeps it"}}
	w.server("fetch", 5120, owner)
	r := reads(t, w)
	if got := strings.Count(r.screen(), "kept with github"); got != 2 {
		t.Errorf("the session and its other server: %d are kept with it\n%s", got, r.screen())
	}
	wantOn(t, r.screen(), []string{"pinned"}, []string{"pinned with session"})
	r.types("/ f e t c h enter enter")
	wantOn(t, strings.Join(strings.Fields(r.screen()), " "), []string{"fetch 5120: kept with github 5110", "kept codex 5100 stays, with all that it holds: ", "(reaperd unpin 5110 ends that)"}, []string{"somebody pinned it"})
}

// TestALiveSessionThatDoesNothingIsToldFromWhenOnItIsIdle, by Enter and by x, which does not stop it.
func TestALiveSessionThatDoesNothingIsToldFromWhenOnItIsIdle(t *testing.T) {
	tree := ordinary().tree()
	tree.IdleFor = 3600
	n := tree.Find("session:5100:1")
	n.Use, n.State, n.IdleSince, n.TTY = "", overview.StateKept, tree.At.Add(-101*time.Second), "pts/2"
	r := reads(t, ordinary())
	r.sends(Seen{Tree: tree, From: Daemon})
	r.model.mode, r.model.page = paging, page{shows: detailsPage, about: n.Key}
	wantOn(t, r.screen(), []string{"it counts as idle from 1h on"}, nil)
	r.types("x")
	wantOn(t, strings.Join(strings.Fields(r.screen()), " "), []string{"codex 5100 has done nothing for 1m. It counts as idle from 1h on, and x does not stop it before.", "To stop it now: reaperd sweep --idle-over 1m 5100, which asks first; or quit it on pts/2."}, []string{"in use: x"})
	for want, seen := range map[string]Seen{
		"To stop it now: reaperd sweep --idle-over 10s 5100, which looks for as long and asks first; or quit it on pts/2.": {Tree: tree, From: NoDaemon},
		"To stop it now: reaperd sweep --mode enforce --idle-over 1m 5100, which asks first; or quit it on pts/2.":         {Tree: tree, From: Daemon, FileMode: policy.ModeReport},
	} {
		again := reads(t, ordinary())
		again.sends(seen)
		again.model.mode, again.model.page = paging, page{shows: detailsPage, about: n.Key}
		again.types("x")
		wantOn(t, strings.Join(strings.Fields(again.screen()), " "), []string{want}, nil)
	}
	if len(r.did) > 0 {
		t.Errorf("it does %+v", r.did)
	}
}

// TestAnOlderCopyInUseIsToldWithWhatItsRuleWillDo, and how to stop it then.
func TestAnOlderCopyInUseIsToldWithWhatItsRuleWillDo(t *testing.T) {
	const reports, stops = "next       rule duplicates only reports it once it has an idle time of 30m (built-in:90)", "stop it    once it has, x asks to (reaperd sweep --duplicates 5110)"
	for action, want := range map[policy.Action][]string{
		policy.ActionReport:    {reports, stops},
		policy.ActionTerminate: {"next       rule duplicates stops it once it has an idle time of 30m (built-in:90)"},
	} {
		tree := ordinary().tree()
		n := tree.Find("server:5110:1")
		n.Rests, n.Next = true, overview.Next{Awaits: overview.Awaits{Rule: "duplicates", Origin: "built-in:90", Action: action, Wants: "an idle time of 30m"}}
		r := reads(t, ordinary())
		r.sends(Resized{120, 30}, Seen{Tree: tree, From: Daemon})
		r.model.mode, r.model.page = paging, page{shows: detailsPage, about: n.Key}
		wantOn(t, r.screen(), want, nil)
		if got := strings.Contains(r.screen(), "stop it "); got != (action == policy.ActionReport) {
			t.Errorf("%s: x is offered: %v\n%s", action, got, r.screen())
		}
		r.sends(Seen{Tree: tree, From: Daemon, Pins: []string{n.Target}})
		wantOn(t, r.screen(), []string{"p ends the pin"}, []string{"stop it ", "rule duplicates"})
	}
}

// TestAClientThatIsNotKnownIsToldAsThat: what reaperd does about it, and how to have it known.
func TestAClientThatIsNotKnownIsToldAsThat(t *testing.T) {
	tree := ordinary().tree()
	others := tree.Branch(overview.BranchOthers)
	others.Nodes = append(others.Nodes, overview.Node{Key: "owner:70:1", Kind: overview.KindOwner, Name: "myagent", PID: 70,
		Children: []overview.Node{{Key: "server:71:1", Kind: overview.KindServer, Name: "foo", Handle: "71", Target: "71:1", Owner: overview.Owner{Name: "myagent", PID: 70, Liveness: graph.LivenessLive}}}})
	r := reads(t, ordinary())
	r.sends(Seen{Tree: tree, From: Daemon})
	r.types("/ m y a g enter enter")
	wantOn(t, r.screen(), []string{"no known client, but it lives: reaperd never touches it", "sessions: [{name: myagent, match: {exe: myagent}}]"}, []string{"whose"})
	r.types("x")
	wantOn(t, r.screen(), []string{"myagent 70 is no client that reaperd knows"}, nil)
}

// TestTheHeadCountsEachIdleSessionOnce: one that a rule stops, and one that stays because it is pinned.
func TestTheHeadCountsEachIdleSessionOnce(t *testing.T) {
	tree := ordinary().tree()
	for i, key := range []string{"session:5100:1", "session:4711:1"} {
		n := tree.Find(key)
		n.Finding, n.State = graph.FindingIdle, overview.StatePinned
		n.Totals.IdleSessions, n.Totals.IdleBytes = 1, 20_000_000
		if i == 0 {
			n.State, n.Next.DueAt, n.Next.Rule = overview.StatePending, at.Add(2*time.Minute), "idle-end"
			n.Totals.Pending = 1
		}
	}
	tree.Totals.IdleSessions, tree.Totals.IdleBytes = 2, 40_000_000
	sessions := tree.Branch(overview.BranchSessions)
	sessions.Totals.Pending = 1
	r := reads(t, ordinary())
	r.sends(Resized{120, 30}, Seen{Tree: tree, From: Daemon, Pins: []string{"4711:1"}})
	wantOn(t, r.screen(), []string{"1 session idle, 20 MB: stops in 2m  1 session idle, 20 MB, pinned"}, []string{"2 sessions idle", "1 pinned"})
}

// TestWithoutADaemonADueSessionIsOneThing: its servers go with it, and a sweep by hand would have to
// look for as long as top has.
func TestWithoutADaemonADueSessionIsOneThing(t *testing.T) {
	tree := ordinary().tree()
	n := tree.Find("session:5100:1")
	n.Finding, n.State, n.Next.Rule, n.Next.Action = graph.FindingIdle, overview.StateDue, "idle-end", policy.ActionTerminate
	n.Totals.IdleSessions, n.Totals.IdleBytes, n.Totals.Due = 1, 20_000_000, 2
	n.Children[0].State = overview.StateDue
	tree.Totals.IdleSessions, tree.Totals.IdleBytes = 1, 20_000_000
	tree.Branch(overview.BranchSessions).Totals.Due = 2
	r := reads(t, ordinary())
	r.sends(Resized{120, 40}, Seen{Tree: tree, From: NoDaemon, Mode: policy.ModeEnforce})
	wantOn(t, r.screen(), []string{"1 session idle, 20 MB: would stop now"}, []string{"more", "2 would", "1 session idle, 20 MB  "})
	r.types("/ c o d e x enter")
	for range 9 {
		if at, found := r.model.row(); found && at.node != nil && at.node.Key == n.Key {
			break
		}
		r.types("down")
	}
	r.types("enter")
	wantOn(t, r.screen(), []string{"x asks to stop it now\n"}, []string{"reaperd sweep"})
}

// TestTheHeadTellsWhatIsDueFromWhatWaits: where nobody acts, an old leak stays due.
func TestTheHeadTellsWhatIsDueFromWhatWaits(t *testing.T) {
	for _, row := range []struct {
		due  []time.Duration
		want string
	}{
		{[]time.Duration{-time.Minute, -time.Second, 14 * time.Second}, "3 leaked, 120 MB: 2 would stop now, 1 in 14s"},
		{[]time.Duration{-time.Minute, 14 * time.Second, 30 * time.Second}, "3 leaked, 120 MB: 1 would stop now, the next in 14s"},
		{[]time.Duration{14 * time.Second, 14 * time.Second}, "2 leaked, 80 MB: would stop in 14s"},
		{[]time.Duration{-time.Minute, -time.Minute}, "2 leaked, 80 MB: would stop now"},
	} {
		w := newWorld()
		w.Mode = policy.ModeReport
		w.Verdicts = make([]policy.Verdict, 0, 4)
		gone := graph.Owner{Name: "pi", Kind: graph.OwnerSession, ID: inventory.ID{PID: 9, Start: 1}, Liveness: graph.LivenessGone}
		for i, due := range row.due {
			v := w.server("fetch", 21700+i, gone)
			v.Target.Finding, v.Decision, v.Rule, v.Action, v.DueAt = graph.FindingOrphaned, policy.Pending, "orphaned-servers", policy.ActionTerminate, at.Add(due)
		}
		r := reads(t, w)
		wantOn(t, r.screen(), []string{row.want}, nil)
		if row.due[0] < 0 && row.due[len(row.due)-1] > 0 {
			r.types("down left")
			wantOn(t, r.screen(), []string{" now, "}, []string{"21700"})
			if wakes := r.model.Wakes(); !wakes.Equal(at.Add(time.Second)) {
				t.Errorf("the countdown goes on at %s", wakes)
			}
		}
	}
}

// TestANoteGoesByItself: what it says may have changed, and it hides the keys.
func TestANoteGoesByItself(t *testing.T) {
	r := reads(t, ordinary())
	r.types("s")
	wantOn(t, r.screen(), []string{"sorted by memory"}, nil)
	wakes := r.model.Wakes()
	r.model, _ = r.model.Update(Moment{}, at.Add(noteFor/2))
	wantOn(t, r.screen(), []string{"sorted by memory"}, nil)
	r.model, _ = r.model.Update(Moment{}, at.Add(noteFor+time.Second))
	wantOn(t, r.screen(), []string{"? help"}, []string{"sorted by memory"})
	if wakes.After(at.Add(noteFor + time.Second)) {
		t.Errorf("it wakes at %s", wakes)
	}
}
