package serve

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/word"
)

// SeenContainer is an MCP container as the daemon saw it last.
type SeenContainer struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Handle string `json:"handle"`          // the shortest word that names it
	Owner  string `json:"owner,omitempty"` // "claude-code 44"
	// SessionID is the identity of the session that has it, maybe through a gateway, left it or,
	// if nobody has it, had it last; empty if that is not known. Owner is named likewise.
	SessionID string        `json:"session_id,omitempty"`
	Finding   graph.Finding `json:"finding,omitempty"` // at that look
	// At is when the look was taken that showed it last: the last look, or the one before its
	// engine could no longer be read or was no more.
	At time.Time `json:"at"`
	// UnseenSince is when the first look was taken that could not show it, because its engine
	// could not be read or was no more; zero if the last look shows it.
	UnseenSince time.Time `json:"unseen_since,omitzero"`

	engine string // the endpoint at which it was seen
	called string // what people call that engine
}

// String is what people call it, with whose it was: "weather eager_fermi of codex 7".
func (c SeenContainer) String() string {
	text := strings.TrimSpace(c.Name + " " + c.Handle)
	if c.Owner != "" {
		text += " of " + c.Owner
	}
	return text
}

// showContainers keeps the containers of a look, and of the look before those whose engine
// cannot be read any more.
func (m *Metrics) showContainers(g *graph.Graph, who clients) {
	seen, engines := containersOf(g, who), g.Snapshot.Engines()
	for _, before := range m.state.Containers {
		at := slices.IndexFunc(seen, func(c SeenContainer) bool { return c.ID == before.ID })
		if at >= 0 && seen[at].Owner == "" {
			seen[at].Owner, seen[at].SessionID = before.Owner, before.SessionID
		}
		if at >= 0 || engines.ReadAll(before.engine) {
			continue
		}
		if before.UnseenSince.IsZero() {
			before.UnseenSince = g.Snapshot.TakenAt
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
		if c.UnseenSince.IsZero() {
			continue
		}
		if !slices.Contains(unseen.Engines, c.called) {
			unseen.Engines = append(unseen.Engines, c.called)
		}
		if unseen.Containers++; unseen.Since.IsZero() || c.UnseenSince.Before(unseen.Since) {
			unseen.Since = c.UnseenSince
		}
	}
	slices.Sort(unseen.Engines)
	return unseen
}

func containersOf(g *graph.Graph, who clients) []SeenContainer {
	seen := []SeenContainer{}
	for _, t := range g.Targets {
		if t.Container == nil || t.Incidental {
			continue
		}
		t = who.targets[t.ID] // whose owner an earlier daemon may have told
		one := SeenContainer{
			ID: t.ID, Name: redact.Name(t.Name), Handle: word.Of(t).Handle(), Owner: redact.Text(t.Owner.Named().String()), Finding: t.Finding,
			At: g.Snapshot.TakenAt, engine: t.Container.Engine, called: engineOf(g.Snapshot, t.Container),
		}
		if session, known := who.sessionOf(t); known {
			one.SessionID = session.String()
		}
		seen = append(seen, one)
	}
	return seen
}

// engineOf is what people call a container's engine.
func engineOf(s *inventory.Snapshot, c *inventory.Container) string {
	i := slices.IndexFunc(s.Sources, func(source inventory.Source) bool {
		return source.Name == inventory.SourceDocker && source.Endpoint == c.Engine
	})
	if i < 0 {
		return inventory.SourceDocker
	}
	return s.Sources[i].Called()
}
