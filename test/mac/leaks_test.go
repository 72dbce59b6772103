//go:build linux

package mac

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"github.com/reaperd/reaperd/test/farm/rows"
	"github.com/reaperd/reaperd/test/leaks"
	"github.com/reaperd/reaperd/test/mac/darwintest"
)

// dev is the user whose Mac it is.
const dev = 501

// TestR3ServersThatALiveDaemonDropped: one of the four is only likely to be a server, and nothing on a
// Mac tells that such a one is at rest. It stays.
func TestR3ServersThatALiveDaemonDropped(t *testing.T) {
	world := leaks.R3(leaks.Reported(), 122)
	world.Reap = slices.DeleteFunc(world.Reap, func(name string) bool { return strings.HasPrefix(name, "index-") })
	synctest.Test(t, func(t *testing.T) { runWorld(t, world, false) })
}

// TestR4NinetyFourCopiesAsTheUser is the report on a Mac as it is: read by its
// user, below a shell of Apple's, beside the system's processes, of which nothing
// can be read.
func TestR4NinetyFourCopiesAsTheUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := rows.Copies(94)
		world.User = dev
		for i := range world.Parts {
			world.Parts[i].UID = dev
		}
		world.Parts = append(world.Parts, actor.Part{Name: "mds", Exe: "/usr/libexec/mds", Stdin: actor.Null, Stdout: actor.Null})
		runWorld(t, world, false)
	})
}

// TestAppleProgramsInATree has servers below a /bin/sh whose environment the
// kernel keeps back.
func TestAppleProgramsInATree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kernel := darwintest.NewKernel()
		kernel.NumberFrom(firstPID)
		l := raised(kernel, farm.World{
			Parts: []actor.Part{cast.Claude("killed", cast.Memory("memory", actor.Socket)), cast.Claude("alive", cast.Memory("memory-2", actor.Socket))},
			Kill:  []string{"killed"},
			Reap:  []string{cast.Chain("memory")},
		})
		for _, name := range []string{"memory-sh", "memory-2-sh"} {
			l.cast[name].process.Restricted, l.cast[name].process.Exe = true, "/bin/sh"
		}
		l.sweep(t)
		l.check(t)
	})
}

// TestATreeOfApplesProgramsAloneStays: whether REAPERD_KEEP is set for it cannot
// be told.
func TestATreeOfApplesProgramsAloneStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kernel := darwintest.NewKernel()
		kernel.NumberFrom(firstPID)
		l := raised(kernel, farm.World{
			Parts:    []actor.Part{cast.Claude("killed", cast.Memory("memory", actor.Socket), cast.UVX("git", "mcp-server-git", actor.Pipe))},
			Kill:     []string{"killed"},
			Reap:     []string{cast.Chain("memory")},
			Findings: map[string]string{"git-uv": "orphaned"},
		})
		for _, name := range []string{"git-uv", "git"} {
			l.cast[name].process.Restricted = true
		}
		l.sweep(t)
		l.check(t)
	})
}

// TestR0UnderDockerDesktop is the report: a gateway that forks `docker run` for
// each call and never waits. Docker Desktop runs the containers in a virtual
// machine with a clock of its own: in the table stand their clients alone, and of
// 180 that are alike nobody can say whose is which. The first sweep ends the
// gateway with its clients, the next the containers, which then have none.
func TestR0UnderDockerDesktop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kernel := darwintest.NewKernel()
		kernel.NumberFrom(firstPID)
		kernel.UID = dev
		l := raised(kernel, farm.World{
			Rules: leaks.Shipped,
			Parts: []actor.Part{owned(cast.Claude("claude", gateway("gateway", "github-official", 180), cast.Memory("memory", actor.Socket))),
				owned(cast.Claude("other", gateway("gateway-2", "fetch", 3)))},
		})
		engine := l.desktop()
		for range 526 {
			kernel.Exit(kernel.Spawn(l.cast["gateway"].process, darwintest.Spec{Comm: "docker", UID: dev, Argv: []string{"docker", "run"}}))
		}
		respawned := l.respawns(engine)
		l.sweep(t)
		if target := l.targetOf("gateway"); target == nil || target.Finding != graph.FindingZombies || target.Zombies != 526 {
			t.Errorf("the gateway: %s", l.told("gateway"))
		}
		l.fates(t, map[string]bool{"gateway": false, "github-official-000": false, "github-official-179": false})
		l.sweep(t)
		l.fates(t, map[string]bool{"claude": true, "memory-npm": true, "other": true, "gateway-2": true, "fetch-000": true, "fetch-002": true})
		if left := engine.names(); !slices.Equal(left, []string{"fetch-000", "fetch-001", "fetch-002"}) {
			t.Errorf("containers left: %v", left)
		}
		if *respawned > 0 {
			t.Errorf("the gateway started %d containers again while it was to stand still", *respawned)
		}
		t.Logf("stopped %d containers, signals %d", len(engine.acts), len(kernel.Acts()))
	})
}

// fates compares who lives.
func (l *live) fates(t *testing.T, want map[string]bool) {
	t.Helper()
	for name, lives := range want {
		if l.kernel.IsAlive(l.cast[name].process) != lives {
			t.Errorf("%s: alive %v: %s", name, !lives, l.told(name))
		}
	}
}

// TestAnEngineWhoseClockIsAnother: the virtual machine of Docker Desktop sleeps
// with the Mac, and its clock may be late by hours, or early. What was created
// when says nothing there.
func TestAnEngineWhoseClockIsAnother(t *testing.T) {
	for _, off := range []time.Duration{-10 * time.Hour, -10 * time.Minute, -time.Second, time.Second, 10 * time.Minute, 10 * time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				kernel := darwintest.NewKernel()
				kernel.NumberFrom(firstPID)
				kernel.UID = dev
				var clients []actor.Part
				for number := range 3 {
					clients = append(clients, actor.Part{Name: fmt.Sprintf("fetch-%d", number), Exe: "docker", Argv: clientOf("fetch"), Stdin: actor.Pipe, Stdout: actor.Pipe})
				}
				l := raised(kernel, farm.World{Rules: leaks.Shipped, Parts: []actor.Part{owned(cast.Claude("claude", clients...))}})
				for number := range clients { // they were started ten minutes apart
					l.cast[fmt.Sprintf("fetch-%d", number)].process.Start = time.Now().Add(time.Duration(number-9) * 10 * time.Minute).Truncate(time.Microsecond)
				}
				engine := l.desktop()
				for i := range engine.containers {
					engine.containers[i].CreatedAt = engine.containers[i].CreatedAt.Add(off)
					engine.containers[i].StartedAt = engine.containers[i].CreatedAt
				}
				for range 3 {
					l.sweep(t)
				}
				l.fates(t, map[string]bool{"claude": true, "fetch-0": true, "fetch-1": true, "fetch-2": true})
				if left := engine.names(); len(left) != 3 {
					t.Errorf("a container of a live client was stopped: %v", engine.acts)
				}
			})
		})
	}
}

// TestOrderProvesNothingBetweenTwoClocks: beside the container of a live client
// one was left behind that was made later. By a clock that is late the client's
// seems older than it, and only the other one to be its.
func TestOrderProvesNothingBetweenTwoClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kernel := darwintest.NewKernel()
		kernel.NumberFrom(firstPID)
		kernel.UID = dev
		client := func(name string) actor.Part {
			return actor.Part{Name: name, Exe: "docker", Argv: clientOf("fetch"), Stdin: actor.Pipe, Stdout: actor.Pipe}
		}
		l := raised(kernel, farm.World{Rules: leaks.Shipped,
			Parts: []actor.Part{owned(cast.Claude("alive", client("fetch-0"))), owned(cast.Claude("killed", client("fetch-1")))}})
		engine := l.desktop()
		started := l.cast["fetch-0"].process.Start
		for i, off := range []time.Duration{-10 * time.Minute, 10 * time.Second} {
			engine.containers[i].CreatedAt, engine.containers[i].StartedAt = started.Add(off), started.Add(off)
		}
		kernel.Exit(l.cast["killed"].process)
		kernel.Exit(l.cast["fetch-1"].process)
		for range 3 {
			l.sweep(t)
		}
		l.fates(t, map[string]bool{"alive": true, "fetch-0": true})
		if left := engine.names(); !slices.Contains(left, "fetch-0") {
			t.Errorf("the container of a live client was stopped; left %v", left)
		}
	})
}

func owned(part actor.Part) actor.Part { part.UID = dev; return part }

// gateway is Docker's, with the clients of so many calls of one server.
func gateway(name, server string, calls int) actor.Part {
	part := actor.Part{Name: name, Exe: "docker", Argv: []string{"docker", "mcp", "gateway", "run"},
		Stdin: actor.Socket, Stdout: actor.Socket, Unwaited: true}
	for call := range calls {
		part.Children = append(part.Children, actor.Part{Name: fmt.Sprintf("%s-%03d", server, call), Exe: "docker", Argv: clientOf(server),
			Stdin: actor.Pipe, Stdout: actor.Pipe})
	}
	return part
}

func clientOf(server string) []string {
	return []string{"docker", "run", "--rm", "-i", "--init", "-l", "docker-mcp=true", "-l", "docker-mcp-tool-type=mcp", "-l", "docker-mcp-name=" + server,
		"-l", "docker-mcp-transport=stdio", "ghcr.io/example/" + server}
}

// desktop starts the containers of every client, in a virtual machine.
func (l *live) desktop() *engine {
	e := &engine{endpoint: "unix:///Users/dev/.docker/run/docker.sock"}
	e.ended = func(id string) {
		for _, name := range l.names {
			if idOf(name) == id {
				l.kernel.Exit(l.cast[name].process)
			}
		}
	}
	for _, name := range l.names {
		if argv := l.cast[name].process.Argv; len(argv) > 1 && argv[1] == "run" {
			e.containers = append(e.containers, containerOf(name, l.cast[name].process.Start.Add(-3*time.Second))) // its clock is another
		}
	}
	l.host.engine = e
	return e
}

func idOf(name string) string { return fmt.Sprintf("%064x", name)[:64] }

func containerOf(name string, created time.Time) inventory.Container {
	server := name[:strings.LastIndexByte(name, '-')]
	return inventory.Container{ID: idOf(name), Name: name, Image: "ghcr.io/example/" + server, State: "running", CreatedAt: created, StartedAt: created,
		Labels:    map[string]string{"docker-mcp": "true", "docker-mcp-tool-type": "mcp", "docker-mcp-name": server, "docker-mcp-transport": "stdio"},
		OpenStdin: inventory.Known(true), StdinOnce: inventory.Known(true), AutoRemove: inventory.Known(true),
		Stdin: inventory.PeerUnknown, Engine: "unix:///Users/dev/.docker/run/docker.sock"}
}

// respawns has the gateway start a container again for each that ends, and counts.
func (l *live) respawns(e *engine) *int {
	count, end := new(int), e.ended
	e.ended = func(id string) {
		end(id)
		if g := l.cast["gateway"].process; l.kernel.IsAlive(g) && !l.kernel.IsStopped(g) {
			*count++
		}
	}
	return count
}

// small is a world in which somebody's servers are left behind beside those of a
// session that uses its own.
func small() farm.World {
	return farm.World{
		Parts: []actor.Part{
			owned(cast.Claude("killed", cast.Memory("memory", actor.Socket), cast.UVX("git", "mcp-server-git", actor.Pipe))),
			owned(cast.Claude("alive", cast.Memory("memory-2", actor.Socket), cast.UVX("git-2", "mcp-server-git", actor.Pipe))),
		},
		Kill:   []string{"killed"},
		Either: strings.Fields(cast.Chain("memory") + " git-uv git"),
		User:   dev,
	}
}

// callsOf is how many calls a sweep of the small world makes.
func callsOf(t *testing.T) (calls int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		kernel := darwintest.NewKernel()
		kernel.NumberFrom(firstPID)
		kernel.UID = dev
		l := raised(kernel, small())
		kernel.Before = func(string) error { calls++; return nil }
		l.sweep(t)
		l.world.Reap, l.world.Either = []string{cast.Chain("memory"), "git-uv git"}, nil
		l.check(t)
	})
	return calls
}

// TestACallThatFailsTakesNothing fails one call after the other, in each way that
// the kernel has, and from that one on all that are alike.
func TestACallThatFailsTakesNothing(t *testing.T) {
	calls := callsOf(t)
	for _, fault := range []error{syscall.EPERM, syscall.ESRCH, syscall.EINVAL, syscall.ENOMEM, syscall.EBADF} {
		for at := 1; at <= calls; at += 1 + calls/50 {
			for _, on := range []bool{false, true} {
				t.Run(fmt.Sprintf("%v at call %d of %d, and on: %v", fault, at, calls, on), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { failing(t, at, fault, on) })
				})
			}
		}
	}
}

func failing(t *testing.T, at int, fault error, on bool) {
	kernel := darwintest.NewKernel()
	kernel.NumberFrom(firstPID)
	kernel.UID = dev
	l := raised(kernel, small())
	number, kind := 0, ""
	kernel.Before = func(call string) error {
		number++
		this, _, _ := strings.Cut(call, " ")
		if number == at {
			kind = this
			return fault
		}
		if on && kind == this {
			return fault
		}
		return nil
	}
	_ = l.trySweep(t) // what could not be read is the end of it
	l.check(t)
}

// TestANumberThatChangesHandsIsSpared gives the number of a process that was left
// behind to a stranger, between any two calls.
func TestANumberThatChangesHandsIsSpared(t *testing.T) {
	calls := callsOf(t)
	for at := 1; at <= calls; at += 1 + calls/150 {
		t.Run(fmt.Sprintf("before call %d of %d", at, calls), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { reusing(t, at) })
		})
	}
}

func reusing(t *testing.T, at int) {
	kernel := darwintest.NewKernel()
	kernel.NumberFrom(firstPID)
	kernel.UID = dev
	l := raised(kernel, small())
	number := 0
	var stranger *darwintest.Process
	kernel.Before = func(string) error {
		victim := l.cast["memory"].process
		if number++; number == at && kernel.IsAlive(victim) {
			kernel.Exit(victim)
			ours, theirs := kernel.Pair()
			holder := kernel.Spawn(nil, darwintest.Spec{UID: dev, Comm: "holder"})
			kernel.Give(holder, ours)
			stranger = kernel.Spawn(nil, darwintest.Spec{PID: victim.PID, UID: dev, Comm: "node", Argv: []string{"node", "/x/mcp-server-memory"},
				FDs: map[int]*darwintest.File{0: theirs, 1: theirs}})
		}
		return nil
	}
	_ = l.trySweep(t) // what could not be read is the end of it
	if stranger != nil && !kernel.IsAlive(stranger) {
		t.Errorf("the stranger was ended: %v", kernel.Acts())
	}
}
