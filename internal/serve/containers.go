package serve

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/redact"
)

// SeenContainer is an MCP container as the daemon saw it last.
type SeenContainer struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Handle string `json:"handle"`          // the shortest word that names it
	Owner  string `json:"owner,omitempty"` // "claude-code 44"
	// At is when the look was taken that showed it last: the last look, or the one before its
	// engine could no longer be read or was no more.
	At time.Time `json:"at"`

	engine string    // the endpoint at which it was seen
	since  time.Time // the first look that could not show it; zero if the last one did
}

// showContainers keeps the containers of a look, and of the look before those whose engine
// cannot be read any more.
func (m *Metrics) showContainers(g *graph.Graph) {
	seen, engines := containersOf(g), g.Snapshot.Engines()
	for _, before := range m.state.Containers {
		isShown := slices.ContainsFunc(seen, func(c SeenContainer) bool { return c.ID == before.ID })
		if isShown || engines.ReadAll(before.engine) {
			continue
		}
		if before.since.IsZero() {
			before.since = g.Snapshot.TakenAt
		}
		seen = append(seen, before)
	}
	m.state.Containers = seen
}

// unseenOf counts the containers that a look could not show. Whether they still run is not
// known: without their engine, looks do not read whole what runs in them.
func unseenOf(containers []SeenContainer) overview.Unseen {
	var unseen overview.Unseen
	for _, c := range containers {
		if c.since.IsZero() {
			continue
		}
		if unseen.Containers++; unseen.Since.IsZero() || c.since.Before(unseen.Since) {
			unseen.Since = c.since
		}
	}
	return unseen
}

func containersOf(g *graph.Graph) []SeenContainer {
	seen := []SeenContainer{}
	for _, t := range g.Targets {
		if t.Container == nil || t.Incidental {
			continue
		}
		seen = append(seen, SeenContainer{
			ID: t.ID, Name: redact.Name(t.Name), Handle: containerHandle(t.Container.Name, t.ID), Owner: redact.Text(t.Owner.Named().String()),
			At: g.Snapshot.TakenAt, engine: t.Container.Engine,
		})
	}
	return seen
}
