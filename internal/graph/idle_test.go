package graph_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const container = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00"

// process is one that has rested since its start: no processor time, no characters.
func process(pid, ppid int, argv ...string) inventory.Process {
	return inventory.Process{
		PID: pid, Start: uint64(100 * pid), StartedAt: noon.Add(-24 * time.Hour), State: "S", PPID: inventory.Known(ppid),
		SID: inventory.Known(44), UID: inventory.Known(0), Comm: argv[0], Exe: "/usr/bin/" + argv[0], Argv: argv,
		RSSBytes: inventory.Known(uint64(1 << 20)), CPUSeconds: inventory.Known(1.0), IOChars: inventory.Known(uint64(1000)), Listening: inventory.Known(false), Connections: inventory.Known(0),
	}
}

// piped is a server that a session speaks to.
func piped(pid, session int, argv ...string) inventory.Process {
	p := process(pid, session, argv...)
	p.Stdin = inventory.Known(inventory.Stdio{Kind: inventory.KindPipe, ID: "pipe:[1" + argv[0] + "]", Peer: inventory.PeerOpen, Holders: []int{session}})
	p.Stdout = inventory.Known(inventory.Stdio{Kind: inventory.KindPipe, ID: "pipe:[2" + argv[0] + "]", Peer: inventory.PeerOpen, Holders: []int{session}})
	return p
}

// world is a session on a terminal with one server.
func world() []inventory.Process {
	shell, claude := process(40, 1, "-bash"), process(44, 40, "claude")
	for _, p := range []*inventory.Process{&shell, &claude} {
		p.TTY, p.TTYUsedAt = "pts/3", noon.Add(-5*time.Hour)
		p.Stdin = inventory.Known(inventory.Stdio{Kind: inventory.KindTTY, ID: "/dev/pts/3"})
		p.Stdout = p.Stdin
	}
	return []inventory.Process{process(1, 0, "systemd"), shell, claude, piped(60, 44, "mcp-server-time")}
}

// look is what some processes come to, that long after noon.
func look(before *graph.Graph, after time.Duration, processes []inventory.Process, containers ...inventory.Container) *graph.Graph {
	return graph.Correlate(before, &inventory.Snapshot{
		Version: 1, TakenAt: noon.Add(after),
		Host:      inventory.Host{OS: "linux", BootID: "b0", PIDNamespace: "init", UID: inventory.Known(0)},
		Sources:   []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusOK}, {Name: inventory.SourceDocker, Endpoint: "unix:///var/run/docker.sock", Status: inventory.StatusOK}},
		Processes: slices.Clone(processes), Containers: containers,
	}, graph.Options{Catalogue: catalogue.New(catalogue.Extra{}), IdleOver: time.Hour})
}

// watched is a look a minute for as long, the last of which shows other processes.
func watched(t *testing.T, lasts time.Duration, processes, last []inventory.Process, containers ...inventory.Container) graph.Session {
	t.Helper()
	g := look(nil, 0, processes, containers...)
	for after := time.Minute; after < lasts; after += time.Minute {
		g = look(g, after, processes, containers...)
	}
	g = look(g, lasts, last, containers...)
	for _, s := range g.Sessions {
		if s.Process.PID == 44 {
			return s
		}
	}
	t.Fatal("the session is not there")
	return graph.Session{}
}

// with is the world after a change to the process of that PID.
func with(pid int, change func(*inventory.Process)) []inventory.Process {
	processes := world()
	change(&processes[slices.IndexFunc(processes, func(p inventory.Process) bool { return p.PID == pid })])
	return processes
}

func TestASessionIsIdleOnlyWhereNothingOfItIsUsed(t *testing.T) {
	tool := func(argv ...string) []inventory.Process { return append(world(), process(70, 44, argv...)) }
	started := piped(61, 44, "mcp-server-git")
	started.StartedAt = noon.Add(2 * time.Hour)
	for _, row := range []struct {
		world      string
		all, last  []inventory.Process // last left out: as all
		containers []inventory.Container
		idle       bool
		use        graph.Sign
	}{
		{world: "a session and its server that rest", all: world(), idle: true},
		{world: "timers and pings", all: world(), last: with(44, func(p *inventory.Process) {
			p.CPUSeconds, p.IOChars = inventory.Known(1.1), inventory.Known(uint64(1576))
		}), idle: true},
		{world: "the client works", all: world(), last: with(44, func(p *inventory.Process) { p.CPUSeconds = inventory.Known(2.0) }), use: graph.SignProcessor},
		{world: "its server works", all: world(), last: with(60, func(p *inventory.Process) { p.CPUSeconds = inventory.Known(2.0) }), use: graph.SignProcessor},
		{world: "its server is asked once a second", all: world(), last: with(60, func(p *inventory.Process) { p.IOChars = inventory.Known(uint64(7000)) }), use: graph.SignIO},
		{world: "its terminal was typed on", all: world(), last: with(44, func(p *inventory.Process) { p.TTYUsedAt = noon.Add(2 * time.Hour) }), use: graph.SignTerminal},
		{world: "somebody is connected to it", all: with(44, func(p *inventory.Process) { p.Listening, p.Connections = inventory.Known(true), inventory.Known(1) }), use: graph.SignConnections},
		{world: "who is connected could not be read", all: with(60, func(p *inventory.Process) { p.Listening = inventory.Unreadable[bool]() }), use: graph.SignUnknown},
		{world: "input and output could not be read", all: with(60, func(p *inventory.Process) { p.IOChars = inventory.Unreadable[uint64]() }), use: graph.SignUnknown},
		{world: "a tool runs and waits", all: tool("sleep", "36000"), use: graph.SignTool},
		{world: "a tool in a shell", all: append(tool("bash", "-c", "gh run watch"), process(71, 70, "gh", "run", "watch")), use: graph.SignTool},
		{world: "a line of a shell that runs by itself", all: tool("bash", "-c", "read -t 36000"), use: graph.SignTool},
		{world: "a script", all: tool("bash", "build.sh"), use: graph.SignTool},
		{world: "a shell that waits for its next command", all: tool("bash", "-l"), idle: true},
		{world: "a session below it", all: tool("codex"), use: graph.SignTool},
		{world: "a second server was started", all: world(), last: append(world(), started), use: graph.SignStarted},
		{world: "a second server that ran before is seen to be its", all: world(), last: append(world(), piped(61, 44, "mcp-server-git")), use: graph.SignUnknown},
		{world: "its server has ended", all: world(), last: world()[:3], use: graph.SignExited},
		{world: "the work in its container is seen", all: contained(1.0), last: contained(2.0), containers: running(), use: graph.SignProcessor},
		{world: "its container rests", all: contained(1.0), containers: running(), idle: true},
		{world: "what its container does is not to be seen", all: contained(1.0)[:5], containers: running(), use: graph.SignUnknown},
	} {
		last := row.last
		if last == nil {
			last = row.all
		}
		s := watched(t, 2*time.Hour, row.all, last, row.containers...)
		if found := s.Target.Finding == graph.FindingIdle; found != row.idle {
			t.Errorf("%s: finding %s after %v", row.world, s.Target.Finding, s.Activity.Last)
		}
		if !row.idle && s.Activity.Last.Sign != row.use {
			t.Errorf("%s: in use for %q, want %q", row.world, s.Activity.Last.Sign, row.use)
		}
		if row.idle && (s.Target.Idle.Or(0) != 2*time.Hour || !s.Activity.AtLeast) {
			t.Errorf("%s: idle for %s, at least %v", row.world, s.Target.Idle.Or(0), s.Activity.AtLeast)
		}
	}
}

// contained is the world with the runner of a container and what runs in that.
func contained(cpu float64) []inventory.Process {
	runner := piped(62, 44, "docker", "run", "-i", "--rm", "mcp/fetch")
	runner.StartedAt = noon.Add(-time.Hour)
	inside := process(80, 79, "fetch")
	inside.ContainerID, inside.CPUSeconds = container, inventory.Known(cpu)
	return append(world(), runner, process(79, 1, "containerd-shim-runc-v2"), inside)[:7]
}

func running() []inventory.Container {
	return []inventory.Container{{
		ID: container, Name: "/fetch", Image: "mcp/fetch", State: "running", CreatedAt: noon.Add(-59 * time.Minute), StartedAt: noon.Add(-59 * time.Minute),
		PID: 80, OpenStdin: inventory.Known(true), StdinOnce: inventory.Known(true), AutoRemove: inventory.Known(true), Stdin: inventory.PeerOpen,
	}}
}

func TestWhatAnIdleSessionHolds(t *testing.T) {
	s := watched(t, 2*time.Hour, contained(1.0), contained(1.0), running()...)
	holds := strings.Join(s.Target.Below, " ")
	for _, want := range []string{"60:6000", "62:6200", container} {
		if !strings.Contains(holds, want) {
			t.Errorf("it holds %s, and not %s", holds, want)
		}
	}
	if s.Servers != 2 || s.Containers != 1 || s.MemoryBytes != 4<<20 {
		t.Errorf("%d servers, %d containers, %d bytes", s.Servers, s.Containers, s.MemoryBytes)
	}
	if s.Unmeasured != 0 {
		t.Errorf("the memory of %d containers is not known", s.Unmeasured)
	}
	if s.Target.Held != 2*time.Hour || !s.Target.Since.Equal(noon) || len(s.Target.Evidence) != 3 {
		t.Errorf("held %s since %s, by %v", s.Target.Held, s.Target.Since, s.Target.Evidence)
	}
}

// TestAContainerWhoseMemoryIsNotKnownIsCounted: what runs in it was not read whole.
func TestAContainerWhoseMemoryIsNotKnownIsCounted(t *testing.T) {
	processes := contained(1.0)
	inside := &processes[len(processes)-1]
	inside.RSSBytes, inside.MemoryBytes = inventory.Fact[uint64]{}, inventory.Fact[uint64]{}
	s := look(nil, 0, processes, running()...).Sessions[0]
	if s.Containers != 1 || s.Unmeasured != 1 || s.MemoryBytes != 3<<20 {
		t.Errorf("of %d containers the memory of %d is not known, want 1; %d bytes", s.Containers, s.Unmeasured, s.MemoryBytes)
	}
}

// TestWhatEndsWithASessionIsKnownBeforeItIsIdle: else nobody could tell in time that it holds what is pinned.
func TestWhatEndsWithASessionIsKnownBeforeItIsIdle(t *testing.T) {
	s := watched(t, 30*time.Minute, contained(1.0), contained(1.0), running()...)
	if want := []string{"60:6000", "62:6200", container}; s.Target.Finding != graph.FindingNone || !slices.Equal(s.Target.Below, want) {
		t.Errorf("finding %s, with it end %v, want %v", s.Target.Finding, s.Target.Below, want)
	}
}

// TestASessionRestsFromItsUseOn: one look after that its rest is known, and its idle time after two.
func TestASessionRestsFromItsUseOn(t *testing.T) {
	used := with(44, func(p *inventory.Process) { p.CPUSeconds = inventory.Known(9.0) })
	g := look(nil, 0, world())
	for i, want := range []struct {
		processes []inventory.Process
		rested    time.Duration
		idle      bool
	}{{world(), 0, true}, {used, 0, false}, {used, time.Minute, false}, {used, 2 * time.Minute, true}} {
		g = look(g, time.Duration(i+1)*time.Minute, want.processes)
		target := g.Sessions[0].Target
		if i > 0 && target.Rested != want.rested || target.Idle.Or(0) > 0 != want.idle {
			t.Errorf("look %d: rests for %s, idle for %v", i+2, target.Rested, target.Idle)
		}
	}
}

// TestADeducedContainerIsNotEndedWithItsSession: another session began earlier with the same
// image, so each container's owner follows from what both docker runs need. That of the idle one
// is stopped, and may have lost its container without knowing. The container is counted, and its
// use is that of the session; it is not taken along.
func TestADeducedContainerIsNotEndedWithItsSession(t *testing.T) {
	other, runner := process(45, 1, "codex"), piped(63, 45, "docker", "run", "-i", "--rm", "mcp/fetch")
	other.SID, runner.StartedAt = inventory.Known(45), noon.Add(-3*time.Hour)
	older := running()[0]
	older.ID, older.Name, older.PID = strings.Replace(container, "c0", "d0", 1), "/older", 0
	older.CreatedAt = noon.Add(-3*time.Hour + time.Second)
	older.StartedAt = older.CreatedAt
	all := append(contained(1.0), other, runner)
	for i := range all {
		if all[i].PID == 62 {
			all[i].State = "T"
		}
	}
	s := watched(t, 2*time.Hour, all, all, append(running(), older)...)
	if s.Target.Finding != graph.FindingIdle || slices.Contains(s.Target.Below, container) || !slices.Contains(s.Target.Below, "62:6200") {
		t.Errorf("finding %s, with it end %v", s.Target.Finding, s.Target.Below)
	}
	g := look(look(nil, 0, all, append(running(), older)...), time.Minute, all, append(running(), older)...)
	target, _ := g.Target(container)
	if !target.Deduced || target.Owner.ID.PID != 44 || g.Sessions[0].Process.PID != 44 || g.Sessions[0].Containers != 1 {
		t.Errorf("deduced %v, of %v", target.Deduced, target.Owner)
	}
}

func TestIdlenessIsNotKnownAcrossABoot(t *testing.T) {
	before := look(nil, 0, world())
	before = look(before, 2*time.Hour, world())
	before.Snapshot.Host.BootID = "another"
	now := look(before, 3*time.Hour, world())
	if got := now.Sessions[0].Target; got.Idle.IsKnown() || got.Finding != graph.FindingNone {
		t.Errorf("after a boot: idle for %v, %s", got.Idle, got.Finding)
	}
}
