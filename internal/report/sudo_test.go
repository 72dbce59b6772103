package report

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

func TestWhoMayNotReadAProcessIsToldWhoMay(t *testing.T) {
	for _, row := range []struct {
		world    string
		me, uid  int
		fds      inventory.Fact[int]
		replay   bool
		withSudo bool
	}{
		{"another user's process", 65534, 1000, inventory.Unreadable[int](), false, true},
		{"root's process", 65534, 0, inventory.Unreadable[int](), false, true},
		{"one's own process, hidden from everybody", 1000, 1000, inventory.Unreadable[int](), false, false},
		{"another user's process that can be read", 65534, 1000, inventory.Known(3), false, false},
		{"root cannot read it either", 0, 1000, inventory.Unreadable[int](), false, false},
		{"a saved snapshot", 65534, 1000, inventory.Unreadable[int](), true, false},
	} {
		process := &inventory.Process{PID: 571, Start: 9, UID: inventory.Known(row.uid), OpenFDs: row.fds}
		target := &graph.Target{ID: "571:9", Kind: graph.KindServer, Root: process, Members: []*inventory.Process{process}}
		v := &view{in: Input{Replay: row.replay}, snapshot: &inventory.Snapshot{Host: inventory.Host{UID: inventory.Known(row.me)}}}
		got := strings.ReplaceAll(v.decides(target), unbroken, " ")
		if strings.HasPrefix(got, "sudo reaperd explain 571 ") != row.withSudo || strings.Contains(got, "REAPERD_OWNER") == row.withSudo {
			t.Errorf("%s: %s", row.world, got)
		}
		source := inventory.Source{Name: inventory.SourceProcesses, Status: inventory.StatusPartial, Reason: "not all", Gaps: []inventory.Gap{inventory.GapDescriptors}}
		if says := strings.Contains(v.sourceText(source), "sudo reaperd scan"); says != (row.me != 0 && !row.replay) {
			t.Errorf("%s: %s", row.world, v.sourceText(source))
		}
	}
}
