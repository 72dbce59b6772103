package simulate

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// world is everything there is.
type world struct {
	kernel
	host      Host
	engine    engine
	servers   []*server
	services  *process // systemd --user, a named subreaper
	desktop   *process // an unnamed subreaper
	sshd      *process
	self      *process   // reaperd
	elsewhere *process   // whoever is connected from another host; in no table here
	numbers   mirror     // that the reader gives to processes
	restarted bool       // the daemon has, since its last look
	lingering []*process // docker runs whose container has ended
	// common are the commands of which three copies ran at once at some look.
	common map[string]bool
}

// Host is what a world's host is like.
type Host struct {
	// UID is whose eyes the daemon has: 0, or a user's own.
	UID int
	// Away tells that the engine stands in a virtual machine, Skew by how much
	// its clock is off.
	Away bool
	Skew time.Duration
	// Podman is the engine, and not Docker.
	Podman bool
}

// server is one server in truth, with all its processes: a helper and a job too.
type server struct {
	ledger
	kind    string
	scene   int
	members []*process
	// client has started it and talks to it; nil is nobody ever. ends are the client's
	// of its stdio, more those of whatever else the two share.
	client     *process
	ends, more []*end
	container  *container
	// seen are the clients that a look has shown it with.
	seen []*process
	// unsure tells that it is a matter of judgement what becomes of it once nobody uses it.
	unsure bool
	// likely tells that nothing but how it is wired, or a vague name, shows what it is.
	likely bool
	// busy is until when it works on something that it was given, rested since when
	// it does not, both on the clock that stops when the host sleeps.
	busy, rested time.Duration

	// provable is the look at which it was first seen to be a provable orphan.
	provable moment
	overdue  bool
}

type moment struct {
	awake time.Duration
	looks int
	set   bool
	// below tells that its client lived and had let go of it: another finding.
	below bool
}

// users is where the numbers of people begin.
const users = 1000

// nowhere is the scene of what belongs to the host, where nothing happens.
const nowhere = -1

func newWorld(host Host) *world {
	w := &world{host: host, engine: engine{away: host.Away, skew: host.Skew, program: "docker"}, elsewhere: &process{role: agent}, common: map[string]bool{}}
	if host.Podman {
		w.engine.program = "podman"
	}
	w.lastPID, w.inode, w.boot = 0, 20000, 10*time.Second
	w.init = w.fork(nil, birth{program: program{comm: "systemd", exe: "/usr/lib/systemd/systemd", argv: []string{"/sbin/init"}}, leads: true, scene: nowhere})
	w.lastPID = 100
	w.boot, w.awake = w.boot+2*time.Hour, w.boot+2*time.Hour
	if host.UID == 0 {
		w.self = w.daemon(native("/usr/bin/reaperd", "run"), "reaperd.service")
	}
	return w
}

// daemon is a service of the system.
func (w *world) daemon(p program, unit string) *process {
	d := w.fork(w.init, birth{program: p, leads: true, scene: nowhere})
	d.service, d.cgroup = unit, "/system.slice/"+unit
	return d
}

// userManager is systemd --user: it adopts what its user leaves behind.
func (w *world) userManager() *process {
	if w.services == nil {
		w.services = w.fork(w.init, birth{program: native("/usr/lib/systemd/systemd", "--user"), leads: true, scene: nowhere})
		w.services.subreaper, w.services.uid = true, users
		w.services.service = "user@1000.service"
		if w.host.UID != 0 {
			w.self = w.fork(w.services, birth{program: native("/usr/bin/reaperd", "run"), leads: true, scene: nowhere})
			w.self.service = "reaperd.service"
		}
	}
	return w.services
}

// login is a person's shell on a terminal.
func (w *world) login(r *rand.Rand, scene int) *process {
	var above *process
	switch r.IntN(3) {
	case 0:
		above = w.userManager()
	case 1:
		if w.desktop == nil {
			w.desktop = w.fork(w.init, birth{program: native("/usr/lib/desktop-session"), leads: true, scene: nowhere})
			w.desktop.subreaper, w.desktop.uid = true, users
		}
		above = w.desktop
	default:
		if w.sshd == nil {
			w.sshd = w.daemon(native("/usr/sbin/sshd", "-D"), "ssh.service")
		}
		above = w.fork(w.sshd, birth{program: program{comm: "sshd", exe: "/usr/sbin/sshd", argv: []string{"sshd: dev@pts/0"}}, leads: true, scene: scene})
	}
	tty := "/dev/pts/" + string(rune('0'+scene%10))
	sh := w.fork(above, birth{program: shell(), leads: true, in: terminal(tty), out: terminal(tty), scene: scene})
	sh.uid, sh.tty, sh.cwd, sh.cgroup = users, tty[len("/dev/"):], "/home/dev/work", "/user.slice"
	return sh
}

// settle lets everybody notice what has changed, until nothing changes any more.
func (w *world) settle() {
	for changed := true; changed; {
		changed = w.serveContainers()
		for _, p := range slices.Clone(w.processes) {
			if p.alive() && (p.obedient && p.stdin.isAtEnd() || w.isBereft(p)) {
				w.exit(p)
				changed = true
			}
		}
	}
}

// isBereft reports a CLI whose plugin has ended: it ends, too.
func (w *world) isBereft(p *process) bool {
	isPlugin := func(child *process) bool { return child.alive() && child.parent == p }
	return p.plugs && !slices.ContainsFunc(w.processes, isPlugin)
}

// work is what everybody at work does between two looks.
func (w *world) work(d time.Duration) {
	w.mark()
	for _, p := range w.processes {
		if p.alive() && (p.user != nil || p.lies && p.role == agent) {
			p.cpu += d.Seconds() / 50
			p.io += uint64(d / time.Millisecond)
		}
	}
	for _, s := range w.servers {
		if w.inUse(s) {
			s.rested = w.awake + d
		}
		if w.awake < s.busy {
			s.rested = min(s.busy, s.rested)
		}
	}
}

// serverOptions are how a client starts a server.
type serverOptions struct {
	sockets, group, leads, obedient, listens bool
	// leaks tells that the client marks no end to be closed, from now on.
	leaks bool
	// apart tells that the innermost process has a stdio of its own, whose other
	// ends the client has too.
	apart bool
	// channel tells that the two share a socketpair beside the stdio, as Node's do.
	channel bool
}

func someOptions(r *rand.Rand) serverOptions {
	return serverOptions{sockets: oneIn(r, 2), group: oneIn(r, 3), leads: oneIn(r, 6), obedient: oneIn(r, 4), listens: oneIn(r, 12), channel: oneIn(r, 6), leaks: oneIn(r, 20)}
}

// addServer is a server without processes yet.
func (w *world) addServer(kind string, scene int, client *process) *server {
	s := &server{kind: kind, scene: scene, client: client, ledger: ledger{manner: w.manner}}
	w.servers = append(w.servers, s)
	return s
}

// newServer starts a server of a flavour for a client that talks to it. The client
// makes the ends before it forks: one that marks none to be closed hands them all on.
func (w *world) newServer(client *process, f flavour, o serverOptions) *server {
	s := w.addServer(f.name, client.scene, client)
	s.likely = f.likely
	if client.leaks = client.leaks || o.leaks; client.leaks && s.manner.isPlain() {
		s.manner = inherited
	}
	in, out := w.talk(s, o, &s.ends)
	var side *end
	if o.channel {
		side = s.share(w.newChannel(inventory.KindSocket))
	}
	parent := client
	for i, p := range f.chain {
		last := i == len(f.chain)-1
		if last && o.apart {
			in, out = w.talk(s, o, &s.more)
		}
		parent = w.fork(parent, birth{program: p, role: serves, in: in, out: out, group: o.group && i == 0, leads: o.leads && i == 0, scene: client.scene, server: s})
		parent.obedient = o.obedient
		if last {
			parent.configured = f.configured
		}
	}
	if o.listens {
		parent.port = 9000 + parent.pid
	}
	if side != nil {
		parent.hold(side)
	}
	return s
}

// talk makes a stdio for a server, of which its client holds the other ends.
func (w *world) talk(s *server, o serverOptions, ends *[]*end) (in, out stream) {
	kind := inventory.KindPipe
	if o.sockets {
		kind = inventory.KindSocket
	}
	made := w.newStdio(kind)
	s.client.makeAll(made.client())
	*ends = append(*ends, made.client()...)
	return made.server()
}

// share gives a client its side of a channel beside the stdio, and returns the server's.
func (s *server) share(c *channel) *end {
	c.serving = 1
	s.client.make(&c.ends[0])
	s.more = append(s.more, &c.ends[0])
	return &c.ends[1]
}

// touch gives a server, and what hangs on it, the manner of what happens to its ends. Those of
// wrappers that stand apart are there for such things to happen.
func (w *world) touch(s *server, by manner) {
	if s.manner != apart {
		s.manner = by
	}
	for _, below := range w.servers {
		if below != s && below.client != nil && below.client.server == s {
			w.touch(below, by)
		}
	}
}

// isOwnStdio reports that an end is the process's own stdin or stdout.
func (p *process) isOwnStdio(e *end) bool { return e == p.stdin.end || e == p.stdout.end }
