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
	restarted bool       // the daemon has, since its last look
	lingering []*process // docker runs whose container has ended
}

// Host is what a world's host is like.
type Host struct {
	// UID is whose eyes the daemon has: 0, or a user's own.
	UID int
	// Away tells that the engine stands in a virtual machine, Skew by how much
	// its clock is off.
	Away bool
	Skew time.Duration
}

// server is one server in truth: all its processes, and who uses it.
type server struct {
	kind    string
	scene   int
	members []*process
	// client talks to it over its stdio; nil is nobody ever. letGo tells that
	// the client has closed its ends and does not want it any more.
	client *process
	letGo  bool
	ends   [2]*end // the client's
	// users come over its port, connected at the moment or not.
	users     []*process
	container *container
	unit      bool
	pinned    bool
	unsure    bool // truth is a matter of judgement once nobody uses it
	shape     bool

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
	w := &world{host: host, engine: engine{away: host.Away, skew: host.Skew}}
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
	d.service = unit
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
	sh.uid, sh.tty, sh.cwd = users, tty[len("/dev/"):], "/home/dev/work"
	return sh
}

// settle lets everybody notice what has changed, until nothing changes any more.
func (w *world) settle() {
	for changed := true; changed; {
		changed = w.serveContainers()
		for _, p := range slices.Clone(w.processes) {
			if p.alive() && p.obedient && p.stdin.isHungUp() {
				w.exit(p)
				changed = true
			}
		}
	}
}

// work is what everybody at work does between two looks.
func (w *world) work(d time.Duration) {
	for _, s := range w.servers {
		if !w.inUse(s) {
			continue
		}
		for _, p := range s.members {
			p.cpu += d.Seconds() / 50
			p.io += uint64(d / time.Millisecond)
		}
	}
}

// newServer starts a server of a flavour for a client that talks to it.
func (w *world) newServer(client *process, f flavour, o serverOptions) *server {
	s := &server{kind: f.name, scene: client.scene, client: client, shape: f.shape}
	w.servers = append(w.servers, s)
	kind := inventory.KindPipe
	if o.sockets {
		kind = inventory.KindSocket
	}
	talk := w.newStdio(kind)
	s.ends = talk.client()
	parent := client
	in, out := talk.server()
	for i, p := range f.chain {
		member := w.fork(parent, birth{program: p, role: serves, in: in, out: out, group: o.group && i == 0, leads: o.leads && i == 0, scene: client.scene, server: s})
		if o.listens && i == len(f.chain)-1 {
			member.port = 9000 + member.pid
		}
		if i == len(f.chain)-1 {
			member.configured, member.obedient = f.configured, o.obedient
		}
		if o.obedient {
			member.obedient = true
		}
		if o.leaky && i == 0 {
			for _, e := range client.held {
				if client.holdsForServer(e) {
					member.hold(e)
				}
			}
		}
		parent = member
	}
	for _, e := range s.ends {
		client.hold(e)
	}
	return s
}

// holdsForServer reports that a held end is not the process's own stdio.
func (p *process) holdsForServer(e *end) bool { return e != p.stdin.end && e != p.stdout.end }

// serverOptions are how a client starts a server.
type serverOptions struct {
	sockets, group, leads, obedient, listens bool
	// leaky tells that the client forgets to close its ends of other servers in
	// the new one.
	leaky bool
}

func someOptions(r *rand.Rand) serverOptions {
	return serverOptions{sockets: oneIn(r, 2), group: oneIn(r, 3), leads: oneIn(r, 6), obedient: oneIn(r, 4), listens: oneIn(r, 12), leaky: oneIn(r, 6)}
}
