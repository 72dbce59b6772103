package page

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// goingText counts nodes by kind.
func goingText(nodes []*overview.Node) string {
	var held overview.Totals
	for _, n := range nodes {
		switch n.Kind {
		case overview.KindServer, overview.KindGateway:
			held.Servers++
		case overview.KindContainer:
			held.Containers++
		case overview.KindSession:
			held.Sessions++
		case overview.KindProcess, overview.KindOwner, overview.KindService, overview.KindGone:
		}
	}
	var parts []string
	if held.Sessions > 0 {
		parts = append(parts, human.Count(held.Sessions, "session"))
	}
	switch {
	case held.Things() == 0:
	case held.Servers > 0 && held.Containers > 0:
		parts = append(parts, human.Count(held.Things(), "thing"))
	default:
		parts = append(parts, held.String())
	}
	return human.List(parts)
}

// going returns what is due or pending, the earliest first, and of one second the largest; and the live
// sessions that a rule soon stops if they go on doing nothing.
func going(t *overview.Tree, c clock) []*overview.Node {
	var nodes []*overview.Node
	t.Walk(func(n *overview.Node, _ int) bool {
		if n.State.IsGoing() || isAhead(t, n, c) {
			nodes = append(nodes, n)
		}
		return true
	})
	slices.SortStableFunc(nodes, func(a, b *overview.Node) int {
		return cmp.Or(cmp.Compare(urgency(a), urgency(b)), dueOf(a).Truncate(time.Second).Compare(dueOf(b).Truncate(time.Second)), cmp.Compare(b.MemoryBytes, a.MemoryBytes))
	})
	return nodes
}

// goesLater reports a node that waits with another, and goes with that: its row tells of both.
func goesLater(t *overview.Tree, n *overview.Node) bool { return n.WaitsWith(t.Acts()) }

// goesAlong returns what waits with a node, and goes with it.
func goesAlong(t *overview.Tree, head *overview.Node) (along []*overview.Node) {
	t.Walk(func(n *overview.Node, _ int) bool {
		if goesLater(t, n) && n.Next.With == head.Key {
			along = append(along, n)
		}
		return true
	})
	return along
}

// isAhead reports a session that the daemon soon stops if it goes on doing nothing, or would if its mode or a pause let it.
func isAhead(t *overview.Tree, n *overview.Node, c clock) bool {
	rests := (t.Mode == policy.ModeReport || t.Pause.On) && t.Unfit == ""
	return (t.Acts() || rests) && n.StopsSoon(c.now)
}

// dueOf is when a thing goes, or a session if it goes on doing nothing.
func dueOf(n *overview.Node) time.Time {
	if !n.Next.DueAt.IsZero() {
		return n.Next.DueAt
	}
	return n.Next.AheadAt
}

func urgency(n *overview.Node) int {
	switch {
	case n.State == overview.StateReaping:
		return 0
	case n.State == overview.StateDue:
		return 1
	case n.Next.Beyond > 0:
		return 3
	}
	return 2
}

func comingOf(t *overview.Tree, c clock) (listed []coming, more int) {
	nodes := slices.DeleteFunc(going(t, c), func(n *overview.Node) bool { return goesLater(t, n) })
	for _, n := range nodes[:min(len(nodes), mostComing)] {
		var commands []overview.Command
		if n.State == overview.StatePending || n.State == overview.StateDue && !t.Acts() {
			commands = deedsOf(t, n)
		}
		if isAhead(t, n, c) && wordOf(n) != "" {
			commands = keeps(t, n, wordOf(n))
		}
		listed = append(listed, coming{
			Commands: commands, Key: n.Key, Name: nameOf(n), Handle: n.Handle, Of: ofText(t, n, c), Idles: n.Finding == graph.FindingIdle, Since: n.FindingSince, Ago: c.ago(n.FindingSince),
			Why: because(n), Rule: cmp.Or(n.Next.AheadRule, n.Next.Rule), State: newBuilder(t, c, overview.Place{}).state(n),
		})
	}
	return listed, len(nodes) - len(listed)
}

// ofText tells how much memory a node uses, if known, who owns it or left it, and whose it is; of
// a session or gateway, what goes with it.
func ofText(t *overview.Tree, n *overview.Node, c clock) string {
	if n.Kind == overview.KindSession {
		ifSo := ""
		if n.StopsSoon(c.now) {
			ifSo = "if it goes on doing nothing"
		}
		return listed(bytesText(n.Memory())+" with "+n.Held().String(), c.user(n), ifSo)
	}
	memory, along := "", goesAlong(t, n)
	sum := n.MemoryBytes
	for _, other := range along {
		sum += other.MemoryBytes
	}
	if sum > 0 {
		memory = human.Bytes(sum)
	}
	if len(along) > 0 {
		memory = strings.TrimSpace(memory + " with " + goingText(along))
	}
	whose := c.user(n)
	if top := t.Top(n.Key); whose == "" && n.Owner.Name != "" { // a container is its session's user's; with no session known, nobody's
		whose = c.user(top)
	}
	return listed(memory, leftBy(t, n), whose)
}

// leftBy tells who owns a node or left it. A leaked gateway, which runs, has not left what is below it.
func leftBy(t *overview.Tree, n *overview.Node) string {
	switch {
	case t.IsLeftOver(n.Owner):
		return "below " + ownerText(n.Owner)
	case n.Owner.Name == "":
		return "nobody is known who started it"
	case n.Owner.Liveness == graph.LivenessGone:
		return "left by " + ownerText(n.Owner)
	}
	return "of " + ownerText(n.Owner)
}

// because returns the first proof against a node, else what is wrong with it, else the reason of
// its state.
func because(n *overview.Node) string {
	for _, e := range n.Evidence {
		if e.Says == graph.SaysOrphaned && e.Proof {
			return e.Text
		}
	}
	if n.Finding != "" {
		return policy.Meaning(n.Finding)
	}
	return n.Reason
}
