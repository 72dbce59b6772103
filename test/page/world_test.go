package page

import (
	"fmt"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
)

// world is a small host and what was decided on it.
type world struct {
	now      time.Time
	snapshot inventory.Snapshot
	sessions []graph.Session
	verdicts []policy.Verdict
	pid      int
}

func newWorld() *world {
	w := &world{now: time.Now(), pid: 4000}
	w.snapshot = inventory.Snapshot{TakenAt: w.now, Host: inventory.Host{Hostname: "build-7"}, Sources: []inventory.Source{
		{Name: inventory.SourceProcesses, Status: inventory.StatusOK},
		{Name: inventory.SourceDocker, Endpoint: "unix:///run/docker.sock", Status: inventory.StatusOK},
	}}
	return w
}

func (w *world) process(age time.Duration, argv ...string) *inventory.Process {
	w.pid += 17
	return &inventory.Process{
		PID: w.pid, Start: uint64(w.pid), StartedAt: w.now.Add(-age), Argv: argv, User: "dev", Cwd: "/home/dev/src/shop", TTY: "/dev/pts/3",
		RSSBytes: inventory.Known(uint64(49_000_000)),
	}
}

func (w *world) session(name string, age time.Duration) graph.Owner {
	p := w.process(age, name)
	w.sessions = append(w.sessions, graph.Session{Process: p, Members: []*inventory.Process{p}, Name: name, Liveness: graph.LivenessLive})
	return graph.Owner{Name: name, Kind: graph.OwnerSession, ID: p.ID(), Liveness: graph.LivenessLive}
}

// ended is a session that has ended.
func (w *world) ended(name string, ago time.Duration) graph.Owner {
	p := w.process(0)
	return graph.Owner{Name: name, Kind: graph.OwnerSession, ID: p.ID(), Liveness: graph.LivenessGone, Since: w.now.Add(-ago)}
}

// server is a server of an owner; it is kept.
func (w *world) server(name string, owner graph.Owner, age time.Duration) *policy.Verdict {
	p := w.process(age, "npm exec @modelcontextprotocol/server-"+name)
	leaf := w.process(age, "node", "/home/dev/.npm/_npx/5a9d879542beca3a/node_modules/.bin/mcp-server-"+name, "/home/dev/src")
	target := &graph.Target{
		ID: p.ID().String(), Kind: graph.KindServer, Name: name, Root: p, Members: []*inventory.Process{p, leaf}, Owner: owner,
		Finding: graph.FindingNone, MemoryBytes: uint64(40_000_000 + 1_300_000*(w.pid%37)), MemoryKind: "pss", User: "dev",
		CPUPercent: inventory.Known(float64(w.pid%7) / 10),
		Evidence: []graph.Evidence{{Check: graph.CheckStdin, Says: graph.SaysOwned, Proof: true,
			Text: fmt.Sprintf("%s %d holds the other end of its stdin", owner.Name, owner.ID.PID)}},
	}
	w.verdicts = append(w.verdicts, policy.Verdict{Target: target, Reason: owner.Name + " owns it"})
	return &w.verdicts[len(w.verdicts)-1]
}

// orphan is a server that a session has left, and that goes in so long.
func (w *world) orphan(name string, owner graph.Owner, due time.Duration) *policy.Verdict {
	v := w.server(name, owner, 3*time.Hour)
	v.Target.Finding, v.Target.Since = graph.FindingOrphaned, owner.Since
	v.Target.Evidence = []graph.Evidence{
		{Check: graph.CheckStdin, Says: graph.SaysOrphaned, Proof: true, Text: "nobody holds the other end of its stdin"},
		{Check: graph.CheckAncestor, Says: graph.SaysOrphaned, Proof: true, Text: fmt.Sprintf("the %s %d that started it is gone", owner.Name, owner.ID.PID)},
		{Check: graph.CheckMemory, Says: graph.SaysSilent, Text: "not seen before this look"},
	}
	v.Decision, v.Rule, v.Action, v.Grace, v.For = policy.Pending, "orphaned-servers", policy.ActionTerminate, 5*time.Second, 30*time.Second
	v.RuleOrigin = policy.Origin{File: "built-in", Line: 31}
	v.DueAt = w.now.Add(due)
	v.Reason = `rule "orphaned-servers" wants it to hold for 30s, and it has for 12s`
	return v
}

// update is a look that a daemon tells of, and the acts since the one before.
type update struct {
	account.Look
	Outcomes []policy.Outcome
}

func (w *world) update() update {
	targets := make([]*graph.Target, len(w.verdicts))
	for i := range w.verdicts {
		targets[i] = w.verdicts[i].Target
	}
	return update{Look: account.Look{
		Graph:    &graph.Graph{Snapshot: &w.snapshot, Sessions: w.sessions, Targets: targets},
		Verdicts: w.verdicts, Policy: policy.Identity{Source: policy.Builtin, SHA256: "8f2b6a0c44d1", Mode: policy.ModeEnforce},
		Decider: account.Decider{Kind: account.ByDaemon, PID: 106, User: "root", Whole: true, NextLook: w.now.Add(30 * time.Second), Daemon: &account.Daemon{}},
	}}
}

// outcome is that of an act that ended its target.
func outcome(v *policy.Verdict) policy.Outcome {
	return policy.Outcome{
		Target: v.Target.ID, Name: v.Target.Name, Kind: v.Target.Kind, Rule: v.Rule, Action: v.Action, Result: "exited",
		FreedBytes: v.Target.MemoryBytes, At: time.Now(), Owner: v.Target.Owner.Name, Finding: v.Target.Finding,
	}
}

// entryOf is what the journal has of an act.
func entryOf(o policy.Outcome) journal.Entry {
	return journal.Entry{
		Time: o.At, ID: o.Target, Phase: journal.PhaseOutcome, Rule: o.Rule, Action: string(o.Action), TargetID: o.Target, Kind: string(o.Kind), Name: o.Name,
		Owner: o.Owner, Finding: string(o.Finding), Result: string(o.Result), Detail: o.Detail, FreedBytes: o.FreedBytes,
	}
}

// quoted is a text in JavaScript.
func quoted(text string) string { return fmt.Sprintf("%q", text) }
