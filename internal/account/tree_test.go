package account

import (
	"slices"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
)

// TestWhatNobodyUsesAndIsBusyComesFirst: before what is larger, and what a session also left comes last.
func TestWhatNobodyUsesAndIsBusyComesFirst(t *testing.T) {
	kept := func(pid int, name string, percent float64, memory uint64) Thing {
		return Thing{ID: idOf(pid, 1), PID: pid, Handle: pidText(pid), Kind: graph.KindSession, Name: name, Finding: graph.FindingOrphaned, Fate: Kept, Why: "left", Decision: keeps, CPUPercent: &percent, MemoryBytes: memory}
	}
	a := &Account{
		Things:   []Thing{kept(1, "large", 3, 900), kept(2, "busy", 99, 10), kept(3, "busier", 180, 10), kept(4, "calm", 49, 20)},
		AlsoLeft: []AlsoLeft{{Session: Owner{Name: "claude-code", PID: 91}, Names: []string{"next dev :3000"}, PIDs: []int{7}, MemoryBytes: 5000}},
	}
	a.finish()
	var titles []string
	for _, row := range a.Sections[0].Rows {
		titles = append(titles, row.Title+": "+row.State.At(a.TakenAt))
	}
	want := []string{"busier 3: left · uses 180% of a core", "busy 2: left · uses 99% of a core", "large 1: left", "calm 4: left", "also left by claude-code 91: next dev :3000"}
	if len(a.Sections) != 1 || a.Sections[0].Fate != Kept || !slices.Equal(titles, want) {
		t.Errorf("got %q, want %q", titles, want)
	}
}
