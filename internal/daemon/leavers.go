package daemon

import (
	"log/slog"
	"maps"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/report"
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
	round.View.Verdicts = report.Attributed(round.View.Verdicts, l.known)
	now := leaversOf(round.View.Verdicts)
	maps.Copy(now, l.unseen(g))
	l.keep(boot, now)
	return round
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
		if t := verdicts[i].Target; report.IsLeft(t) && t.Owner.Liveness == graph.LivenessGone && t.Owner.Name != "" {
			leavers[t.ID] = t.Owner
		}
	}
	return leavers
}
