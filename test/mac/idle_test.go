//go:build linux

package mac

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"github.com/reaperd/reaperd/test/mac/darwintest"
)

// idleSessionsEnd is the one word that a person turns on.
const idleSessionsEnd = `
version: 1
extends: builtin
mode: enforce
rules:
  - name: idle-sessions
    match: {idle_for: 1h}
    action: terminate
`

// timers are the calls a minute of a client or a server that rests: what its runtime does by itself.
const timers = 150

// thread is what Zed starts for a thread: the adapter from npm, the agent that it starts, and that one's
// app server with a server of its user's.
func thread(name string) actor.Part {
	const modules = "/Users/dev/Library/Application Support/Zed/external_agents/registry/npx/codex-acp/node_modules/"
	host := cast.Server(name+"-host", modules+"@openai/codex-darwin-arm64/vendor/code-mode-host.js", actor.Socket)
	server := cast.Memory(name+"-memory", actor.Socket)
	adapter := cast.Server(name, modules+"@zed-industries/codex-acp/bin/codex-acp.js", actor.Socket)
	adapter.Children = []actor.Part{{
		Name: name + "-codex", Exe: modules + "@openai/codex-darwin-arm64/vendor/aarch64-apple-darwin/bin/codex", Argv: []string{"codex", "app-server"},
		Stdin: actor.Socket, Stdout: actor.Socket, Does: actor.Server, Children: []actor.Part{host, server},
	}}
	return adapter
}

// threadParts are the parts of a thread.
func threadParts(name string) []string {
	return append([]string{name, name + "-codex", name + "-host"}, strings.Fields(cast.Chain(name+"-memory"))...)
}

// zed has eight closed threads and one in which an agent works.
func zed() actor.Part {
	const exe = "/Applications/Zed.app/Contents/MacOS/zed"
	app := actor.Part{Name: "zed", Exe: exe, Argv: []string{exe}, Stdin: actor.Null, Stdout: actor.Null, Setsid: true, UID: dev}
	for n := range 8 {
		app.Children = append(app.Children, thread(fmt.Sprintf("closed-%d", n)))
	}
	app.Children = append(app.Children, thread("open"))
	return app
}

// background is claude's service with two sessions, each below the host of its terminal, and one in reserve.
func background() actor.Part {
	const claude = "/Users/dev/.local/share/claude/versions/2.1.332"
	service := actor.Part{Name: "service", Exe: claude, Argv: []string{"claude", "daemon", "run"}, Stdin: actor.Null, Stdout: actor.File, Setsid: true, UID: dev}
	for _, name := range []string{"resting", "working"} {
		session := actor.Part{Name: name, Exe: claude, Argv: []string{"claude", "--session-id", name}, Stdin: actor.TTY, Stdout: actor.TTY, Setsid: true,
			Children: []actor.Part{cast.Memory(name+"-memory", actor.Socket)}}
		service.Children = append(service.Children, actor.Part{Name: name + "-pty", Exe: claude, Argv: []string{"claude", "--bg-pty-host", name},
			Stdin: actor.Null, Stdout: actor.File, Children: []actor.Part{session}})
	}
	service.Children = append(service.Children, actor.Part{Name: "spare", Exe: claude, Argv: []string{"claude", "--bg-spare"}, Stdin: actor.Null, Stdout: actor.File})
	return service
}

// idleWorld is a world whose processes all rest, but for some.
type idleWorld struct {
	*live
	sweeper *sweep.Sweeper
	work    map[string]func(*darwintest.Process) // what a part does each half minute beside its timers
}

func newIdleWorld(t *testing.T, parts ...actor.Part) *idleWorld {
	t.Helper()
	kernel := darwintest.NewKernel()
	kernel.NumberFrom(firstPID)
	kernel.UID = dev
	w := &idleWorld{live: raised(kernel, farm.World{Rules: idleSessionsEnd, Parts: parts}), work: map[string]func(*darwintest.Process){}}
	w.sweeper = &sweep.Sweeper{Observer: w.host, Catalogue: w.host.catalogue, Policy: policyOf(t, idleSessionsEnd), Fresh: w.host}
	w.sweeper.Reaper = &reap.Reaper{Processes: w.host.scanner, Kernel: w.host}
	return w
}

// watch looks every half minute for as long, acts on the last look, and returns it.
func (w *idleWorld) watch(t *testing.T, lasts time.Duration) *graph.Graph {
	t.Helper()
	g, err := w.sweeper.First(t.Context())
	for range lasts / (30 * time.Second) {
		if err != nil {
			t.Fatal(err)
		}
		w.pass()
		g, err = w.sweeper.Look(t.Context(), g)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.before, w.view = w.alive(), w.sweeper.Judge(nil, g)
	w.outcomes, err = w.sweeper.Act(t.Context(), policy.MakePlan(w.view.Verdicts, w.sweeper.Policy, g.Snapshot.Moment()), w.view, inventory.Moment{At: time.Now(), Awake: g.Snapshot.Host.AwakeSeconds})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// pass is half a minute of the world.
func (w *idleWorld) pass() {
	time.Sleep(30 * time.Second) // of the bubble
	for name, player := range w.cast {
		w.kernel.Work(player.process, timers/2, 0)
		if work := w.work[name]; work != nil {
			work(player.process)
		}
	}
}

// idle are the parts whose sessions have the finding, in order.
func (w *idleWorld) idle(g *graph.Graph) (names []string) {
	for i := range g.Sessions {
		if s := &g.Sessions[i]; s.Target.Finding == graph.FindingIdle {
			names = append(names, w.nameOf(s.Process.PID))
		}
	}
	slices.Sort(names)
	return names
}

func (w *idleWorld) nameOf(pid int) string {
	for name, player := range w.cast {
		if player.process.PID == pid {
			return name
		}
	}
	return ""
}

// TestClosedThreadsOfZedAreIdle: eight threads were closed and their agents rest below a live Zed, one works. It
// takes no processor time that a tick would show, and reads no disk.
func TestClosedThreadsOfZedAreIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newIdleWorld(t, zed())
		w.work["open-memory"] = func(p *darwintest.Process) { w.kernel.Work(p, 300, 0) }
		w.work["zed"] = func(p *darwintest.Process) { w.kernel.Work(p, 50_000, 0) }
		if idle := w.idle(w.watch(t, 30*time.Minute)); len(idle) > 0 {
			t.Fatalf("idle after half an hour, where the policy says an hour: %v", idle)
		}
		var closed []string
		for n := range 8 {
			closed = append(closed, fmt.Sprintf("closed-%d", n))
			w.world.Reap = append(w.world.Reap, threadParts(closed[n])...)
		}
		if idle := w.idle(w.watch(t, 61*time.Minute)); !slices.Equal(idle, closed) {
			t.Errorf("idle after an hour: %v, want %v", idle, closed)
		}
		w.check(t)
	})
}

// TestBackgroundSessionsOfClaudeAreIdle: the service, the hosts of its terminals and the session in reserve are
// no sessions, and stay.
func TestBackgroundSessionsOfClaudeAreIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newIdleWorld(t, cast.Launched(background()))
		w.work["working"] = func(p *darwintest.Process) { w.kernel.Work(p, 5000, 0) }
		w.world.Reap = append(strings.Fields(cast.Chain("resting-memory")), "resting")
		w.world.Either = []string{"resting-pty"}
		if idle := w.idle(w.watch(t, 61*time.Minute)); !slices.Equal(idle, []string{"resting"}) {
			t.Errorf("idle after an hour: %v", idle)
		}
		w.check(t)
	})
}

// TestWhatKeepsASessionOnAMac: nothing of it is ended.
func TestWhatKeepsASessionOnAMac(t *testing.T) {
	for _, row := range []struct {
		world string
		work  func(*idleWorld, *darwintest.Process)
	}{
		{"its server is asked every few seconds", func(w *idleWorld, p *darwintest.Process) { w.kernel.Work(p, 300, 0) }},
		{"its server writes to a disk in few calls", func(w *idleWorld, p *darwintest.Process) { w.kernel.Work(p, 10, 16<<20) }},
		{"a counter of its server stands at its end", func(w *idleWorld, p *darwintest.Process) { w.kernel.Work(p, math.MaxInt32-timers, 0); w.work = nil }},
	} {
		t.Run(row.world, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newIdleWorld(t, owned(cast.Claude("claude", cast.Memory("memory", actor.Socket))))
				w.work["memory"] = func(p *darwintest.Process) { row.work(w, p) }
				if idle := w.idle(w.watch(t, 2*time.Hour)); len(idle) > 0 {
					t.Errorf("idle: %v", idle)
				}
				w.check(t)
			})
		})
	}
}
