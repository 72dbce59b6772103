package top

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// at is the time of the look in these tests.
var at = time.Date(2026, 11, 22, 14, 2, 11, 0, time.UTC)

// world is one look with its decisions.
type world struct{ overview.Input }

func newWorld() *world {
	snapshot := &inventory.Snapshot{TakenAt: at, Host: inventory.Host{Hostname: "devbox"},
		Sources: []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusOK}}}
	return &world{overview.Input{Graph: &graph.Graph{Snapshot: snapshot}, Mode: policy.ModeEnforce, Next: at.Add(30 * time.Second)}}
}

func (w *world) tree() overview.Tree { return overview.Make(w.Input) }

func process(pid int, age time.Duration, argv ...string) *inventory.Process {
	return &inventory.Process{PID: pid, Start: 1, StartedAt: at.Add(-age), Argv: argv, Cwd: "/home/dev/src", User: "dev", MemoryBytes: inventory.Known(uint64(20_000_000)), MemoryKind: "pss"}
}

// session adds a live session on a terminal.
func (w *world) session(name string, pid int) graph.Owner {
	p := process(pid, 5*time.Hour, name)
	p.TTY, p.MemoryBytes = "pts/3", inventory.Known(uint64(300_000_000))
	w.Graph.Sessions = append(w.Graph.Sessions, graph.Session{Process: p, Members: []*inventory.Process{p}, Name: name, Liveness: graph.LivenessLive})
	return graph.Owner{Name: name, Kind: graph.OwnerSession, ID: p.ID(), Liveness: graph.LivenessLive}
}

// gone is the former owner of a server that a session left.
func gone(name string, pid int) graph.Owner {
	return graph.Owner{Name: name, Kind: graph.OwnerSession, ID: inventory.ID{PID: pid, Start: 1}, Liveness: graph.LivenessGone, Since: at.Add(-8 * time.Minute)}
}

// server adds a server of two processes that is in use.
func (w *world) server(name string, pid int, owner graph.Owner) *policy.Verdict {
	wrapper, leaf := process(pid, 2*time.Hour, "npm", "exec", "@acme/"+name), process(pid+1, 2*time.Hour, "node", "/srv/"+name)
	return w.add(&graph.Target{
		ID: wrapper.ID().String(), Kind: graph.KindServer, Name: name, Root: wrapper, Members: []*inventory.Process{wrapper, leaf},
		Owner: owner, Finding: graph.FindingNone, MemoryBytes: 40_000_000, MemoryKind: "pss", CPUPercent: inventory.Known(0.1), User: "dev",
		Evidence: []graph.Evidence{{Check: graph.CheckStdin, Says: graph.SaysOwned, Proof: true, Text: "its owner holds the other end of its stdin"}},
	})
}

// container adds the container of a runner.
func (w *world) container(name string, runner *policy.Verdict) *policy.Verdict {
	id := strings.Repeat("a", 64)
	return w.add(&graph.Target{
		ID: id, Kind: graph.KindContainer, Name: name, Runner: runner.Target.ID, Owner: runner.Target.Owner, Finding: graph.FindingNone, MemoryBytes: 100_000_000, MemoryKind: "rss",
		Container: &inventory.Container{ID: id, Name: "/" + name + "-1", Image: "mcp/" + name, State: "running", StartedAt: at.Add(-time.Hour)},
	})
}

func (w *world) add(t *graph.Target) *policy.Verdict {
	w.Verdicts = append(w.Verdicts, policy.Verdict{Target: t, Reason: "it is in use"})
	return &w.Verdicts[len(w.Verdicts)-1]
}

// orphaned gives a verdict's target that finding. It is due so long after the look, or at
// once if the time is zero.
func orphaned(v *policy.Verdict, in time.Duration) *policy.Verdict {
	v.Target.Finding, v.Target.Since = graph.FindingOrphaned, at.Add(-8*time.Minute)
	v.Target.Evidence = []graph.Evidence{{Check: graph.CheckStdin, Says: graph.SaysOrphaned, Proof: true, Text: "nobody holds the other end of its stdin"}}
	v.Decision, v.Rule, v.Action, v.Grace, v.Reason = policy.Reap, "orphaned-servers", policy.ActionTerminate, 5*time.Second, "orphaned"
	if in > 0 {
		v.Decision, v.DueAt, v.Reason = policy.Pending, at.Add(in), "it has to hold for 30s"
	}
	return v
}

// ordinary is the world of most tests: a live session with two servers and a
// container, one with an idle server, and a server that a session left.
func ordinary() *world {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 16) // so that pointers returned by add stay valid
	claude, codex := w.session("claude-code", 4711), w.session("codex", 5100)
	w.server("playwright", 4720, claude)
	w.container("fetch", w.server("docker", 4730, claude))
	w.server("github", 5110, codex).Target.Idle = inventory.Known(5 * time.Hour)
	orphaned(w.server("lark-mcp", 21700, gone("codex", 21655)), 43*time.Second)
	return w
}

// reader drives a model as a person does.
type reader struct {
	t     *testing.T
	model Model
	now   time.Time
	did   []Effect
}

// reads returns a reader whose world comes from a daemon.
func reads(t *testing.T, w *world) *reader {
	t.Helper()
	r := &reader{t: t, model: New(Options{UTF8: true, Settle: 10 * time.Second, Home: "/home/dev"}, at), now: at}
	r.sends(Resized{80, 24}, Seen{Tree: w.tree(), From: Daemon})
	return r
}

func (r *reader) sends(messages ...Message) {
	for _, message := range messages {
		var effect Effect
		r.model, effect = r.model.Update(message, r.now)
		if effect.Do != Nothing {
			r.did = append(r.did, effect)
		}
	}
}

// types sends keys, given by their names with spaces between them.
func (r *reader) types(keys string) {
	for key := range strings.FieldsSeq(keys) {
		if key == "space" {
			key = " "
		}
		r.sends(Key(key))
	}
}

func (r *reader) screen() string { return r.model.Frame().String() }

// here returns the row under the cursor.
func (r *reader) here() string {
	r.t.Helper()
	for _, line := range r.model.Frame().Lines {
		if len(line) == 1 && line[0].Style.Reverse {
			return strings.TrimSpace(line[0].Text)
		}
	}
	r.t.Fatalf("no row is marked:\n%s", r.screen())
	return ""
}
