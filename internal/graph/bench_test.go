package graph_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// BenchmarkCorrelate measures the steady look at worlds of several sizes. Its figure
// is cpu-ns/target, processor time: where correlating is linear, that does not grow with
// the size.
func BenchmarkCorrelate(b *testing.B) {
	for _, world := range []struct {
		says  string
		make  func(int) *inventory.Snapshot
		sizes []int
	}{
		{"servers in use, ten a session", crowd, []int{100, 400, 1000}},
		{"copies under one owner", copies, []int{94, 376, 940}},
		{"containers that their runners name", containers, []int{200, 1000, 3000}},
		{"containers of one image", nameless, []int{200, 1000, 3000}},
		{"containers and runners that nobody uses", leftover, []int{200, 1000, 3000}},
	} {
		for _, size := range world.sizes {
			b.Run(fmt.Sprintf("%s/%d", world.says, size), func(b *testing.B) {
				snapshot := world.make(size)
				options := graph.Options{Catalogue: catalogue.Remember(catalogue.New())}
				g := graph.Correlate(nil, snapshot, options)
				if len(g.Targets) < size {
					b.Fatalf("%d targets, want %d", len(g.Targets), size)
				}
				b.ReportAllocs()
				before := processorTime(b)
				for b.Loop() {
					g = graph.Correlate(g, snapshot, options)
				}
				b.ReportMetric(float64(processorTime(b)-before)/float64(b.N*size), "cpu-ns/target")
			})
		}
	}
}

func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// street is a world that is being built.
type street struct{ inventory.Snapshot }

func newStreet() *street {
	s := &street{inventory.Snapshot{
		Version: inventory.Version, TakenAt: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		Host: inventory.Host{OS: "linux", BootID: "b0", PIDNamespace: "init", UID: inventory.Known(0)},
		Sources: []inventory.Source{
			{Name: inventory.SourceProcesses, Status: inventory.StatusOK},
			{Name: inventory.SourceDocker, Endpoint: "unix:///var/run/docker.sock", Status: inventory.StatusOK},
		},
	}}
	s.add(0, "/sbin/init")
	return s
}

// add adds a process that is on /dev/null.
func (s *street) add(ppid int, argv ...string) (pid int) {
	pid = len(s.Processes) + 1
	null := inventory.Known(inventory.Stdio{Kind: inventory.KindNull})
	s.Processes = append(s.Processes, inventory.Process{
		PID: pid, Start: uint64(100 * pid), StartedAt: s.TakenAt.Add(-time.Hour), PPID: inventory.Known(ppid), PGID: inventory.Known(pid),
		SID: inventory.Known(1), UID: inventory.Known(1000), State: "S", Threads: inventory.Known(1), Comm: "x", Argv: argv,
		OpenFDs: inventory.Known(3), Listening: inventory.Known(false), Connections: inventory.Known(0), Stdin: null, Stdout: null,
	})
	return pid
}

// serve adds a process whose pipes its parent holds.
func (s *street) serve(session int, argv ...string) (pid int) {
	pid = s.add(session, argv...)
	p := &s.Processes[pid-1]
	for i, stream := range []*inventory.Fact[inventory.Stdio]{&p.Stdin, &p.Stdout} {
		*stream = inventory.Known(inventory.Stdio{Kind: inventory.KindPipe, ID: fmt.Sprintf("pipe:[%d]", 2*pid+i), Peer: inventory.PeerOpen, Holders: []int{session}})
	}
	return pid
}

// session adds a session on a terminal of its own.
func (s *street) session() (pid int) {
	pid = s.add(s.add(1, "-bash"), "claude")
	s.Processes[pid-1].Stdin = inventory.Known(inventory.Stdio{Kind: inventory.KindTTY, ID: fmt.Sprintf("/dev/pts/%d", pid)})
	return pid
}

// crowd has servers in use, ten a session, and each with a child.
func crowd(servers int) *inventory.Snapshot {
	s := newStreet()
	for n := range servers {
		if n%10 == 0 {
			s.session()
		}
		session := len(s.Processes)
		for s.Processes[session-1].Argv[0] != "claude" {
			session--
		}
		s.add(s.serve(session, "node", "/opt/mcp-server-time/index.js", fmt.Sprint(n)), "sleep", "600")
	}
	return &s.Snapshot
}

// copies has one session with as many copies of one server.
func copies(servers int) *inventory.Snapshot {
	s := newStreet()
	session := s.session()
	for range servers {
		s.serve(session, "node", "/opt/mcp-server-time/index.js")
	}
	return &s.Snapshot
}

// containers has as many containers, ten a session, each with a runner that names it.
func containers(count int) *inventory.Snapshot {
	s := newStreet()
	for n := range count {
		s.contain(s.sessionOf(n), "--name", s.nameOf(n), "mcp/time")
	}
	return &s.Snapshot
}

// nameless has as many containers of one image, ten a session. Only their number says
// that each has a runner.
func nameless(count int) *inventory.Snapshot {
	s := newStreet()
	for n := range count {
		s.contain(s.sessionOf(n), "mcp/time")
	}
	return &s.Snapshot
}

// leftover has as many containers of one image whose runners have lost their session.
func leftover(count int) *inventory.Snapshot {
	s := newStreet()
	for range count {
		s.contain(1, "mcp/time")
		p := &s.Processes[len(s.Processes)-1]
		for _, stream := range []*inventory.Fact[inventory.Stdio]{&p.Stdin, &p.Stdout} {
			stdio := stream.Or(inventory.Stdio{})
			stdio.Peer, stdio.Holders = inventory.PeerClosed, nil
			*stream = inventory.Known(stdio)
		}
	}
	return &s.Snapshot
}

// sessionOf is the session of the nth container: each has ten.
func (s *street) sessionOf(n int) (pid int) {
	if n%10 == 0 {
		s.session()
	}
	for pid = len(s.Processes); s.Processes[pid-1].Argv[0] != "claude"; pid-- {
	}
	return pid
}

func (s *street) nameOf(n int) string { return fmt.Sprintf("mcp-%d", n) }

// contain adds a container and the runner that runs it.
func (s *street) contain(session int, arguments ...string) {
	n := len(s.Containers)
	s.serve(session, append([]string{"docker", "run", "-i", "--rm"}, arguments...)...)
	yes := inventory.Known(true)
	s.Containers = append(s.Containers, inventory.Container{
		ID: fmt.Sprintf("%064x", n+1), Name: "/" + s.nameOf(n), Image: "mcp/time", State: "running", StartedAt: s.TakenAt.Add(-time.Hour),
		Command: strings.Fields("python -m mcp_server_time"), CreatedAt: s.TakenAt.Add(-time.Hour), OpenStdin: yes, StdinOnce: yes, AutoRemove: yes,
	})
}
