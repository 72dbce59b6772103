package main

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

func TestARespawnIsToldOnce(t *testing.T) {
	noon := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)
	type look struct {
		minute, counted, fresh int
	}
	for _, row := range []struct {
		says  string
		looks []look
	}{
		{"one after the other", []look{{0, 0, 0}, {1, 1, 1}, {2, 3, 2}, {3, 3, 0}}},
		{"as many come as are counted no longer", []look{{0, 2, 2}, {5, 2, 0}, {11, 2, 2}, {12, 2, 0}}},
		{"fewer come than are counted no longer", []look{{0, 3, 3}, {4, 4, 1}, {11, 2, 1}, {15, 1, 0}, {30, 0, 0}}},
		{"at the very end of the memory", []look{{0, 1, 1}, {10, 2, 1}, {11, 1, 0}}},
	} {
		t.Run(row.says, func(t *testing.T) {
			teller := &teller{}
			for i, look := range row.looks {
				g := &graph.Graph{
					Snapshot: &inventory.Snapshot{TakenAt: noon.Add(time.Duration(look.minute) * time.Minute)},
					Targets:  []*graph.Target{{ID: "50:200", Kind: graph.KindGateway, Name: "docker-mcp", Respawns: look.counted}},
				}
				if got := teller.newRespawns(g); got["50:200"] != look.fresh || len(got) > 1 {
					t.Errorf("look %d: %v, want %d of the gateway", i+1, got, look.fresh)
				}
				if got := teller.newRespawns(nil); len(got) > 0 { // a sweep that saw nothing
					t.Errorf("look %d: %v without a graph", i+1, got)
				}
			}
		})
	}
}
