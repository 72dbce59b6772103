package idle

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/sentence"
	"github.com/reaperd/reaperd/internal/usage"
)

// Options are the inputs of [Measure] beside the graphs.
type Options struct {
	// Over is how long a session must be idle to get the finding.
	Over time.Duration
	// Recalled is the memory of a program that has looked for longer, by session. It
	// counts at the first look.
	Recalled map[inventory.ID]usage.Watched
}

// Measure adds to a graph what its sessions hold and what they did since the graph
// before. It makes every session a target, so that rules may name it. before is nil
// for the first look.
func Measure(before, now *graph.Graph, options Options) {
	past := activities(before, now.Snapshot.Host.BootID)
	w := newWorld(now)
	var sessions []*graph.Target
	for i := range now.Sessions {
		s := &now.Sessions[i]
		if s.Process == nil || s.Target == nil {
			continue
		}
		tree := w.treeOf(s)
		s.Servers, s.MemoryBytes = tree.servers(), tree.memory(s)
		s.Containers, s.Unmeasured = len(tree.holds)-s.Servers, tree.unmeasured()
		if activity, known := past[s.Process.ID()]; known {
			s.Activity = activity.Next(tree.Tree, now.Snapshot.Moment())
		} else {
			s.Activity = options.Recalled[s.Process.ID()].Recall(tree.Tree, now.Snapshot.Moment())
		}
		s.Target.Idle, s.Target.Rested = s.Activity.Idle(), s.Activity.Rested()
		if s.Target.Finding == graph.FindingNone || s.Target.Finding == graph.FindingOrphaned {
			tie(s.Target, tree)
		}
		if s.Target.Finding == graph.FindingNone && s.Target.Idle.Or(0) >= options.Over {
			find(s, tree)
		}
		if !slices.Contains(now.Targets, s.Target) {
			sessions = append(sessions, s.Target)
		}
	}
	now.Targets = append(sessions, now.Targets...)
}

// activities are those of a graph's sessions, if it is of that boot.
func activities(g *graph.Graph, boot string) map[inventory.ID]usage.Activity {
	by := map[inventory.ID]usage.Activity{}
	if g == nil || g.Snapshot.Host.BootID != boot {
		return by
	}
	for i := range g.Sessions {
		if s := &g.Sessions[i]; s.Process != nil {
			by[s.Process.ID()] = s.Activity
		}
	}
	return by
}

// tie ties to a session what would end with it.
func tie(session *graph.Target, tree tree) {
	for _, held := range tree.holds {
		if !held.Deduced { // it goes with its docker run: nothing is ended by a deduction
			session.Below = append(session.Below, held.ID)
		}
	}
}

// find gives a session the finding idle.
func find(s *graph.Session, tree tree) {
	t, a := s.Target, s.Activity
	t.Finding, t.Incidental = graph.FindingIdle, false
	t.Since, t.Held, t.Looks = a.IdleSince.At, t.Idle.Or(0), a.Looks
	still := sentence.Of("none of its processes has used more than a trickle of processor time or input and output")
	if len(tree.Processes) == 1 {
		still = sentence.Of("its process has used no more than a trickle of processor time or input and output")
	}
	t.Evidence = append(t.Evidence, graph.Evidence{Check: graph.CheckActivity, Says: graph.SaysSilent, Proof: true, Since: t.Since,
		Text: still.String(), Said: still})
	if a.AtLeast {
		t.Evidence = append(t.Evidence, graph.Evidence{Check: graph.CheckMemory, Says: graph.SaysSilent, Since: t.Since,
			Text: "it was not yet seen in use: it may have been idle for longer"})
	}
	if !a.TerminalUsed.IsZero() {
		t.Evidence = append(t.Evidence, graph.Evidence{Check: graph.CheckStdin, Says: graph.SaysSilent, Since: a.TerminalUsed,
			Text: "nobody has typed on its terminal, and nothing was written to it"})
	}
}

// HeldBy lists the targets that each session of a graph holds: its own and those of
// its gateways, with their containers.
func HeldBy(g *graph.Graph) map[inventory.ID][]*graph.Target {
	held := map[inventory.ID][]*graph.Target{}
	w := newWorld(g)
	for i := range g.Sessions {
		if s := &g.Sessions[i]; s.Process != nil {
			held[s.Process.ID()] = w.treeOf(s).holds
		}
	}
	return held
}

// Sooner is a graph in which sessions have the finding after less time than it was measured with.
func Sooner(g *graph.Graph, over time.Duration) *graph.Graph {
	sooner := *g
	sooner.Sessions, sooner.Targets = slices.Clone(g.Sessions), slices.Clone(g.Targets)
	w := newWorld(g)
	for i := range sooner.Sessions {
		s := &sooner.Sessions[i]
		if s.Process == nil || s.Target == nil || s.Target.Finding != graph.FindingNone || s.Target.Idle.Or(0) < over {
			continue
		}
		tree, target := w.treeOf(s), *s.Target
		target.Evidence = slices.Clip(target.Evidence)
		at := slices.Index(sooner.Targets, s.Target)
		s.Target, sooner.Targets[at] = &target, &target
		find(s, tree)
	}
	return &sooner
}
