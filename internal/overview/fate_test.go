package overview

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestWhatBecameOfAThing(t *testing.T) {
	container := "container:" + strings.Repeat("a", 64)
	tree := func(change func(*Tree)) *Tree {
		t := &Tree{Complete: true}
		change(t)
		return t
	}
	reaped := Ended{Key: "server:51:510", At: ago(time.Minute), Rule: "orphaned-servers", Outcome: "exited", Detail: "in 40ms"}
	byHand := reaped
	byHand.ByHand = "sweep"
	failed := reaped
	failed.Outcome = "failed"
	parted := Parted{Key: "server:51:510", At: ago(2 * time.Minute)}
	for _, row := range []struct {
		world string
		tree  *Tree
		key   string
		want  string
	}{
		{"the daemon reaped it", tree(func(t *Tree) { t.Ended = []Ended{failed, reaped} }), reaped.Key, "It was reaped 11:59:00: exited, in 40ms (rule orphaned-servers)."},
		{"a person had it stopped", tree(func(t *Tree) { t.Ended = []Ended{byHand} }), reaped.Key, "It was reaped 11:59:00: exited, in 40ms (rule orphaned-servers, by hand: sweep)."},
		{"it ended by itself", tree(func(t *Tree) { t.Parted = []Parted{parted} }), parted.Key, "It ended, as seen 11:58:00; the daemon's journal names no act on it."},
		{"an act on it failed, and it ended by itself", tree(func(t *Tree) { t.Ended, t.Parted = []Ended{failed}, []Parted{parted} }), parted.Key, "It ended, as seen 11:58:00, after an act that did not end it: failed, in 40ms."},
		{"a session ended and left a server", tree(func(t *Tree) {
			t.Parted = []Parted{{Key: "session:7:70", At: ago(time.Minute)}}
			t.Branches = []Branch{{Name: BranchLeaked, Nodes: []Node{{Key: "gone:7:70", Kind: KindGone, Totals: Totals{Servers: 1}}}}}
		}), "session:7:70", "It ended, as seen 11:59:00; it left 1 server."},
		{"a sweep by hand stopped it, and its outcome is not read yet", tree(func(t *Tree) {
			t.Parted = []Parted{{Key: parted.Key, At: parted.At, ByHand: true}}
		}), parted.Key, "It was stopped by a sweep by hand, as seen 11:58:00."},
		{"all that a session left has gone", tree(func(*Tree) {}), "gone:7:70", "Nothing that it left is here any more."},
		{"an address that somebody has made up", tree(func(*Tree) {}), "x", "This address names nothing here."},
		{"a server of a live session", tree(func(*Tree) {}), "server:51:510", "It is not there any more, as seen 12:00:00: reaperd explain 51 tells what is known of its end."},
		{"a container, while its engine is gone", tree(func(t *Tree) { t.Unseen.Containers = 1 }), container, "It cannot be seen: the look of 12:00:00 could not read everything."},
		{"a container, while its engine does not answer", tree(func(t *Tree) {
			t.Sources = []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusError}}
		}), container, "It cannot be seen: the look of 12:00:00 could not read everything."},
		{"a look without the process table", tree(func(t *Tree) { t.Complete = false }), "server:51:510", "It cannot be seen: the look of 12:00:00 could not read everything."},
	} {
		if got := row.tree.Fate(row.key, noon, func(at time.Time) string { return at.Format(time.TimeOnly) }); got != row.want {
			t.Errorf("%s: %s, want %s", row.world, got, row.want)
		}
	}
}
