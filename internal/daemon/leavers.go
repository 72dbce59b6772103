package daemon

import (
	"log/slog"
	"maps"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// leavers remembers, over restarts of the daemon, which session left which target. It is
// for reports and records alone.
type leavers struct {
	log   *slog.Logger
	state state.Dir

	read  bool
	known map[string]graph.Owner // by the target's id
	had   map[string]graph.Owner // the live sessions that have, or had last, containers that are still there, by the container's id
}

// of is the session that left a target; false if that is not known.
func (l *leavers) of(target string) (graph.Owner, bool) {
	owner, known := l.known[target]
	return owner, known
}

// told is a round whose verdicts name the sessions that an earlier daemon saw end.
func (l *leavers) told(round sweep.Round) sweep.Round {
	g := round.View.Graph
	if g == nil || g.Snapshot == nil {
		return round
	}
	boot := g.Snapshot.Host.BootID
	if !l.read {
		l.read = true
		if known, err := l.state.Left(boot); err != nil {
			l.log.Warn("read who left what", "err", err)
		} else {
			l.known = known
		}
	}
	round.View.Verdicts = attributed(round.View.Verdicts, l.known)
	round.View.Verdicts = attributed(round.View.Verdicts, l.endedIn(g))
	l.had = l.holdersIn(g, round.View.Verdicts)
	now := leaversOf(round.View.Verdicts)
	maps.Copy(now, l.unseen(g))
	l.keep(boot, now)
	return round
}

// endedIn are the sessions that have ended, by the containers that they had last. A container that has exited by the
// look after has no owner in it.
func (l *leavers) endedIn(g *graph.Graph) map[string]graph.Owner {
	if processes, listed := g.Snapshot.Source(inventory.SourceProcesses); listed && !processes.Whole() {
		return nil
	}
	lives := map[inventory.ID]bool{}
	for _, session := range g.Sessions {
		if session.Process != nil && session.Liveness != graph.LivenessGone {
			lives[session.Process.ID()] = true
		}
	}
	ended := map[string]graph.Owner{}
	for container, owner := range l.had {
		if !lives[owner.ID] {
			owner.Liveness, owner.Since = graph.LivenessGone, g.Snapshot.TakenAt
			ended[container] = owner
		}
	}
	return ended
}

// holdersIn are the live sessions that have containers, also through gateways, by the container's id; of a container
// that nobody has, and of one that the look could not show, the session that had it.
func (l *leavers) holdersIn(g *graph.Graph, verdicts []policy.Verdict) map[string]graph.Owner {
	gateways, had := map[inventory.ID]graph.Owner{}, map[string]graph.Owner{}
	for i := range verdicts {
		if t := verdicts[i].Target; t.Kind == graph.KindGateway && t.Root != nil {
			gateways[t.Root.ID()] = t.Owner
		}
	}
	for i := range verdicts {
		t := verdicts[i].Target
		if t.Kind != graph.KindContainer {
			continue
		}
		owner := t.Owner
		for range gateways { // each at most once
			above, known := gateways[owner.ID]
			if !known {
				break
			}
			owner = above
		}
		last, known := l.had[t.ID]
		switch {
		case owner.Kind == graph.OwnerSession && owner.Liveness == graph.LivenessLive:
			had[t.ID] = owner
		case known && owner.Name == "":
			had[t.ID] = last
		}
	}
	if !g.Snapshot.Engines().ReadAll("") {
		for container, owner := range l.had {
			if _, isSeen := g.Target(container); !isSeen {
				had[container] = owner
			}
		}
	}
	return had
}

// unseen are the known leavers of containers that a look could not show.
func (l *leavers) unseen(g *graph.Graph) map[string]graph.Owner {
	if g.Snapshot.Engines().ReadAll("") {
		return nil
	}
	unseen := maps.Clone(l.known)
	maps.DeleteFunc(unseen, func(target string, _ graph.Owner) bool {
		_, isSeen := g.Target(target)
		return isSeen || !inventory.IsContainerID(target)
	})
	return unseen
}

// keep writes the file if it has changed.
func (l *leavers) keep(boot string, now map[string]graph.Owner) {
	same := func(a, b graph.Owner) bool { return a.Name == b.Name && a.ID == b.ID && a.Since.Equal(b.Since) }
	if maps.EqualFunc(l.known, now, same) {
		return
	}
	l.known = now
	if err := l.state.KeepLeft(boot, now); err != nil {
		l.log.Warn("keep who left what", "err", err)
	}
}

// leaversOf are the sessions that have ended and are known by name, by what they left.
func leaversOf(verdicts []policy.Verdict) map[string]graph.Owner {
	leavers := map[string]graph.Owner{}
	for i := range verdicts {
		if t := verdicts[i].Target; isLeft(t) && t.Owner.Liveness == graph.LivenessGone && t.Owner.Name != "" {
			leavers[t.ID] = t.Owner
		}
	}
	return leavers
}

// attributed are verdicts whose targets name who left them, where the look does not know that. It
// changes copies.
func attributed(verdicts []policy.Verdict, owners map[string]graph.Owner) []policy.Verdict {
	verdicts = slices.Clone(verdicts)
	for i := range verdicts {
		t := verdicts[i].Target
		owner, known := owners[t.ID]
		if !known || t.Owner.Name != "" || !isLeft(t) {
			continue
		}
		copied := *t
		copied.Owner, verdicts[i].Target = owner, &copied
	}
	return verdicts
}
