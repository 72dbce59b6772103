package sweep

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// escapeMemory is for how long it is remembered that some of a tree escaped.
const escapeMemory = 10 * time.Minute

// escape is a tree of which some left when it was asked to end, and lives. Whatever
// the policy ends of that lineage next is not asked again: asking let it go.
type escape struct {
	at        time.Time
	survivors []inventory.ID
	streams   []string // the pipes and sockets that were its stdin and stdout
}

// lineageOf is what a tree is known by, should some of it escape.
func lineageOf(target *graph.Target) escape {
	e := escape{streams: streamsOf(target)}
	for _, member := range target.Members {
		e.survivors = append(e.survivors, member.ID())
	}
	return e
}

// streamsOf are the pipes and sockets that a tree has for stdin and stdout.
func streamsOf(target *graph.Target) []string {
	var streams []string
	for _, member := range target.Members {
		for _, stream := range []inventory.Fact[inventory.Stdio]{member.Stdin, member.Stdout} {
			if stdio, known := stream.Get(); known && stdio.Connected() && stdio.ID != "" {
				streams = append(streams, stdio.ID)
			}
		}
	}
	return streams
}

// covers reports whether a target is of the lineage: a survivor is in it, or it has
// the stdio that the tree had.
func (e escape) covers(target *graph.Target) bool {
	return slices.ContainsFunc(target.Members, func(p *inventory.Process) bool { return slices.Contains(e.survivors, p.ID()) }) ||
		slices.ContainsFunc(streamsOf(target), func(id string) bool { return slices.Contains(e.streams, id) })
}

// withoutGrace is the plan with no grace for the lineages that escaped before.
func withoutGrace(plan policy.Plan, g *graph.Graph, escapes []escape) policy.Plan {
	if len(escapes) == 0 {
		return plan
	}
	plan.Acts = slices.Clone(plan.Acts)
	for i := range plan.Acts {
		act := &plan.Acts[i]
		target, found := g.Target(act.TargetID)
		if found && act.Container == nil && slices.ContainsFunc(escapes, func(e escape) bool { return e.covers(target) }) {
			act.Grace = 0
		}
	}
	return plan
}
