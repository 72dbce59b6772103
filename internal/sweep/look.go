package sweep

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// leaveLook is how long a look may go on once the loop is to end.
const leaveLook = time.Second

// lookOrLeave looks at the host. If the loop is to end while the look hangs in a
// system call, it returns without the look, which ends with the program.
func (l *Loop) lookOrLeave(ctx context.Context) (*graph.Graph, error) {
	type seen struct {
		graph *graph.Graph
		err   error
	}
	sweeper, previous, done := l.sweeper, l.previous, make(chan seen, 1)
	go func() {
		g, err := sweeper.next(ctx, previous)
		done <- seen{g, err}
	}()
	select {
	case s := <-done:
		return s.graph, s.err
	case <-ctx.Done():
	}
	timer := time.NewTimer(leaveLook)
	defer timer.Stop()
	select {
	case s := <-done:
		return s.graph, s.err
	case <-timer.C:
		return nil, ctx.Err()
	}
}

func (l *Loop) look(ctx context.Context, round *Round) {
	reaped := slices.Clone(l.reaped) // for a look that is left to itself, too
	l.sweeper.Reaped = func() []graph.Reaped { return reaped }
	g, err := l.lookOrLeave(ctx)
	if err != nil {
		round.Err = err
		return
	}
	l.acts.forgetExited(g.Snapshot)
	round.View = l.sweeper.Judge(l.previous, g)
	l.previous = g
	if l.Watch != nil {
		l.Watch(worthWatching(g))
	}
}

// worthWatching are the processes whose exit may make orphans: sessions, and the
// owners of servers.
func worthWatching(g *graph.Graph) []inventory.ID {
	seen := map[inventory.ID]bool{}
	for _, session := range g.Sessions {
		for _, member := range session.Members {
			seen[member.ID()] = true
		}
	}
	for _, target := range g.Targets {
		if owner := target.Owner; owner.Liveness == graph.LivenessLive && !owner.ID.IsZero() {
			seen[owner.ID] = true
		}
	}
	return slices.SortedFunc(maps.Keys(seen), inventory.ByStart)
}
