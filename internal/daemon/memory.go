package daemon

import (
	"log/slog"
	"maps"
	"reflect"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// memory is what the daemon knows and a look does not show, also over its restarts ([state.Memory]).
// Without it a leak that only its shape tells, and that was pending when the daemon stopped, would be no
// server to the next one, and stay for ever. Who left what is for reports and records alone.
type memory struct {
	log    *slog.Logger
	state  state.Dir
	before state.Memory // what an earlier daemon of this boot knew
	kept   state.Memory // as the file has it
	// owners are the sessions that have a container, or had it last, and those that have left a target, by
	// the target's id.
	owners map[string]graph.Owner
}

// recall reads what an earlier daemon of that boot knew. A file that cannot be read recalls nothing:
// then what leaked before stays.
func (m *memory) recall(boot string) {
	before, err := m.state.Memory(boot)
	if err != nil {
		m.log.Warn("read what an earlier daemon remembered", "err", err)
	}
	m.before, m.kept, m.owners = before, before, before.Left
}

// learn writes the file if a look has changed it. A look that may lack processes forgets none.
func (m *memory) learn(g *graph.Graph) {
	if g == nil || g.Snapshot.Host.BootID == "" {
		return
	}
	now := state.Memory{Version: m.kept.Version, BootID: g.Snapshot.Host.BootID, ByShape: g.ByShape(), Began: g.Began(), Left: maps.Clone(m.owners)}
	maps.DeleteFunc(now.Left, func(_ string, owner graph.Owner) bool { return owner.Liveness != graph.LivenessGone })
	if !isWhole(g.Snapshot) {
		now.ByShape, now.Began = append(now.ByShape, m.kept.ByShape...), m.kept.Began
		slices.Sort(now.ByShape)
		now.ByShape = slices.Compact(now.ByShape)
	}
	if reflect.DeepEqual(now, m.kept) {
		return
	}
	m.kept = now
	if err := m.state.Remember(now); err != nil {
		m.log.Warn("keep what the next daemon has to remember", "err", err)
	}
}

// isWhole reports a look that lacks no process.
func isWhole(s *inventory.Snapshot) bool {
	processes, listed := s.Source(inventory.SourceProcesses)
	return !listed || processes.Whole()
}

// leftBy returns the session that left a target; false if that is not known.
func (m *memory) leftBy() func(target string) (graph.Owner, bool) {
	owners := m.owners // which does not change: each look makes another
	return func(target string) (graph.Owner, bool) {
		if owner := owners[target]; owner.Liveness == graph.LivenessGone {
			return owner, true
		}
		return graph.Owner{}, false
	}
}

// attribute names in a view the sessions that left targets, where its looks do not know them. It changes
// copies of the targets.
func (m *memory) attribute(view sweep.View) sweep.View {
	view.Verdicts = slices.Clone(view.Verdicts)
	now, live := m.unseen(view), liveIn(view.Graph)
	for i := range view.Verdicts {
		t := view.Verdicts[i].Target
		last := m.owners[t.ID]
		if last.Liveness == graph.LivenessLive && !live[last.ID] && isWhole(view.Graph.Snapshot) {
			last.Liveness, last.Since = graph.LivenessGone, view.Graph.Snapshot.TakenAt
		}
		owner := ownerOf(view.Graph, t, last)
		if owner.Name == "" {
			continue
		}
		now[t.ID] = owner
		if isLeft(t) && t.Owner.Name == "" && owner.Liveness == graph.LivenessGone {
			copied := *t
			copied.Owner, view.Verdicts[i].Target = owner, &copied
		}
	}
	m.owners = now
	return view
}

// ownerOf is the session that has a container, or that has left a target. last is what was known of it; a container that
// exits has no owner in the next look. The zero value is that it is not known, or does not matter.
func ownerOf(g *graph.Graph, t *graph.Target, last graph.Owner) graph.Owner {
	switch current := sessionOf(g, t.Owner); {
	case isLeft(t) && t.Owner.Name == "" && t.Owner.Liveness != graph.LivenessLive:
		return last
	case isLeft(t) && t.Owner.Liveness == graph.LivenessGone:
		return t.Owner
	case t.Kind == graph.KindContainer && current.Kind == graph.OwnerSession && current.Liveness == graph.LivenessLive:
		return current
	case t.Kind == graph.KindContainer && t.Owner.Name == "" && last.Liveness == graph.LivenessLive:
		return last
	}
	return graph.Owner{}
}

// sessionOf is an owner or, of a gateway, the owner of that.
func sessionOf(g *graph.Graph, owner graph.Owner) graph.Owner {
	for range g.Targets { // each at most once
		above, shown := g.Target(owner.ID.String())
		if !shown || above.Kind != graph.KindGateway {
			break
		}
		owner = above.Owner
	}
	return owner
}

func liveIn(g *graph.Graph) map[inventory.ID]bool {
	live := map[inventory.ID]bool{}
	for _, session := range g.Sessions {
		if session.Process != nil && session.Liveness != graph.LivenessGone {
			live[session.Process.ID()] = true
		}
	}
	return live
}

// unseen are the owners of containers that a look could not show.
func (m *memory) unseen(view sweep.View) map[string]graph.Owner {
	unseen := maps.Clone(m.owners)
	if unseen == nil || view.Graph.Snapshot.Engines().ReadAll("") {
		return map[string]graph.Owner{}
	}
	maps.DeleteFunc(unseen, func(target string, _ graph.Owner) bool { return !inventory.IsContainerID(target) })
	for i := range view.Verdicts {
		delete(unseen, view.Verdicts[i].Target.ID)
	}
	return unseen
}
