package simulate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

const bootID = "b0"

// booted is when every world's host was started, by the wall clock.
func booted() time.Time { return time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC) }

func (w *world) wall(sinceBoot time.Duration) time.Time { return booted().Add(sinceBoot) }

// endpoint is where the engine answers.
func (e *engine) endpoint() string {
	if e.program == "podman" {
		return "unix:///run/podman/podman.sock"
	}
	return "unix:///var/run/docker.sock"
}

// look is what an honest reader sees of a world at this moment: the facts that a scanner
// can know at best.
func (w *world) look() *inventory.Snapshot {
	s := &inventory.Snapshot{
		Version: inventory.Version, TakenAt: w.wall(w.boot),
		Host: inventory.Host{Hostname: "devbox", OS: "linux", BootID: bootID, PIDNamespace: "init", UID: inventory.Known(w.host.UID),
			AwakeSeconds: inventory.Known(w.awake.Seconds())},
		Sources: []inventory.Source{
			{Name: inventory.SourceProcesses, Status: inventory.StatusOK},
			{Name: inventory.SourceDocker, Endpoint: w.engine.endpoint(), Status: inventory.StatusOK, RunnersVisible: inventory.Known(true)},
		},
		Processes:  make([]inventory.Process, 0, len(w.processes)),
		Containers: []inventory.Container{},
	}
	if w.host.Podman {
		s.Sources[1].Program = inventory.ProgramPodman
	}
	s.Sources[1].RunnerUIDs, s.Sources[1].Connections = []int{users}, w.connections()
	if w.engine.away {
		s.Host.OS = "darwin"
	}
	if w.self != nil {
		s.Host.SelfPID = w.numbers.pid(w.self.pid)
	}
	for _, p := range w.processes {
		s.Processes = append(s.Processes, w.read(p))
	}
	if w.losesEnds() {
		gap := &s.Sources[0]
		gap.Status, gap.Reason = inventory.StatusPartial, "descriptors are under way to a socket that nobody has open"
		gap.Gaps, gap.RowsMissing = []inventory.Gap{inventory.GapDescriptors}, inventory.Known(false)
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

// connections are those to the engine's socket: of whoever is attached over it, and of the CLIs
// that have lost what they had and have not noticed. On the host itself the kernel lists all of
// them; in front of a machine of the engine's own they are read from the descriptors of processes.
func (w *world) connections() inventory.Fact[[]inventory.Connection] {
	if w.engine.away && w.host.UID != 0 {
		return inventory.Unreadable[[]inventory.Connection]()
	}
	open := []inventory.Connection{}
	for _, p := range w.processes {
		if p.alive() && w.isConnected(p) {
			open = append(open, w.connection(p))
		}
	}
	return inventory.Known(open)
}

// isConnected reports a process with a connection to the engine's socket. Podman's own CLI has none.
func (w *world) isConnected(p *process) bool {
	isPodman := w.host.Podman && p.cli && p.argv[1] != "system"
	return !isPodman && (slices.Contains(w.lingering, p) || slices.ContainsFunc(w.engine.attachments, func(a *attachment) bool { return a.by == p }))
}

// connection is the one of a process, whose descriptors the reader may not be allowed to read.
func (w *world) connection(p *process) inventory.Connection {
	c := inventory.Connection{ID: fmt.Sprintf("socket:[%d]", 900_000+p.pid), PIDs: []int{}, UID: inventory.Known(p.uid)}
	if w.isOpenTo(p) {
		c.PIDs = []int{w.numbers.pid(p.pid)}
	}
	return c
}

// attached are the connections to the monitor of a container of podman's. Podman's service is
// attached for those who speak to that.
func (w *world) attached(c *container) inventory.Fact[[]inventory.Connection] {
	if !w.host.Podman {
		return inventory.Fact[[]inventory.Connection]{}
	}
	if w.host.UID != 0 { // the monitors are root's
		return inventory.Unreadable[[]inventory.Connection]()
	}
	open := []inventory.Connection{}
	for _, a := range w.engine.attachments {
		switch {
		case a.container != c || a.inside != nil || !a.by.alive():
		case w.isConnected(a.by):
			open = append(open, inventory.Connection{ID: fmt.Sprintf("socket:[%d]", 800_000+a.by.pid), PIDs: []int{}, UID: inventory.Known(0)})
		default:
			open = append(open, w.connection(a.by))
		}
	}
	return inventory.Known(open)
}

// losesEnds reports ends in the queue of a socket that is under way itself.
func (w *world) losesEnds() bool {
	return slices.ContainsFunc(w.processes, func(p *process) bool {
		return slices.ContainsFunc(p.reach(), func(e *end) bool { return len(e.queue) > 0 && len(e.holders) == 0 })
	})
}

// isOpenTo reports whether the reader may read what belongs to a process.
func (w *world) isOpenTo(p *process) bool { return w.host.UID == 0 || w.host.UID == p.uid }

func (w *world) read(p *process) inventory.Process {
	read := inventory.Process{
		PID: w.numbers.pid(p.pid), Start: p.start, StartedAt: w.wall(time.Duration(p.start) * tick),
		PPID: inventory.Known(0), PGID: inventory.Known(w.numbers.pid(p.pgid)), SID: inventory.Known(w.numbers.pid(p.sid)), UID: inventory.Known(p.uid), User: userName(p.uid),
		State: "S", Threads: inventory.Known(1), Comm: p.comm, Argv: p.argv, TTY: p.tty, Configured: p.configured, Service: p.service, Cgroup: p.cgroup,
		CPUSeconds: inventory.Known(p.cpu),
	}
	if p.parent != nil {
		read.PPID = inventory.Known(w.numbers.pid(p.parent.pid))
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
	w.readSockets(p, &read)
	if !w.isOpenTo(p) {
		read.Stdin, read.Stdout = inventory.Unreadable[inventory.Stdio](), inventory.Unreadable[inventory.Stdio]()
		read.OpenFDs, read.Listening = inventory.Unreadable[int](), inventory.Unreadable[bool]()
		return read
	}
	read.Exe, read.Cwd = p.exe, p.cwd
	read.OpenFDs, read.IOChars = inventory.Known(3+len(p.held)), inventory.Known(p.io)
	read.Env = w.markers(p)
	if !w.engine.away { // macOS shows no display; its applications are known by their paths
		read.Display = inventory.Known(p.display)
	}
	read.Stdin, read.Stdout = inventory.Known(w.readStream(p.stdin)), inventory.Known(w.readStream(p.stdout))
	w.readBeside(p, &read)
	return read
}

// readSockets tells what anybody may see: who listens, and how many are connected to it.
func (w *world) readSockets(p *process, read *inventory.Process) {
	read.Listening = inventory.Known(p.port != 0)
	if p.port != 0 {
		connections := 0
		for _, d := range p.held {
			if d.end.channel.dialled && d.end.side == 1 && d.end.other().isOpen() {
				connections++
			}
		}
		read.ListenPorts, read.Connections = []int{p.port}, inventory.Known(connections)
	}
}

// markers are what the environment says.
func (w *world) markers(p *process) map[string]string {
	env := map[string]string{}
	if p.keep {
		env["REAPERD_KEEP"] = "1"
	}
	if p.owner != nil {
		env["REAPERD_OWNER"] = fmt.Sprintf("%d:%d:%s", w.numbers.pid(p.owner.pid), p.owner.start, bootID)
	}
	return env
}

// readStream tells of a pipe or socket whether its other end is open, and who has it, as
// far as descriptors can be read. A FIFO with a name is open to the next caller, and a
// connection from another host cannot be told from one of which half is closed.
func (w *world) readStream(s stream) inventory.Stdio {
	if s.end == nil {
		kind := s.kind
		if kind == "" {
			kind = inventory.KindNull
		}
		return inventory.Stdio{Kind: kind, ID: s.id()}
	}
	read := inventory.Stdio{Kind: s.kind, ID: s.id(), Peer: inventory.PeerClosed, Named: s.end.channel.linked}
	if s.end.other().isOpen() || read.Named || s.end.channel.far {
		read.Peer = inventory.PeerOpen
	}
	read.Holders = w.seen(s.end.other().holders)
	return read
}

// seen are the PIDs of those among some processes whose descriptors can be read.
func (w *world) seen(holders []*process) []int {
	pids := []int{}
	for _, holder := range holders {
		if holder != w.elsewhere && w.isOpenTo(holder) {
			pids = append(pids, w.numbers.pid(holder.pid))
		}
	}
	slices.Sort(pids)
	return slices.Compact(pids)
}

// readBeside tells with whom a process may speak over what it has open beside its stdio.
func (w *world) readBeside(p *process, read *inventory.Process) {
	shares, connects := others{}, others{}
	unseen := 0
	for _, d := range p.held {
		e := d.end
		unseen += len(e.queue)
		switch {
		case p.isOwnStdio(e):
		case e.channel.linked: // anybody may come by the name
			shares.more = true
		case e.channel.dialled && e.side == 0:
			connects.add(w, p, e)
		default:
			shares.add(w, p, e)
		}
	}
	if unseen > 0 {
		read.UnseenFDs = inventory.Known(unseen)
	}
	if !w.isAnchored(p) {
		read.Shares, read.Connects = shares.fact(), connects.fact()
	}
}

// others are those at the other ends of what a process has open beside its stdio.
type others struct {
	pids []int
	more bool // there are some who cannot be seen
}

// add adds those who have the other end, without those below the process, which it has
// started itself. What an older process has too, and not the other end, may be that one's: this one
// was only started with it.
func (o *others) add(w *world, p *process, e *end) {
	isOlders := func(holder *process) bool {
		return holder.start < p.start && w.isOpenTo(holder) && !holder.has(e.other()) && w.isOnly(e.other(), holder, p)
	}
	if slices.ContainsFunc(e.holders, isOlders) {
		return
	}
	held := w.seen(e.other().holders)
	apart := w.seen(slices.DeleteFunc(slices.Clone(e.other().holders), func(holder *process) bool { return holder == p || holder.isBelow(p) }))
	o.more = o.more || len(apart) == 0 && e.other().isOpen() && (len(held) == 0 || w.seesQueues())
	o.pids = append(o.pids, apart...)
}

// seesQueues reports ends that are seen to be under way, whosever they are.
func (w *world) seesQueues() bool {
	isQueue := func(d descriptor) bool { return len(d.end.queue) > 0 }
	return slices.ContainsFunc(w.processes, func(p *process) bool { return w.isOpenTo(p) && slices.ContainsFunc(p.held, isQueue) })
}

// isOnly reports an end that somebody has, all of whom have it as their stdio or have started an
// older process, and this one below that.
func (w *world) isOnly(other *end, older, p *process) bool {
	isBeside := func(holder *process) bool {
		hasStarted := older.isBelow(holder) && p.isBelow(older)
		return w.isOpenTo(holder) && !holder.isOwnStdio(other) && !hasStarted
	}
	return len(w.seen(other.holders)) > 0 && !slices.ContainsFunc(other.holders, isBeside)
}

// fact is unreadable where somebody could not be seen.
func (o *others) fact() inventory.Fact[[]int] {
	if o.more {
		return inventory.Unreadable[[]int]()
	}
	slices.Sort(o.pids)
	return inventory.Known(append([]int{}, slices.Compact(o.pids)...))
}

// isAnchored reports a process of which the scanner does not look for more: on the way up to
// the first, each has its own parent, and a stdin that cannot end or that one above it holds.
func (w *world) isAnchored(p *process) bool {
	switch {
	case p.parent == nil:
		return true
	case p.remembered != nil && p.remembered != p.parent, !w.isAnchored(p.parent):
		return false
	}
	return p.stdin.end == nil || slices.ContainsFunc(p.stdin.end.other().holders, p.isBelow)
}

// inspect is a container as the engine and, where it is here and the reader is
// root, the shim's descriptors show it.
func (w *world) inspect(c *container) inventory.Container {
	seen := inventory.Container{
		ID: c.id, Name: c.name, Image: c.image, Labels: c.labels, State: "running", CreatedAt: w.wall(c.created), StartedAt: w.wall(c.created + 100*time.Millisecond),
		Command: []string{"/server"}, OpenStdin: inventory.Known(c.withStdin), StdinOnce: inventory.Known(c.withStdin), AutoRemove: inventory.Known(c.autoRemove),
		AttachStdout: inventory.Known(c.withStdin), TTY: inventory.Known(false), Named: inventory.Known(c.called), Publishes: inventory.Known(false), Restarts: inventory.Known(false),
		Engine: w.engine.endpoint(), Stdin: inventory.PeerUnknown, Attached: w.attached(c),
	}
	if c.exited {
		seen.State, seen.FinishedAt, seen.Stdin = "exited", w.wall(c.finished), ""
		return seen
	}
	seen.PID = 700 + len(strings.TrimLeft(c.id, "0")) + int(c.created/time.Second)%5000 // in a machine of its own
	if c.first == nil {
		return seen
	}
	seen.PID = w.numbers.pid(c.first.pid)
	for _, a := range w.engine.attachments {
		if a.container == c && a.inside != nil {
			seen.ExecPIDs = append(seen.ExecPIDs, w.numbers.pid(a.inside.pid))
		}
	}
	if in := c.first.stdin; w.host.UID == 0 && in.end != nil {
		seen.Stdin = inventory.PeerClosed
		if in.end.other().isOpen() {
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
