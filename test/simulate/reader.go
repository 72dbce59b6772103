package simulate

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

const endpoint = "unix:///var/run/docker.sock"

// booted is when every world's host was started, by the wall clock.
func booted() time.Time { return time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC) }

func (w *world) wall(sinceBoot time.Duration) time.Time { return booted().Add(sinceBoot) }

// look is what an honest reader sees of a world at this moment.
func (w *world) look() *inventory.Snapshot {
	s := &inventory.Snapshot{
		Version: inventory.Version, TakenAt: w.wall(w.boot),
		Host: inventory.Host{Hostname: "devbox", OS: "linux", BootID: "b0", PIDNamespace: "init", UID: inventory.Known(w.host.UID),
			AwakeSeconds: inventory.Known(w.awake.Seconds())},
		Sources: []inventory.Source{
			{Name: inventory.SourceProcesses, Status: inventory.StatusOK},
			{Name: inventory.SourceDocker, Endpoint: endpoint, Status: inventory.StatusOK, RunnersVisible: inventory.Known(true)},
		},
		Processes:  make([]inventory.Process, 0, len(w.processes)),
		Containers: []inventory.Container{},
	}
	if w.engine.away {
		s.Host.OS = "darwin"
	}
	if w.self != nil {
		s.Host.SelfPID = w.self.pid
	}
	for _, p := range w.processes {
		s.Processes = append(s.Processes, w.read(p))
	}
	if w.engine.down {
		s.Sources[1].Status, s.Sources[1].Reason = inventory.StatusError, "the engine did not answer"
		return s
	}
	for _, c := range w.engine.containers {
		if !c.removed {
			s.Containers = append(s.Containers, w.inspect(c))
		}
	}
	return s
}

// isOpenTo reports whether the reader may read what belongs to a process.
func (w *world) isOpenTo(p *process) bool { return w.host.UID == 0 || w.host.UID == p.uid }

func (w *world) read(p *process) inventory.Process {
	read := inventory.Process{
		PID: p.pid, Start: p.start, StartedAt: w.wall(time.Duration(p.start) * tick),
		PPID: inventory.Known(0), PGID: inventory.Known(p.pgid), SID: inventory.Known(p.sid), UID: inventory.Known(p.uid), User: userName(p.uid),
		State: "S", Threads: inventory.Known(1), Comm: p.comm, Argv: p.argv, TTY: p.tty, Configured: p.configured, Service: p.service,
		CPUSeconds: inventory.Known(p.cpu),
	}
	if p.parent != nil {
		read.PPID = inventory.Known(p.parent.pid)
	}
	if p.container != nil {
		read.ContainerID, read.Cgroup = p.container.id, "/docker/"+p.container.id
	}
	if p.configured != "" {
		read.ConfiguredBy = "command"
	}
	if p.zombie {
		read.State, read.Argv = "Z", []string{}
		return read
	}
	read.Listening = inventory.Known(p.port != 0)
	if p.port != 0 {
		read.ListenPorts, read.Connections = []int{p.port}, inventory.Known(p.connections)
	}
	if !w.isOpenTo(p) {
		read.Stdin, read.Stdout = inventory.Unreadable[inventory.Stdio](), inventory.Unreadable[inventory.Stdio]()
		read.OpenFDs, read.Listening = inventory.Unreadable[int](), inventory.Unreadable[bool]()
		return read
	}
	read.Exe, read.Cwd = p.exe, p.cwd
	read.OpenFDs, read.IOChars = inventory.Known(3+len(p.held)), inventory.Known(p.io)
	if p.keep {
		read.Env = map[string]string{"REAPERD_KEEP": "1"}
	}
	read.Stdin, read.Stdout = inventory.Known(w.readStream(p.stdin)), inventory.Known(w.readStream(p.stdout))
	return read
}

// readStream tells of a pipe or socket whether its other end is open, and who
// has it as far as descriptors can be read.
func (w *world) readStream(s stream) inventory.Stdio {
	if s.end == nil {
		kind := s.kind
		if kind == "" {
			kind = inventory.KindNull
		}
		return inventory.Stdio{Kind: kind, ID: s.id()}
	}
	read := inventory.Stdio{Kind: s.kind, ID: s.id(), Peer: inventory.PeerClosed, Holders: []int{}}
	for _, holder := range s.end.other().holders {
		read.Peer = inventory.PeerOpen
		if w.isOpenTo(holder) {
			read.Holders = append(read.Holders, holder.pid)
		}
	}
	slices.Sort(read.Holders)
	read.Holders = slices.Compact(read.Holders)
	return read
}

// inspect is a container as the engine and, where it is here and the reader is
// root, the shim's descriptors show it.
func (w *world) inspect(c *container) inventory.Container {
	seen := inventory.Container{
		ID: c.id, Name: c.name, Image: c.image, Labels: c.labels, State: "running", CreatedAt: w.wall(c.created), StartedAt: w.wall(c.created + 100*time.Millisecond),
		Command: []string{"/server"}, OpenStdin: inventory.Known(c.withStdin), StdinOnce: inventory.Known(c.withStdin), AutoRemove: inventory.Known(c.autoRemove),
		Engine: endpoint, Stdin: inventory.PeerUnknown,
	}
	if c.exited {
		seen.State, seen.FinishedAt, seen.Stdin = "exited", w.wall(c.finished), ""
		return seen
	}
	seen.PID = 700 + len(strings.TrimLeft(c.id, "0")) + int(c.created/time.Second)%5000 // in a machine of its own
	if c.first == nil {
		return seen
	}
	seen.PID = c.first.pid
	if w.host.UID == 0 && c.stdin != nil {
		seen.Stdin = inventory.PeerClosed
		if c.stdin.ends[1].isOpen() {
			seen.Stdin = inventory.PeerOpen
		}
	}
	return seen
}

func userName(uid int) string {
	switch uid {
	case 0:
		return "root"
	case users:
		return "dev"
	}
	return "" // not in the system's list of users
}
