package sweep

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
)

func TestTheJournalHoldsTheTreeAsItWas(t *testing.T) {
	taken := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	npm := &inventory.Process{
		PID: 56, Start: 7, StartedAt: taken.Add(-90*time.Second - 123456), Argv: []string{"npm", "exec", "--token=abc"},
		RSSBytes: inventory.Known(uint64(2048)), CPUSeconds: inventory.Known(0.0),
	}
	leaf := &inventory.Process{
		PID: 57, Start: 8, Argv: []string{"node"}, CPUSeconds: inventory.Known(1.25),
		RSSBytes: inventory.Known(uint64(4096)), MemoryBytes: inventory.Known(uint64(1024)),
	}
	unread := &inventory.Process{PID: 58, Start: 9}
	g := &graph.Graph{
		Snapshot: &inventory.Snapshot{TakenAt: taken},
		Targets:  []*graph.Target{{ID: "56:7", Kind: graph.KindServer, Root: npm, Members: []*inventory.Process{npm, leaf, unread}}},
	}
	got, err := json.Marshal(recordOf(policy.Act{ID: "a1", TargetID: "56:7"}, g, "s1").Tree)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"pid":56,"start":7,"argv":["npm","exec","--token=***"],"age_seconds":90,"memory_bytes":2048,"cpu_seconds":0},` +
		`{"pid":57,"start":8,"argv":["node"],"memory_bytes":1024,"cpu_seconds":1.25},` +
		`{"pid":58,"start":9}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTheJournalNamesWhatATargetGoesWith(t *testing.T) {
	session := &inventory.Process{PID: 54, Start: 7}
	g := &graph.Graph{
		Snapshot: &inventory.Snapshot{},
		Targets:  []*graph.Target{{ID: "54:7", Kind: graph.KindSession, Name: "codex", Root: session, Members: []*inventory.Process{session}}},
	}
	for with, want := range map[string]string{"": "", "54:7": "codex 54:7", "99:1": ""} {
		if got := recordOf(policy.Act{ID: "a1", TargetID: "60:8", With: with}, g, "s1").With; got != want {
			t.Errorf("with %q: %q, want %q", with, got, want)
		}
	}
}

// TestJournalAndOutcomeTellWhoAskedForAnAct, and by which command: also where the rule alone would have had it.
func TestJournalAndOutcomeTellWhoAskedForAnAct(t *testing.T) {
	g := &graph.Graph{Snapshot: &inventory.Snapshot{}}
	asked := policy.Act{ID: "a1", TargetID: "60:8", Kind: graph.KindServer, ByHand: "sweep --duplicates", By: "dev", User: inventory.Known(1000)}
	for _, act := range []policy.Act{asked, {ID: "a2", TargetID: "61:8", Kind: graph.KindServer}} {
		entry, told := recordOf(act, g, "s1"), Outcome{Act: act}.Told()
		if entry.ByHand != act.ByHand || entry.By != act.By || told.ByHand != act.ByHand || told.By != act.By || told.User != act.User {
			t.Errorf("%s: journal %+v, outcome %+v", act.ID, entry, told)
		}
		if uid, known := act.User.Get(); known != (entry.UID != nil) || known && *entry.UID != uid {
			t.Errorf("%s: of user %v in the journal", act.ID, entry.UID)
		}
	}
}

func TestAnOutcomeTellsTheFolderOfWhatEnded(t *testing.T) {
	session := policy.Act{ID: "a1", TargetID: "87:7", Kind: graph.KindSession, Root: &inventory.Process{PID: 87, Cwd: "/src/blog"}}
	container := policy.Act{ID: "a2", TargetID: "484e", Kind: graph.KindContainer}
	for want, act := range map[string]policy.Act{"/src/blog": session, "": container} {
		if told := (Outcome{Outcome: reap.Outcome{ActID: act.ID, TargetID: act.TargetID, Result: human.Exited}, Act: act}).Told(); told.Cwd != want {
			t.Errorf("%+v, want the folder %q", told, want)
		}
	}
}

// TestTheJournalTellsWithWhichGraceAndByWhichLineOfAFileAnActBegan: other sweeps tell of it by that.
// TestTheJournalNamesTheDockerRunOfAContainer: it is as good as ended while the act on the container goes on.
func TestTheJournalNamesTheDockerRunOfAContainer(t *testing.T) {
	box := &graph.Target{ID: "0a", Kind: graph.KindContainer, Runner: "40:4", Container: &inventory.Container{ID: "0a"}}
	g := &graph.Graph{Targets: []*graph.Target{box}, Snapshot: &inventory.Snapshot{}}
	entry := recordOf(policy.Act{TargetID: "0a", Kind: graph.KindContainer}, g, "s")
	if got := entry.Ending(); !slices.Equal(got, []string{"40:4"}) || len(entry.Parts()) != 0 {
		t.Errorf("%q end, of which %q are its parts", got, entry.Parts())
	}
}

// TestTheJournalNamesTheSweepByHandThatActs: while that runs, the act may go on. A daemon tells that itself.
func TestTheJournalNamesTheSweepByHandThatActs(t *testing.T) {
	g := &graph.Graph{Snapshot: &inventory.Snapshot{Host: inventory.Host{SelfPID: 7}, Processes: []inventory.Process{{PID: 6, Start: 1}, {PID: 7, Start: 9}}}}
	for byHand, want := range map[string]string{"sweep": "7:9", "": ""} {
		if got := recordOf(policy.Act{ByHand: byHand}, g, "s").Reaper; got != want {
			t.Errorf("by hand %q: %q acts, want %q", byHand, got, want)
		}
	}
	g.Snapshot.Host.SelfPID = 0
	if got := recordOf(policy.Act{ByHand: "sweep"}, g, "s").Reaper; got != "" {
		t.Errorf("%q acts, where nobody knows who looked", got)
	}
}

func TestTheJournalTellsWithWhichGraceAndByWhichLineOfAFileAnActBegan(t *testing.T) {
	act := policy.Act{TargetID: "60:8", Rule: "idle-end", RuleOrigin: policy.Origin{File: "/etc/reaperd/policies.yaml", Line: 4}, Grace: 40 * time.Second}
	entry := recordOf(act, &graph.Graph{Snapshot: &inventory.Snapshot{}}, "s1")
	if entry.GraceSeconds != 40 || entry.RuleOrigin != "/etc/reaperd/policies.yaml:4" {
		t.Errorf("%+v", entry)
	}
}
