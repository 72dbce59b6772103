package graph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// BenchmarkCorrelate measures the steady look at worlds of several sizes. Its figure
// is ns/target: where correlating is linear, that does not grow with the size.
func BenchmarkCorrelate(b *testing.B) {
	for _, world := range []struct {
		says  string
		make  func(int) *inventory.Snapshot
		sizes []int
	}{
		{"servers in use, ten a session", crowd, []int{100, 400, 1000}},
		{"copies under one owner", copies, []int{94, 376, 940}},
		{"containers with their clients", containers, []int{50, 200, 800}},
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
				for b.Loop() {
					g = graph.Correlate(g, snapshot, options)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/target")
			})
		}
	}
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

// containers has as many containers, ten a session, each with a client in front.
func containers(count int) *inventory.Snapshot {
	s := newStreet()
	session := 0
	for n := range count {
		if n%10 == 0 {
			session = s.session()
		}
		name := fmt.Sprintf("mcp-%d", n)
		s.serve(session, "docker", "run", "-i", "--rm", "--name", name, "mcp/time")
		s.Containers = append(s.Containers, inventory.Container{
			ID: fmt.Sprintf("%064x", n+1), Name: "/" + name, Image: "mcp/time", State: "running", StartedAt: s.TakenAt.Add(-time.Hour),
			Command: strings.Fields("python -m mcp_server_time"),
		})
	}
	return &s.Snapshot
}
