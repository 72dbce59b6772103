package daemon

import (
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// respawns are the times at which respawns were published that still count, by the
// gateway's id. The zero value has none.
type respawns struct{ told map[string][]inventory.Moment }

// fresh counts the respawns that no earlier sweep has published, by the gateway's id.
// A gateway's count includes each for [graph.ReapedMemory], so those published
// within that time are subtracted.
func (r *respawns) fresh(g *graph.Graph) map[string]int {
	if g == nil {
		return nil
	}
	now := g.Snapshot.Moment()
	r.forget(now)
	fresh := map[string]int{}
	for _, target := range g.Targets {
		if target.Kind != graph.KindGateway {
			continue
		}
		more := target.Respawns - len(r.told[target.ID])
		if more <= 0 {
			continue
		}
		fresh[target.ID] = more
		r.told[target.ID] = append(r.told[target.ID], slices.Repeat([]inventory.Moment{now}, more)...)
	}
	return fresh
}

// forget drops those that no longer count.
func (r *respawns) forget(now inventory.Moment) {
	kept := map[string][]inventory.Moment{}
	for id, told := range r.told {
		for _, at := range told {
			if now.Since(at) <= graph.ReapedMemory {
				kept[id] = append(kept[id], at)
			}
		}
	}
	r.told = kept
}
