package top

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
)

// TestNGoesToAThingAndUnfoldsWhatHidesIt: p and x there mean that thing alone, and not all below a heading
// that is folded.
func TestNGoesToAThingAndUnfoldsWhatHidesIt(t *testing.T) {
	w := ordinary()
	orphaned(w.server("git", 21800, gone("codex", 21655)), time.Minute)
	for _, row := range []struct {
		world, keys, here string
		rows              []string
	}{
		{"the heading is folded", "g left n", "git 21800", []string{"git 21800", "lark-mcp 21700"}},
		{"what the session left is folded", "g down left left n", "git 21800", nil},
		{"both are folded", "g down left g left n", "git 21800", nil},
		{"everything is folded, backwards", "- g left G N", "lark-mcp 21700", nil},
		{"the heading is folded, and everything is unfolded", "g left +", "LEAKED", []string{"git 21800"}},
	} {
		r := reads(t, w)
		r.types(row.keys)
		if !strings.Contains(r.here(), row.here) {
			t.Errorf("%s: it is at %q, want %s", row.world, r.here(), row.here)
		}
		wantOn(t, r.screen(), row.rows, nil)
		if r.types("p"); row.here != "LEAKED" && (len(r.did) != 1 || len(r.did[0].Targets) != 1) {
			t.Errorf("%s: p pins %+v", row.world, r.did)
		}
	}
}

// TestNUnfoldsNothingElse: what a reader has folded stays so.
func TestNUnfoldsNothingElse(t *testing.T) {
	r := reads(t, ordinary())
	r.types("- n")
	wantOn(t, r.screen(), []string{"lark-mcp 21700"}, []string{"playwright 4720", "github 5110"})
	if opened := r.model.opened; opened["session:4711:1"] != folded || opened["session:5100:1"] != folded {
		t.Errorf("it unfolds %v", opened)
	}
}

// TestNGoesToAnIdleSessionThatARuleStops, and not to one that stays.
func TestNGoesToAnIdleSessionThatARuleStops(t *testing.T) {
	tree := ordinary().tree()
	for _, key := range []string{"session:4711:1", "session:5100:1"} {
		tree.Find(key).State = overview.StateIdle
	}
	tree.Find("session:5100:1").Next.AheadAt = at.Add(time.Hour)
	r := reads(t, ordinary())
	r.sends(Seen{Tree: tree, From: Daemon})
	var here []string
	for range 3 {
		r.types("n")
		here = append(here, r.model.cursor)
	}
	if want := []string{"server:21700:1", "session:5100:1", "server:21700:1"}; !slices.Equal(here, want) {
		t.Errorf("n goes to %q, want %q", here, want)
	}
}

func TestTheDetailsNameWhatStaysWhenItEnds(t *testing.T) {
	w := ordinary()
	w.Verdicts[len(w.Verdicts)-1].Target.Left = []graph.Outsider{{Process: &inventory.Process{PID: 170, Comm: "chromium"}, Why: "in a session of its own"}}
	r := reads(t, w)
	r.types("n enter")
	wantOn(t, r.screen(), []string{"           left open: chromium 170 (in a session of its own)\n"}, nil)
}

// TestTheFootNamesWhatEnterAndNDo, where they do something, and e at 80 columns.
func TestTheFootNamesWhatEnterAndNDo(t *testing.T) {
	quiet := ordinary()
	quiet.Verdicts = quiet.Verdicts[:len(quiet.Verdicts)-1]
	for _, row := range []struct {
		world        string
		of           *world
		keys         string
		shows, hides []string
	}{
		{"a heading that is unfolded", ordinary(), "g", []string{"enter fold", "n next", "e events"}, []string{"enter details"}},
		{"a heading that is folded", ordinary(), "g enter", []string{"enter unfold", "n next", "e events"}, nil},
		{"a thing", ordinary(), "n", []string{"enter details", "n next", "e events"}, nil},
		{"nothing leaks", quiet, "g", []string{"e events"}, []string{"n next"}},
		{"a message, with room for keys", quiet, "n", []string{"nothing here leaks or is reported    ? help  q quit"}, nil},
	} {
		r := reads(t, row.of)
		r.types(row.keys)
		lines := strings.Split(strings.TrimSpace(r.screen()), "\n")
		wantOn(t, lines[len(lines)-1], row.shows, row.hides)
	}
	r := reads(t, ordinary())
	r.types("n enter s")
	wantOn(t, r.screen(), []string{"esc first goes back to the rows    esc back  p pin  x stop"}, nil)
}

// TestASessionThatCannotBeMeasuredIsNotInUse: nobody knows whether it is.
func TestASessionThatCannotBeMeasuredIsNotInUse(t *testing.T) {
	tree := ordinary().tree()
	n := tree.Find("session:5100:1")
	n.Use, n.Unmeasured, n.IdleSince = "not all of it can be measured (process 323)", true, time.Time{}
	r := reads(t, ordinary())
	r.sends(Resized{120, 24}, Seen{Tree: tree, From: Daemon})
	r.types("/ 5 1 0 0 enter esc enter")
	wantOn(t, r.screen(), []string{"whether it idles is unknown: not all of it can be measured (process 323)\n"}, []string{"in use"})
	r.types("x")
	wantOn(t, strings.Join(strings.Fields(r.screen()), " "), []string{"a live session, and whether it idles is unknown: not all"}, []string{"in use"})
}

// TestAHeadingTellsHowMuchOfItTheFilterShows, as a row does of which it hides some: the memory beside them is that of
// all.
func TestAHeadingTellsHowMuchOfItTheFilterShows(t *testing.T) {
	for _, row := range []struct {
		filter string
		keys   string
		want   []string
	}{
		{"playwright", "", []string{"▾ LIVE SESSIONS  1 of 4 shown, 40 MB                              820 MB\n", "claude-code 4711  1 of 3 sho…"}},
		{"fetch", "", []string{"▾ LIVE SESSIONS  2 of 4 shown, 140 MB                             820 MB\n", "claude-code 4711  2 of 3 sho…"}},
		{"claude", "", []string{"▾ LIVE SESSIONS  3 of 4 shown, 480 MB                             820 MB\n", "claude-code 4711  ~/src  "}},
		{"fetch", "down left left", []string{"▸ claude-code 4711  2 of 3 sho…", "▾ LIVE SESSIONS  2 of 4 shown, 140 MB                             820 MB\n"}},
		{"codex", "", []string{"nobody alive owns these  1 server                        40 MB\n", "▾ LIVE SESSIONS  1 of 4 shown, 340 MB                             820 MB\n"}},
	} {
		r := reads(t, ordinary())
		r.types("/")
		r.sends(Pasted(row.filter))
		r.types("enter g " + row.keys)
		wantOn(t, r.screen(), row.want, []string{"3 servers"})
	}
}
