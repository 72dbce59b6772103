package report

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// leakedPair is a container that nobody owns with its docker run, of a user 1000, as the user me sees
// them. Pins keep the container and, for its sake, the docker run.
func leakedPair(me int, others beside.Daemons, pins ...graph.Veto) Input {
	w := newWorld("linux", 40)
	box := orphaned(w.container("github", "gh3", "mcp/github", time.Hour, 0), graph.Owner{Liveness: graph.LivenessGone})
	run := orphaned(w.server("github", 41, time.Hour, 0, "docker", "run"), graph.Owner{Liveness: graph.LivenessGone})
	run.UID, box.Runner, run.Containers = inventory.Known(1000), run.ID, []string{box.ID}
	box.Vetoes = pins
	for _, pin := range pins {
		pin.For, pin.Text = box.ID, "its container gh3 is pinned: "+pin.Text
		run.Vetoes = append(run.Vetoes, pin)
	}
	w.decide(box, policy.Keep, "orphaned-containers", policy.ActionRemove)
	w.decide(run, policy.Keep, "orphaned-servers", policy.ActionTerminate)
	in := w.input()
	in.Graph.Targets = []*graph.Target{box, run}
	in.Graph.Snapshot.Host.UID, in.Beside = inventory.Known(me), others
	return in
}

// A pin that the daemon which decides does not go by is not said to keep anything from it.
func TestAPinIsToldByWhomItHolds(t *testing.T) {
	const (
		keeps = "reaperd leaves it alone"
		roots = "root's daemon (process 7) goes by a user's pins of processes, not of containers: sudo reaperd pin gh3"
		devs  = "dev's daemon (process 8) does not go by your pin of github (container gh3), which is another user's: su dev -c 'reaperd pin gh3'"
	)
	root, dev := beside.Daemons{{User: "root", PID: 7}}, beside.Daemons{{User: "dev", UID: 1000, PID: 8}}
	pin := graph.Veto{Guard: graph.GuardPinned, Text: "reaperd pin keeps it: a demo"}
	label, devsPin := graph.Veto{Guard: graph.GuardPinned, Text: "it has the label reaperd.keep", Marked: true}, pin
	devsPin.By = "dev"
	for _, row := range []struct {
		world               string
		in                  Input
		box, run, row, note string
	}{
		{"root's daemon, and a user has pinned the container", leakedPair(1000, root, pin),
			"Your pin keeps it from your own sweeps; from root's daemon only a pin of root's does.", "Your pin of gh3 keeps it from your own sweeps; from root's daemon only a pin of root's does.",
			"orphaned, but your pin keeps it from your own sweeps; from root's daemon only a pin of root's does", roots},
		{"a user's daemon, and root has pinned it", leakedPair(0, dev, pin),
			"Your pin keeps it from your own sweeps; from dev's daemon only a pin of dev's does.", "Your pin of gh3 keeps it from your own sweeps; from dev's daemon only a pin of dev's does.",
			"orphaned, but your pin keeps it from your own sweeps; from dev's daemon only a pin of dev's does", devs},
		{"no other daemon runs", leakedPair(1000, nil, pin), keeps, keeps, "orphaned, but reaperd pin keeps it", ""},
		{"the daemon of a third user", leakedPair(0, beside.Daemons{{User: "ann", UID: 1001, PID: 9}}, pin), keeps, keeps, "orphaned, but reaperd pin keeps it", ""},
		{"its label keeps it, from everybody", leakedPair(1000, root, label), keeps, keeps, "orphaned, but it has the label reaperd.keep", ""},
		{"its label keeps it too", leakedPair(1000, root, pin, label), keeps, keeps, "orphaned, but reaperd pin keeps it", ""},
		{"the user whose daemon runs has pinned it, and root looks", leakedPair(0, dev, devsPin), keeps, keeps, "orphaned, but reaperd pin keeps it", ""},
	} {
		box, run := row.in.Verdicts[0].Target.ID, row.in.Verdicts[1].Target.ID
		row.in.Verdicts = Attributed(row.in.Verdicts, map[string]graph.Owner{box: {Name: "codex"}}) // a copy
		texts := map[string]string{"its row": table(t, row.in), "the container": explained(t, row.in, box), "its docker run": explained(t, row.in, run)}
		for of, want := range map[string]string{"its row": row.row, "the container": row.box, "its docker run": row.run} {
			if !strings.Contains(texts[of], want) {
				t.Errorf("%s: %s: no %q in\n%s", row.world, of, want, texts[of])
			}
			if notes := strings.Count(texts[of], "note: "+row.note); row.note != "" && notes != 1 {
				t.Errorf("%s: %s: the note %d times in\n%s", row.world, of, notes, texts[of])
			}
			if row.note != "" && (strings.Contains(texts[of], keeps) || of != "its row" && !strings.Contains(texts[of], "a demo (for your own sweeps only)\n")) {
				t.Errorf("%s: %s: %s", row.world, of, texts[of])
			}
			if row.note == "" && strings.Contains(texts[of], "own sweeps") {
				t.Errorf("%s: %s: %s", row.world, of, texts[of])
			}
		}
	}
}

func table(t *testing.T, in Input) string {
	t.Helper()
	var b strings.Builder
	if err := Table(&b, in, screenOf(200)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func explained(t *testing.T, in Input, id string) string {
	t.Helper()
	var b strings.Builder
	if err := Explain(&b, in, id, screenOf(200)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Programs read the remark too, and a process that a user has pinned is kept from root's daemon.
func TestNotesOnPinsAreAboutWhatRootsDaemonTakes(t *testing.T) {
	root, pin := beside.Daemons{{User: "root", PID: 7}}, graph.Veto{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}
	process := leakedPair(1000, root, pin)
	process.Verdicts = process.Verdicts[1:]
	process.Verdicts[0].Target.Vetoes = []graph.Veto{pin}
	owned := leakedPair(1000, root, pin)
	for i := range owned.Verdicts {
		owned.Verdicts[i].Target.Finding = graph.FindingNone
	}
	for _, row := range []struct {
		world string
		in    Input
		want  int
	}{
		{"a container has leaked", leakedPair(1000, root, pin), 1},
		{"a process has leaked", process, 0},
		{"it is in use", owned, 0},
	} {
		text, err := JSON(row.in)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Notes []string }
		if err := json.Unmarshal(text, &got); err != nil || len(got.Notes) != row.want {
			t.Errorf("%s: %q, %v: want %d", row.world, got.Notes, err, row.want)
		}
		text, err = ExplainJSON(row.in, row.in.Verdicts[0].Target.ID)
		got.Notes = nil
		if err := cmp.Or(err, json.Unmarshal(text, &got)); err != nil || len(got.Notes) != row.want {
			t.Errorf("%s, explained: %q, %v: want %d", row.world, got.Notes, err, row.want)
		}
	}
}

// TestTheCommandOfANoteIsNotBroken over two lines: it is copied.
func TestTheCommandOfANoteIsNotBroken(t *testing.T) {
	w := newWorld("linux", 4)
	w.keep(owned(w.server("fetch", 31, time.Hour, 0, "fetch"), w.session("codex", 12, time.Hour, "/", 0), ""))
	for _, command := range []string{"sudo reaperd pins", "su dev -c 'reaperd pins'", "reaperd status"} {
		in := w.input()
		in.Notes = []string{"root's daemon (process 7) has pins of its own: " + command, "a sentence: with no command"}
		for width := 60; width < 90; width++ {
			var b strings.Builder
			if err := Table(&b, in, screenOf(width)); err != nil || !strings.Contains(b.String(), command+"\n") || !strings.Contains(b.String(), "note: a sentence: with no command\n") {
				t.Fatalf("%d cells, %v: %q is broken in\n%s", width, err, command, b.String())
			}
		}
	}
}

// TestWhatWouldKeepAThingIsTheCommandOfWhomItsDaemonObeys, and root is told of a user's pin before it stops
// that container.
func TestWhatWouldKeepAThingIsTheCommandOfWhomItsDaemonObeys(t *testing.T) {
	root, dev := beside.Daemons{{User: "root", PID: 7}}, beside.Daemons{{User: "dev", UID: 1000, PID: 8}}
	const note = "note: dev has pinned github (container gh3), and a user's pin of a container does not hold for root: reaperd pin gh3 keeps it\n"
	for _, row := range []struct {
		world    string
		me       int
		others   beside.Daemons
		pinned   bool // by dev
		box, run string
	}{
		{"a user beside root's daemon", 1000, root, false, "keep it    sudo reaperd pin gh3\n", "keep it    reaperd pin 41\n"},
		{"root beside a user's", 0, dev, false, "keep it    su dev -c 'reaperd pin gh3'\n", "keep it    su dev -c 'reaperd pin 41'\n"},
		{"nobody else's runs", 1000, nil, false, "keep it    reaperd pin gh3\n", "keep it    reaperd pin 41\n"},
		{"root, and the user has pinned it", 0, nil, true, note, "keep it    reaperd pin 41\n"},
	} {
		in := leakedPair(row.me, row.others)
		for i := range in.Verdicts {
			in.Verdicts[i].Decision = policy.Reap
		}
		box, run := in.Verdicts[0].Target.ID, in.Verdicts[1].Target.ID
		if row.pinned {
			in.UsersPins = map[string]string{box: "dev"}
		}
		for id, want := range map[string]string{box: row.box, run: row.run} {
			if got := explained(t, in, id); !strings.Contains(got, want) || strings.Contains(got, note) != (row.pinned && id == box) {
				t.Errorf("%s: no %q in\n%s", row.world, want, got)
			}
		}
		if got := table(t, in); strings.Contains(got, note) != row.pinned {
			t.Errorf("%s: the note:\n%s", row.world, got)
		}
	}
}
