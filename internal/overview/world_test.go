package overview

import (
	"fmt"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// noon is the time of every look.
var noon = time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

// world is a small host with the decisions about it.
type world struct {
	Input
	snapshot, before inventory.Snapshot
}

func newWorld() *world {
	w := &world{}
	w.Mode, w.Graph, w.First = policy.ModeEnforce, &graph.Graph{Snapshot: &w.snapshot}, &graph.Graph{Snapshot: &w.before}
	w.snapshot.TakenAt, w.before.TakenAt = noon, ago(time.Minute)
	w.snapshot.Sources = []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusOK}}
	return w
}

// process makes a process that is the younger the higher its PID.
func process(pid int, argv ...string) *inventory.Process {
	return &inventory.Process{
		PID: pid, Start: uint64(10 * pid), StartedAt: ago(time.Duration(1000-pid) * time.Minute), Argv: argv, User: "dev",
		RSSBytes: inventory.Known(uint64(1000 * pid)),
	}
}

func idOf(pid int) inventory.ID { return inventory.ID{PID: pid, Start: uint64(10 * pid)} }

func (w *world) session(name string, pid int) graph.Owner {
	p := process(pid, name)
	w.Graph.Sessions = append(w.Graph.Sessions, graph.Session{Process: p, Members: []*inventory.Process{p}, Name: name, Liveness: graph.LivenessLive})
	return graph.Owner{Name: name, Kind: graph.OwnerSession, ID: p.ID(), Liveness: graph.LivenessLive}
}

func gone(name string, pid int) graph.Owner {
	return graph.Owner{Name: name, Kind: graph.OwnerSession, ID: idOf(pid), Liveness: graph.LivenessGone, Since: ago(time.Minute)}
}

func gateway(pid int) graph.Owner {
	return graph.Owner{Name: "docker-mcp", Kind: graph.OwnerGateway, ID: idOf(pid), Liveness: graph.LivenessLive}
}

// target adds a target of one process. It is kept and has no finding.
func (w *world) target(kind graph.Kind, name string, pid int, owner graph.Owner) *policy.Verdict {
	p := process(pid, "node", "/srv/"+name)
	return w.add(&graph.Target{
		ID: p.ID().String(), Kind: kind, Name: name, Root: p, Members: []*inventory.Process{p}, Owner: owner,
		Finding: graph.FindingNone, MemoryBytes: uint64(1000 * pid), MemoryKind: "pss",
	})
}

func (w *world) server(name string, pid int, owner graph.Owner) *policy.Verdict {
	return w.target(graph.KindServer, name, pid, owner)
}

func (w *world) container(name string, number int, owner graph.Owner) *policy.Verdict {
	c := &inventory.Container{ID: fmt.Sprintf("%064x", number), Name: "/" + name, Image: "mcp/" + name, State: "running", CreatedAt: ago(time.Hour)}
	return w.add(&graph.Target{ID: c.ID, Kind: graph.KindContainer, Name: name, Container: c, Owner: owner, Finding: graph.FindingNone, MemoryBytes: 7, MemoryKind: "rss"})
}

func (w *world) add(t *graph.Target) *policy.Verdict {
	w.Verdicts = append(w.Verdicts, policy.Verdict{Target: t, Reason: "as it is"})
	return &w.Verdicts[len(w.Verdicts)-1]
}

// wrong gives a verdict's target a finding, and sets the decision.
func wrong(v *policy.Verdict, finding graph.Finding, decision policy.Decision) *policy.Verdict {
	v.Target.Finding, v.Target.Since = finding, ago(time.Minute)
	v.Decision, v.Rule, v.Action, v.Grace = decision, "orphaned-servers", policy.ActionTerminate, 5*time.Second
	if decision == policy.Pending {
		v.DueAt = noon.Add(20 * time.Second)
	}
	return v
}

// drawn writes a tree as text: a line for each node, without empty branches.
func drawn(tree Tree) string {
	var b strings.Builder
	for _, branch := range tree.Branches {
		if len(branch.Nodes) == 0 {
			continue
		}
		b.WriteString(string(branch.Name) + "\n")
		walk(branch.Nodes, 1, func(n *Node, depth int) bool {
			name := strings.TrimSpace(n.Name + " " + n.Handle)
			fmt.Fprintf(&b, "%s%s %s %s\n", strings.Repeat("  ", depth), n.Kind, name, n.State)
			return true
		})
	}
	return b.String()
}
