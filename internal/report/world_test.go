package report

import (
	"fmt"
	"strconv"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	said "github.com/reaperd/reaperd/internal/sentence"
)

// noon is the time of every look: a Thursday.
var noon = time.Date(2026, time.November, 26, 9, 40, 0, 0, time.UTC)

// world is a small host with the decisions about it. Tests build it step by step.
type world struct {
	first, last inventory.Snapshot
	sessions    []graph.Session
	verdicts    []policy.Verdict
	outcomes    []policy.Outcome
	settle      time.Duration
	nextPID     int
}

func newWorld(system string, processes int) *world {
	w := &world{settle: time.Second, nextPID: 40000}
	w.last = inventory.Snapshot{
		Version: inventory.Version, TakenAt: noon,
		Host: inventory.Host{Hostname: "box", OS: system, BootID: "b1", PIDNamespace: "init", UID: inventory.Known(1000)},
		Sources: []inventory.Source{
			{Name: inventory.SourceProcesses, Status: inventory.StatusOK},
			{Name: inventory.SourceDocker, Endpoint: "unix:///var/run/docker.sock", Status: inventory.StatusOK},
		},
	}
	for i := range processes {
		w.last.Processes = append(w.last.Processes, inventory.Process{PID: 100000 + i, Start: 1})
	}
	return w
}

// ago is a moment before noon.
func ago(d time.Duration) time.Time { return noon.Add(-d) }

func (w *world) process(pid int, age time.Duration, cwd string, argv ...string) *inventory.Process {
	if pid == 0 {
		w.nextPID++
		pid = w.nextPID
	}
	return &inventory.Process{
		PID: pid, Start: uint64(pid) * 10, StartedAt: ago(age), UID: inventory.Known(1000), User: "dev", Argv: argv, Cwd: cwd,
		CPUSeconds: inventory.Known(10.0),
	}
}

func (w *world) session(name string, pid int, age time.Duration, cwd string, memory uint64) graph.Owner {
	p := w.process(pid, age, cwd, name)
	w.last.Processes = append(w.last.Processes, *p)
	earlier := *p
	earlier.CPUSeconds = inventory.Known(9.959)
	w.first.Processes = append(w.first.Processes, earlier)
	w.sessions = append(w.sessions, graph.Session{Process: p, Members: []*inventory.Process{p}, Name: name, Liveness: graph.LivenessLive, MemoryBytes: memory})
	return graph.Owner{Name: name, Kind: graph.OwnerSession, ID: p.ID(), Liveness: graph.LivenessLive}
}

func gone(name string, pid int, since time.Duration) graph.Owner {
	o := graph.Owner{Name: name, Kind: graph.OwnerSession, Liveness: graph.LivenessGone, Since: ago(since)}
	if pid != 0 {
		o.ID = inventory.ID{PID: pid, Start: uint64(pid) * 10}
	}
	return o
}

// server is a target of one process.
func (w *world) server(name string, pid int, age time.Duration, memory uint64, argv ...string) *graph.Target {
	p := w.process(pid, age, "/home/dev/src/dollhouse", argv...)
	return &graph.Target{
		ID: p.ID().String(), Kind: graph.KindServer, Name: name, How: "the catalogue: mcp-server",
		Root: p, Members: []*inventory.Process{p}, Finding: graph.FindingNone,
		Age: age, MemoryBytes: memory, MemoryKind: "pss", CPUPercent: inventory.Known(0.0), User: "dev", Looks: 2,
	}
}

func (w *world) container(name, docker, image string, age time.Duration, memory uint64) *graph.Target {
	c := &inventory.Container{
		ID: fmt.Sprintf("%064x", len(w.last.Containers)+0xabc), Name: docker, Image: image, State: "running",
		CreatedAt: ago(age), StartedAt: ago(age), Engine: "unix:///var/run/docker.sock",
	}
	w.last.Containers = append(w.last.Containers, *c)
	return &graph.Target{
		ID: c.ID, Kind: graph.KindContainer, Name: name, Container: c, Finding: graph.FindingNone,
		Age: age, MemoryBytes: memory, MemoryKind: "rss", Looks: 2,
	}
}

func owned(t *graph.Target, o graph.Owner, held string) *graph.Target {
	t.Owner = o
	t.Evidence = append(t.Evidence, graph.Evidence{Check: graph.CheckAncestor, Says: graph.SaysOwned, Proof: true, Text: "its parent is " + o.Name + " " + strconv.Itoa(o.ID.PID)})
	if held != "" {
		t.Evidence = append(t.Evidence, graph.Evidence{Check: graph.CheckStdin, Says: graph.SaysOwned, Proof: true, Text: held})
	}
	return t
}

func orphaned(t *graph.Target, o graph.Owner) *graph.Target {
	t.Owner, t.Finding, t.Since, t.Held = o, graph.FindingOrphaned, ago(t.Age), t.Age
	parent := said.Of("no session lives above it")
	if !o.ID.IsZero() {
		parent = said.Of("the %s that started it is gone", said.Name{Name: o.Name, PID: o.ID.PID})
	}
	t.Evidence = []graph.Evidence{
		{Check: graph.CheckStdin, Says: graph.SaysOrphaned, Proof: true, Text: "nobody holds the other end of its stdin"},
		{Check: graph.CheckAncestor, Says: graph.SaysOrphaned, Proof: true, Text: parent.String(), Said: parent},
		{Check: graph.CheckMemory, Says: graph.SaysSilent, Text: "not seen before this look"},
	}
	return t
}

func (w *world) keep(t *graph.Target) *policy.Verdict {
	w.verdicts = append(w.verdicts, policy.Verdict{Target: t})
	return &w.verdicts[len(w.verdicts)-1]
}

func (w *world) decide(t *graph.Target, d policy.Decision, rule string, action policy.Action) *policy.Verdict {
	v := w.keep(t)
	v.Decision, v.Rule, v.Action, v.Grace = d, rule, action, 5*time.Second
	v.For, v.Held = 30*time.Second, t.Held
	v.RuleOrigin = policy.Origin{File: "built-in", Line: 31}
	v.Vetoes = t.Vetoes
	return v
}

func (w *world) outcome(t *graph.Target, action policy.Action, outcome done.Result, detail string, freed uint64) {
	w.outcomes = append(w.outcomes, policy.Outcome{
		ID: fmt.Sprintf("a%03d", len(w.outcomes)+1), Target: t.ID, Action: action, Result: outcome, Detail: detail, FreedBytes: freed,
	})
}

func (w *world) input() Input {
	for i := range w.sessions {
		for _, v := range w.verdicts {
			switch {
			case v.Target.Owner.ID != w.sessions[i].Process.ID():
			case v.Target.Kind == graph.KindContainer:
				w.sessions[i].Containers++
			default:
				w.sessions[i].Servers++
			}
		}
	}
	w.first.TakenAt, w.first.Sources, w.first.Host = w.last.TakenAt.Add(-w.settle), w.last.Sources, w.last.Host
	last := &graph.Graph{Snapshot: &w.last, Sessions: w.sessions}
	for i := range w.verdicts {
		last.Targets = append(last.Targets, w.verdicts[i].Target)
	}
	return Input{
		StartDaemon: "reaperd install",
		Graph:       last, First: &graph.Graph{Snapshot: &w.first}, Verdicts: w.verdicts, Outcomes: w.outcomes,
		Policy: policy.Identity{Source: "built-in", SHA256: "5c1f", Mode: "enforce"}, Settle: w.settle, Command: "scan",
	}
}

const (
	megabyte = 1000 * 1000
	day      = 24 * time.Hour
)

// dollhouse is R4: 94 servers started over four days, one of them in use.
func dollhouse() *world {
	w := newWorld("darwin", 411)
	claude := w.session("claude-code", 82364, 2*time.Hour+3*time.Minute, "/home/dev/src/dollhouse", 610*megabyte)
	script := []string{"/opt/homebrew/bin/node", "/home/dev/src/dollhouse/mcp-server/dist/index.js"}
	live := owned(w.server("dollhousemcp", 82391, 2*time.Hour+3*time.Minute, 52*megabyte, script...), claude, "claude-code 82364 holds its stdin")
	w.keep(live)
	for _, batch := range []struct {
		age    time.Duration
		spread time.Duration
		copies int
		owners []int
	}{
		{4*day + 23*time.Hour, 0, 3, []int{4107}},
		{3*day + 14*time.Hour + 35*time.Minute, 0, 5, []int{11930}},
		{2*day + 19*time.Hour + 40*time.Minute, 20 * time.Minute, 12, []int{20544, 20601, 20610}},
		{2*day + 18*time.Hour + 38*time.Minute, 39 * time.Minute, 20, []int{21655, 21700, 21811, 21900, 21999}},
		{2*day + 16*time.Hour + 10*time.Minute, 0, 9, []int{23018, 23040}},
		{day + 23*time.Hour + 28*time.Minute, 0, 11, []int{30118, 30200}},
		{day + 14*time.Hour + 40*time.Minute, 25 * time.Minute, 14, []int{41270, 41300, 41500}},
		{20*time.Hour + 30*time.Minute, 0, 10, []int{55602}},
		{11*time.Hour + 52*time.Minute, 0, 7, []int{60933}},
	} {
		for i := range batch.copies {
			age := batch.age
			if batch.copies > 1 {
				age -= batch.spread * time.Duration(i) / time.Duration(batch.copies-1)
			}
			owner := gone("claude-code", batch.owners[i%len(batch.owners)], time.Hour)
			w.decide(orphaned(w.server("dollhousemcp", 0, age, 48*megabyte, script...), owner), policy.Reap, "orphaned-servers", policy.ActionTerminate)
		}
	}
	for _, pid := range []int{77102, 77140} {
		unclear := w.server("dollhousemcp", pid, 2*day+4*time.Hour, 48*megabyte, script...)
		unclear.Evidence = []graph.Evidence{{Check: graph.CheckStdin, Says: graph.SaysSilent, Text: "stdin is /dev/null"}}
		w.keep(unclear)
	}
	test := w.container("claude-mcp-test", "claude-mcp-test", "claude-mcp-test:latest", 3*day+5*time.Hour, 180*megabyte)
	test.CPUPercent = inventory.Known(0.1)
	test.Evidence = []graph.Evidence{{Check: graph.CheckContainer, Says: graph.SaysSilent, Text: "not started with -i"}}
	w.keep(test)
	return w
}

// hoarder is R0: a gateway under a live session that leaks runners, containers
// and zombies, beside eight healthy ones.
func hoarder() *world {
	w := newWorld("darwin", 1497)
	claude := w.session("claude-code", 82364, 3*time.Hour+41*time.Minute, "/home/dev/src/cmux", 1200*megabyte)
	argv := []string{"docker", "mcp", "gateway", "run"}
	gateway := owned(w.server("docker-mcp", 82681, 2*time.Hour+6*time.Minute, 211*megabyte, argv...), claude, "claude-code 82364 holds its stdin")
	gateway.Kind, gateway.Finding, gateway.Zombies = graph.KindGateway, graph.FindingZombies, 526
	gateway.Root.OpenFDs = inventory.Known(1475)
	gateway.CPUPercent = inventory.Known(38.2)
	gateway.Since, gateway.Held = ago(time.Second), time.Second
	gateway.Evidence = append(gateway.Evidence, graph.Evidence{Check: graph.CheckZombies, Says: graph.SaysSilent, Proof: true, Text: "526 of its children have exited and are not waited for"})
	self := graph.Owner{Name: "docker-mcp", Kind: graph.OwnerGateway, ID: gateway.Root.ID(), Liveness: graph.LivenessLive}
	v := w.decide(gateway, policy.Pending, "zombie-gateways", policy.ActionTerminate)
	v.DueAt, v.For, v.Needs = noon.Add(2*time.Minute-time.Second), 2*time.Minute, 2*time.Minute
	for range 8 {
		healthy := owned(w.server("docker-mcp", 0, 3*time.Hour+40*time.Minute, 22*megabyte, argv...), claude, "")
		healthy.Kind = graph.KindGateway
		healthy.Root.OpenFDs = inventory.Known(22)
		w.keep(healthy)
	}
	for i := range 200 {
		age := time.Duration(i)*36*time.Second + 3*time.Second
		runner := w.server("github-official", 0, age, 25*megabyte, "docker", "run", "--rm", "-i", "ghcr.io/github/github-mcp-server")
		gateway.Below = append(gateway.Below, runner.ID)
		w.keep(owned(runner, self, "gateway 82681 holds its stdin"))
	}
	for i := range 183 {
		age := 3*time.Second + time.Duration(i)*800*time.Millisecond
		if i > 68 {
			age = time.Duration(i) * 39 * time.Second
		}
		c := w.container("github-official", "quirky_"+strconv.Itoa(i), "ghcr.io/github/github-mcp-server@sha256:5049daf", age, 48*megabyte)
		c.Owner = self
		c.Evidence = []graph.Evidence{{Check: graph.CheckContainer, Says: graph.SaysOwned, Text: "200 live docker runs could have it"}}
		w.keep(c)
	}
	return w
}

// unifi is R1: wrapped `docker run`s and their containers, whose sessions are gone; one
// set is in use.
func unifi() *world {
	w := newWorld("linux", 288)
	openclaw := w.session("openclaw", 900, 5*time.Hour, "/home/dev", 410*megabyte)
	image := "ghcr.io/enuno/unifi-mcp-server:latest"
	add := func(i int, owner graph.Owner) (*graph.Target, *graph.Target) {
		age := time.Duration(14+i) * time.Minute
		server := w.server("unifi", 0, age, 60*megabyte, "npm exec @enuno/unifi-mcp-server --site default")
		box := w.container("unifi-mcp-server", "happy_"+strconv.Itoa(i), image, age-2*time.Second, 50*megabyte)
		box.Runner, server.Containers, box.Owner = server.ID, []string{box.ID}, owner
		return server, box
	}
	server, box := add(0, openclaw)
	w.keep(owned(server, openclaw, "openclaw 900 holds its stdin"))
	box.Evidence = []graph.Evidence{{Check: graph.CheckContainer, Says: graph.SaysOwned, Proof: true, Text: "its docker run lives"}}
	w.keep(box)
	for i := 1; i <= 11; i++ {
		owner := gone("openclaw-agent", 1000+i, 10*time.Minute)
		server, box := add(i, owner)
		orphaned(server, owner)
		orphaned(box, owner)
		box.Evidence = []graph.Evidence{{Check: graph.CheckContainer, Says: graph.SaysOrphaned, Proof: true, Text: "its docker run's tree is orphaned"}}
		w.decide(box, policy.Reap, "orphaned-containers", policy.ActionRemove)
		w.decide(server, policy.Reap, "orphaned-servers", policy.ActionTerminate)
	}
	return w
}

// generations are R2 and R3: sets of servers under a live owner, which starts a new set
// from time to time; the older ones are idle.
func generations(name string, pid, sets int, every time.Duration, servers ...string) *world {
	w := newWorld("linux", 900)
	owner := w.session(name, pid, time.Duration(sets+1)*every, "/home/dev/work", 2000*megabyte)
	for set := range sets {
		for _, server := range servers {
			t := owned(w.server(server, 0, time.Duration(set)*every+42*time.Second, 160*megabyte, "/usr/local/bin/"+server), owner, name+" "+strconv.Itoa(pid)+" holds its stdin")
			t.Generation = set + 1
			if set == 0 {
				w.keep(t)
				continue
			}
			t.Finding, t.Since, t.Held = graph.FindingDuplicate, ago(time.Second), time.Second
			t.Evidence = append(t.Evidence, graph.Evidence{Check: graph.CheckActivity, Says: graph.SaysSilent, Text: "a newer copy serves the same owner, and it has used no CPU and done no I/O for 30m"})
			w.decide(t, policy.Keep, "duplicates", policy.ActionReport)
		}
	}
	return w
}

func respawningDaemon() *world {
	return generations("codex", 4711, 123, 7*time.Minute, "mcp-codebase-index", "codebase-memory-mcp", "github-mcp-server", "ast-grep-server")
}

func dialpad() *world {
	return generations("openclaw", 2200, 3, 4*time.Minute, "dialpad-messaging")
}

// swept is R1 after a sweep: most targets are gone, one container could not be removed,
// one server had changed, one child escaped.
func swept() *world {
	w := unifi()
	n := 0
	for _, v := range w.verdicts {
		if v.Decision != policy.Reap {
			continue
		}
		n++
		switch n {
		case 3:
			w.outcome(v.Target, v.Action, done.Failed, "permission denied by the engine", 0)
		case 4:
			w.outcome(v.Target, v.Action, done.Changed, "not the same process any more", 0)
		case 6:
			w.outcome(v.Target, v.Action, done.Escaped, "1 child left the tree: 40122", 0)
		case 8:
			w.outcome(v.Target, v.Action, done.AlreadyGone, "", 0)
		default:
			w.outcome(v.Target, v.Action, done.Exited, "", v.Target.MemoryBytes)
		}
	}
	return w
}

// failingGateway is R0 once its finding is proven: the gateway is reaped with its
// targets.
func failingGateway() *world {
	w := hoarder()
	gateway := w.verdicts[0].Target
	for i := range w.verdicts {
		v := &w.verdicts[i]
		switch {
		case i == 0:
			v.Decision, v.Needs, v.Held, v.Target.Held = policy.Reap, 0, 3*time.Minute, 3*time.Minute
		case v.Target.Owner.ID == gateway.Root.ID() && v.Target.Kind == graph.KindServer:
			v.Decision, v.Rule, v.Action, v.With = policy.Reap, "zombie-gateways", policy.ActionTerminate, gateway.ID
		}
	}
	return w
}

// strangers are servers of a shell, of a service, and one with clients.
func strangers() *world {
	w := newWorld("linux", 70)
	w.session("codex", 300, time.Hour, "/home/dev", 0)
	shell := w.process(4400, 3*time.Hour, "/home/dev", "zsh")
	w.last.Processes = append(w.last.Processes, *shell)
	w.keep(owned(w.server("inspector", 4410, time.Hour, 80*megabyte, "node", "inspector.js"),
		graph.Owner{Name: "zsh", Kind: graph.OwnerProcess, ID: shell.ID(), Liveness: graph.LivenessLive}, "zsh 4400 holds its stdin"))
	w.keep(owned(w.server("notes-mcp", 510, 9*day, 30*megabyte, "/usr/bin/notes-mcp"),
		graph.Owner{Name: "notes.service", Kind: graph.OwnerService, Liveness: graph.LivenessLive}, ""))
	listening := w.server("playwright-mcp", 600, 2*day, 300*megabyte, "npx", "@playwright/mcp", "--port", "8931")
	listening.InUse, listening.Listening = true, inventory.Known(true)
	listening.Evidence = []graph.Evidence{{Check: graph.CheckClients, Says: graph.SaysOwned, Proof: true, Text: "it listens, and 2 clients are connected"}}
	w.keep(listening)
	return w
}
