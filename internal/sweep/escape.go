package sweep

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// escapeMemory is how long the loop remembers that part of a tree escaped.
const escapeMemory = 10 * time.Minute

// escape is a tree of which some processes escaped when they were asked to end, and
// live. If the policy ends them later, they are killed without being asked: asking
// let them go.
type escape struct {
	at        time.Time
	survivors []inventory.ID
	streams   []string // the pipes and sockets that were its stdin and stdout
}

// lineageOf holds the marks by which escaped parts of a tree would be recognised.
func lineageOf(target *graph.Target) escape {
	e := escape{streams: streamsOf(target)}
	for _, member := range target.Members {
		e.survivors = append(e.survivors, member.ID())
	}
	return e
}

// streamsOf are the pipes and sockets that a tree has as stdin and stdout.
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

// covers reports that a target escaped from this tree: it contains a survivor, or has
// the tree's stdio.
func (e escape) covers(target *graph.Target) bool {
	return slices.ContainsFunc(target.Members, func(p *inventory.Process) bool { return slices.Contains(e.survivors, p.ID()) }) ||
		slices.ContainsFunc(streamsOf(target), func(id string) bool { return slices.Contains(e.streams, id) })
}

// withoutGrace is the plan with no grace for targets that escaped before.
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
