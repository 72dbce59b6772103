package top

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// exited is a tree in which nothing leaks but a container that has exited and is removed.
func exited() overview.Tree {
	tree := ordinary().tree()
	n := tree.Find("server:21700:1")
	n.Kind, n.MemoryBytes, n.Next.Action = overview.KindContainer, 0, policy.ActionRemove
	tree.Branch(overview.BranchLeaked).Totals.MemoryBytes = 0
	return tree
}

func TestTheHeadSaysWhatBecomesOfAContainerWithoutMemory(t *testing.T) {
	r := reads(t, ordinary())
	r.sends(Seen{Tree: exited(), From: Daemon})
	wantOn(t, r.screen(), []string{"1 leaked: is removed in 43s"}, []string{"0 B"})
	r.sends(Seen{Tree: exited(), From: NoDaemon})
	wantOn(t, r.screen(), []string{"1 leaked: would be removed in 43s"}, nil)
}

func TestWhatNobodyIsKnownToHaveStartedHasNoSession(t *testing.T) {
	tree := ordinary().tree()
	tree.Branch(overview.BranchLeaked).Nodes[0].Name, tree.Branch(overview.BranchLeaked).Nodes[0].PID = "", 0
	r := reads(t, ordinary())
	r.sends(Seen{Tree: tree, From: Daemon})
	wantOn(t, r.screen(), []string{"no known session"}, []string{"ended"})
	r.types("down enter")
	wantOn(t, r.screen(), []string{"nobody is known who started these", "first seen", "they may have leaked long before", "all that was left"}, []string{"a session that has ended", "ended  ", "all that it left"})
}

func TestTheFootTellsThatMoreRowsFollow(t *testing.T) {
	r := reads(t, ordinary())
	r.sends(Resized{80, 10})
	wantOn(t, r.screen(), []string{"↓ 5 more rows  ? help"}, nil)
	r.types("G")
	wantOn(t, r.screen(), nil, []string{"more row"})
}

func TestTheKeyThatOpenedAPageClosesIt(t *testing.T) {
	for _, keys := range []string{"? ?", "e e"} {
		r := reads(t, ordinary())
		r.types(keys)
		wantOn(t, r.screen(), []string{"LIVE SESSIONS"}, nil)
	}
	r := reads(t, ordinary())
	r.types("? n")
	wantOn(t, r.screen(), []string{"Keys", "esc first goes back to the rows"}, nil)
}

func TestPLeavesPinsAsTheyAreAndEndsOnlyItsOwn(t *testing.T) {
	w := ordinary()
	orphaned(w.server("git", 21800, gone("codex", 21655)), time.Minute)
	r := reads(t, w)
	r.sends(Seen{Tree: w.tree(), From: Daemon, Pins: []string{"21700:1"}})
	r.types("g p") // all that leaks
	r.sends(Said{Effect: r.did[0], Lines: []string{"Pinned git 21800."}})
	r.types("p")
	r.sends(Said{Effect: r.did[1], Lines: []string{"Unpinned git 21800."}})
	if want := []Effect{{Do: Pin, Targets: []string{"21800:1"}}, {Do: Unpin, Targets: []string{"21800:1"}}}; !reflect.DeepEqual(r.did, want) {
		t.Errorf("it did %v, want %v", r.did, want)
	}
	r.sends(Seen{Tree: w.tree(), From: Daemon, Pins: []string{"21700:1", "21800:1"}})
	r.types("p")
	if len(r.did) != 2 || !strings.Contains(r.screen(), "pinned before: p on one row ends its pin") {
		t.Errorf("it did %v:\n%s", r.did, r.screen())
	}
}

// TestALookThatIsAskedForEndsTheNote: a daemon is asked for it, and sends it later.
func TestALookThatIsAskedForEndsTheNote(t *testing.T) {
	r := reads(t, ordinary())
	r.types("r")
	r.sends(Seen{Tree: ordinary().tree(), From: Daemon}, Moment(at.Add(time.Second))) // the look that it had
	wantOn(t, r.screen(), []string{"\nlooking    ? help"}, nil)
	newer := ordinary()
	newer.Graph.Snapshot.TakenAt = at.Add(2 * time.Second)
	r.sends(Seen{Tree: newer.tree(), From: Daemon})
	wantOn(t, r.screen(), []string{"Looked 14:02:13", "? help"}, []string{"\nlooking"})
	r.types("r")
	r.sends(Seen{Err: errors.New("no process table")})
	wantOn(t, r.screen(), []string{"No newer look: no process table", "? help"}, []string{"\nlooking"})
}

// TestNextSkipsIdleSessions: they are counted by themselves, whatever is below them.
func TestNextSkipsIdleSessions(t *testing.T) {
	tree := ordinary().tree()
	for _, key := range []string{"session:4711:1", "session:5100:1"} {
		tree.Find(key).State = overview.StateIdle
	}
	older := tree.Find("server:5110:1")
	older.State, older.Finding = overview.StateReported, graph.FindingDuplicate
	r := reads(t, ordinary())
	r.sends(Seen{Tree: tree, From: Daemon})
	for _, row := range []struct{ keys, here string }{
		{"n", "lark-mcp 21700"}, {"n", "github 5110"}, {"n", "lark-mcp 21700"}, {"N", "github 5110"},
		{"left left", "codex 5100"}, {"g n n", "github 5110"}, // an older copy that was folded below it
	} {
		if r.types(row.keys); !strings.Contains(r.here(), row.here) {
			t.Errorf("%s leads to %q, want %s", row.keys, r.here(), row.here)
		}
	}
}

// TestAGroupWhosePinsPEndsSaysSo: the daemon stops what they kept at once.
func TestAGroupWhosePinsPEndsSaysSo(t *testing.T) {
	both := []string{"21700:1", strings.Repeat("a", 64)}
	for _, row := range []struct {
		world, keys string
		begun       []string
		shows       []string
		hides       []string
		did         []Effect
	}{
		{"the foot", "g down", both, []string{"p unpin all"}, []string{"x stop all", "p pin"}, nil},
		{"the foot on the heading", "g", both, []string{"p unpin all"}, []string{"x stop all", "p pin"}, nil},
		{"the foot, one pinned before", "g down", both[:1], []string{"p unpin the 1 pinned here"}, []string{"x stop all", "p pin"}, nil},
		{"the foot, both pinned before", "g down", nil, nil, []string{"x stop all", "p pin", "p unpin"}, nil},
		{"its details", "g down enter", both, []string{"all that it left is pinned; p ends the pins that it began here", "esc back  p unpin all"}, []string{"p pins", "x asks"}, nil},
		{"its details, both pinned before", "g down enter", nil, []string{"all that it left is pinned; p on one row ends its pin"}, []string{"p pins", "x asks"}, nil},
		{"p", "g down p", both, []string{"ending the pin"}, nil, []Effect{{Do: Unpin, Targets: both}}},
		{"x", "g down x", both, []string{"all of it is pinned: x stops none of it; p ends the pins that it began here"}, nil, nil},
	} {
		t.Run(row.world, func(t *testing.T) {
			w := newWorld()
			w.Verdicts = make([]policy.Verdict, 0, 2)
			w.container("lark", orphaned(w.server("lark-mcp", 21700, gone("codex", 21655)), 43*time.Second))
			r := reads(t, w)
			r.sends(Said{Effect: Effect{Do: Pin, Targets: row.begun}})
			r.sends(Seen{Tree: w.tree(), From: Daemon, Pins: both})
			r.types(row.keys)
			wantOn(t, r.screen(), row.shows, row.hides)
			if !reflect.DeepEqual(r.did, row.did) {
				t.Errorf("it did %v, want %v", r.did, row.did)
			}
		})
	}
}

// TestAGroupIsWhatAFilterShowsOfIt: nobody pins or stops what is not on the screen.
func TestAGroupIsWhatAFilterShowsOfIt(t *testing.T) {
	for _, row := range []struct {
		world, keys string
		shows       string
		did         []Effect
	}{
		{"p on the heading, the filter shows one", "/ 2 1 8 0 0 enter g p", "", []Effect{{Do: Pin, Targets: []string{"21800:1"}}}},
		{"x on the session", "/ 2 1 8 0 0 enter g down x", "", []Effect{{Do: Stop, Targets: []string{"21800:1"}}}},
		{"the foot says so", "/ 2 1 8 0 0 enter g", "p pin shown  x stop shown", nil},
		{"a filter that shows all of it", "/ l e a k e d enter g", "p pin all  x stop all", nil},
		{"the session matches, folded", "g down left / 2 1 6 5 5 enter g down p", "", []Effect{{Do: Pin, Targets: []string{"21800:1", "21700:1"}}}},
	} {
		t.Run(row.world, func(t *testing.T) {
			w := ordinary()
			orphaned(w.server("git", 21800, gone("codex", 21655)), time.Minute)
			r := reads(t, w)
			r.types(row.keys)
			wantOn(t, r.screen(), []string{row.shows}, nil)
			if !reflect.DeepEqual(r.did, row.did) {
				t.Errorf("it did %v, want %v", r.did, row.did)
			}
		})
	}
}

// TestPEndsThePinOfAGroupOfOne, whoever began that: p says which it is.
func TestPEndsThePinOfAGroupOfOne(t *testing.T) {
	for _, row := range []struct {
		keys  string
		shows []string
		did   []Effect
	}{
		{"g", []string{"p unpin all"}, nil},
		{"g down enter", []string{"all that it left is pinned; p ends that pin", "esc back  p unpin all"}, nil},
		{"g p", nil, []Effect{{Do: Unpin, Targets: []string{"21700:1"}}}},
		{"g x", []string{"all of it is pinned: x stops none of it; p ends that pin"}, nil},
	} {
		w := ordinary()
		r := reads(t, w)
		r.sends(Seen{Tree: w.tree(), From: Daemon, Pins: []string{"21700:1"}})
		r.types(row.keys)
		wantOn(t, r.screen(), row.shows, []string{"p pin", "x stop all"})
		if !reflect.DeepEqual(r.did, row.did) {
			t.Errorf("%s did %v, want %v", row.keys, r.did, row.did)
		}
	}
}
