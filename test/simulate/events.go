package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// This file has the events in which processes come and go; those about the ends that they
// have are in handing.go.

// choose takes one of the living processes of a scene that fit.
func (w *world) choose(r *rand.Rand, scene int, fits func(*process) bool) (*process, bool) {
	var fit []*process
	for _, p := range w.processes {
		if p.scene == scene && p.alive() && p != w.self && fits(p) {
			fit = append(fit, p)
		}
	}
	if len(fit) == 0 {
		return nil, false
	}
	return pick(r, fit...), true
}

func isAgent(p *process) bool { return p.role == agent }

// isStarter reports an agent that may start servers of its own.
func isStarter(p *process) bool { return p.role == agent && !p.cli }

func isServer(p *process) bool { return p.server != nil }

func isShell(p *process) bool { return p.argv[0] == shell().argv[0] }

func isWrapper(p *process) bool {
	return p.server != nil && len(p.server.members) > 1 && p != p.server.members[len(p.server.members)-1]
}

// isRoot reports the outermost process that a client has started of a server.
func isRoot(p *process) bool {
	return p.server != nil && p.server.client != nil && slices.Index(p.server.members, p) == 0
}

// isServing reports a process of a server that may start others.
func isServing(p *process) bool {
	return p.server != nil && !p.cli && p.container == nil && p.comm != "chrome" && p.server.kind != "helper" && p.server.kind != "job"
}

func kill(w *world, _ *rand.Rand, p *process) { w.exit(p) }

// closeSession: a session ends in good order: it lets go of its servers, and
// ends those that do not go by themselves, most of the time.
func closeSession(w *world, r *rand.Rand, a *process) {
	for _, s := range w.servers {
		if s.client == a && !oneIn(r, 4) {
			for _, p := range slices.Clone(s.members) {
				w.exit(p)
			}
		}
	}
	w.exit(a)
}

// hasLauncher reports an agent below a process of its scene: a launcher, an editor, a shell.
func hasLauncher(p *process) bool {
	return isAgent(p) && p.parent != nil && p.parent.scene == p.scene
}

func killLauncher(w *world, _ *rand.Rand, a *process) { w.exit(a.parent) }

func startServer(w *world, r *rand.Rand, a *process) {
	if oneIn(r, 4) {
		w.dockerServer(r, a, dockerOptions{image: imageOf(r)})
		return
	}
	w.newServer(a, stdioServer(r), someOptions(r))
}

// startJob: a session gives work to a program of its own, over pipes.
func startJob(w *world, r *rand.Rand, a *process) {
	s := w.newServer(a, flavour{name: "job", likely: true, chain: []program{job(r)}}, serverOptions{sockets: oneIn(r, 2), group: oneIn(r, 3)})
	s.busy = w.awake + time.Duration(r.IntN(40))*time.Minute
}

// startHelper: a server starts a program for itself, over pipes.
func startHelper(w *world, r *rand.Rand, p *process) {
	w.newServer(p, flavour{name: "helper", likely: true, chain: []program{helper(r)}}, serverOptions{sockets: oneIn(r, 2), leads: oneIn(r, 6)})
}

// openForPerson: a server opens something for its user, itself or by an opener that ends
// or stays.
func openForPerson(w *world, r *rand.Rand, p *process) {
	above := p
	if oneIn(r, 3) {
		opener := program{comm: "sh", exe: "/bin/sh", argv: []string{"/bin/sh", "/usr/bin/xdg-open", "https://login.example.com"}}
		above = w.fork(p, birth{program: opener, role: person, in: p.stdin, out: p.stdout, leads: oneIn(r, 2), scene: p.scene})
	}
	shown := w.open(r, above, p)
	if oneIn(r, 2) {
		w.fork(shown, birth{program: browserProgram("--type=renderer"), role: person, scene: p.scene}).display = shown.display
	}
	if above != p && oneIn(r, 2) {
		w.exit(above)
	}
}

// open starts a program for a person: on a terminal or in a session of its own, on the
// display, or the everyday browser, which everybody knows. The latter two have the
// server's own stdio, one that the server holds the other ends of, or none.
func (w *world) open(r *rand.Rand, above, server *process) *process {
	b := birth{program: browserProgram(), role: person, leads: true, scene: server.scene}
	kind := r.IntN(5)
	switch kind {
	case 0:
		b.program, b.in, b.out = native("/usr/bin/vim", "notes.md"), terminal("/dev/pts/91"), terminal("/dev/pts/91")
		p := w.fork(above, b)
		p.tty = "pts/91"
		return p
	case 1:
		b.program = native("/usr/bin/mpv", "talk.mp4")
		return w.fork(above, b)
	case 2, 3:
		b.program = w.graphical(r)
	}
	b.leads = oneIn(r, 4)
	switch r.IntN(3) {
	case 0:
		b.in, b.out = server.stdin, server.stdout
	case 1:
		talk := w.newStdio(pick(r, inventory.KindPipe, inventory.KindSocket))
		b.in, b.out = talk.server()
		server.makeAll(talk.client())
	}
	p := w.fork(above, b)
	p.display = kind != 4
	return p
}

// graphical is a program with windows: on macOS an application's bundle.
func (w *world) graphical(r *rand.Rand) program {
	if w.host.Away {
		return pick(r, native("/Applications/Godot.app/Contents/MacOS/Godot", "-e"), native("/Applications/LibreOffice.app/Contents/MacOS/soffice", "letter.odt"))
	}
	return pick(r, native("/opt/godot/godot", "-e"), native("/usr/lib/libreoffice/program/soffice.bin", "--writer", "/home/dev/letter.odt"), native("/usr/bin/gimp", "a.png"))
}

// isRunner reports a process of a CLI that stands for a container.
func isRunner(p *process) bool { return p.cli && p.role == serves }

func isAgentOrRunner(p *process) bool { return isRunner(p) || isAgent(p) }

func isLooking(p *process) bool { return p.cli && p.role == other && p.argv[1] == "attach" }

// lookInto: a person attaches to a container to look at it.
func lookInto(w *world, r *rand.Rand, runner *process) {
	for _, a := range w.engine.attachments {
		if c := a.container; a.by == runner && a.inside == nil && c.withStdin {
			sh := w.login(r, runner.scene)
			looker := w.fork(sh, birth{program: w.engine.call("attach", c.id[:12]), in: sh.stdin, out: sh.stdout, group: true, scene: runner.scene})
			w.engine.attachments = append(w.engine.attachments, &attachment{by: looker, container: c, ended: true})
			c.clients = append(c.clients, looker)
			return
		}
	}
}

// endContainer: a container ends, and its docker run takes until some later look to notice. Beside a
// container of its image that somebody has started over the API no look could tell the two
// from a pair.
func endContainer(w *world, _ *rand.Rand, runner *process) {
	for _, c := range w.engine.containers {
		if c.running() && !w.hasAnother(c) && c.server != nil && slices.Contains(c.clients, runner) {
			w.lingering = append(w.lingering, c.clients...)
			c.clients, c.server.unsure = nil, true
			w.stop(c)
		}
	}
}

// hasAnother reports that a container of the same image runs that no CLI has started.
func (w *world) hasAnother(c *container) bool {
	return slices.ContainsFunc(w.engine.containers, func(other *container) bool {
		return other != c && other.running() && other.image == c.image && len(other.clients) == 0
	})
}

// noticeEnds lets some docker runs exit whose container has ended.
func (w *world) noticeEnds(r *rand.Rand) {
	w.lingering = slices.DeleteFunc(w.lingering, func(p *process) bool {
		if !p.alive() || oneIn(r, 2) {
			w.exit(p)
			return true
		}
		return false
	})
	w.settle()
}

// startAgain: a container of that scene that has ended is started by a new session.
func startAgain(w *world, r *rand.Rand, at *process) {
	for _, c := range w.engine.containers {
		if c.scene == at.scene && c.exited && !c.removed && c.server != nil && c.comesBack {
			s := w.startNamed(r, c.name, c.scene)
			c.server.container, s.container, c.server = nil, c, s
			w.start(c, s.members[0])
			return
		}
	}
}

func isListener(p *process) bool { return p.port != 0 && p.server != nil }

// dialPort: somebody connects to a server that listens.
func dialPort(w *world, r *rand.Rand, p *process) {
	w.dial(w.startAgent(w.login(r, p.scene), unknownAgent(r), p.scene), p)
}

// reusePID: the number of a process that is gone belongs to somebody else now.
func reusePID(w *world, r *rand.Rand, p *process) {
	w.exit(p)
	if p.gone && p.container == nil {
		w.reuse = append(w.reuse, p.pid)
		w.fork(w.init, birth{program: pick(r, bystander(r), anyAgent(r)), role: agent, leads: true, scene: p.scene})
	}
}

func stopWaiting(_ *world, _ *rand.Rand, a *process) { a.careless = true }

// pinServer: REAPERD_KEEP stands in the environment of a server.
func pinServer(_ *world, r *rand.Rand, p *process) {
	if oneIn(r, 3) {
		for _, member := range p.server.members {
			member.keep = true
		}
	}
}

func isUnit(p *process) bool { return p.service != "" && p.role == agent }

// restartUnit: the service manager ends what is left of a unit, or only its main process,
// and starts it again.
func restartUnit(w *world, r *rand.Rand, a *process) {
	all, manager := oneIn(r, 3), a.parent
	for _, p := range slices.Clone(w.processes) {
		if p == a || all && p.cgroup == a.cgroup && p.scene == a.scene {
			w.exit(p)
		}
	}
	w.startRunner(r, manager, a.program, a.scene)
}

// pass lets time pass until the next look, at times enough for everything to have been at rest.
func (w *world) pass(r *rand.Rand) {
	d := time.Duration(5+r.IntN(56)) * time.Second
	if oneIn(r, 5) {
		d = time.Duration(5+r.IntN(12)) * time.Minute
	}
	if len(w.lingering) > 0 {
		w.noticeEnds(r)
	}
	w.deliver(r)
	w.work(d)
	w.run(d)
}

// trouble is what happens to the host or the daemon rather than in a scene.
type trouble struct {
	event
	oneIn int // looks
}

func troubles() []trouble {
	return []trouble{
		{event{name: "the engine stops or starts answering", happen: func(w *world, _ *rand.Rand, _ *process) { w.engine.down = !w.engine.down }}, 10},
		{event{name: "reaperd starts again", happen: func(w *world, _ *rand.Rand, _ *process) { w.forget() }}, 12},
		{event{name: "the host sleeps", happen: func(w *world, r *rand.Rand, _ *process) { w.suspend(time.Duration(1+r.IntN(9)) * time.Hour) }}, 12},
	}
}

// forget is a daemon that starts again: its memory is lost, but for what [memory.startedAgain] keeps.
func (w *world) forget() {
	w.restarted = true
	for _, p := range w.processes {
		p.remembered = nil
	}
	for _, s := range w.servers {
		s.provable, s.seen = moment{}, nil
		for _, p := range s.members {
			p.remembered = nil
		}
	}
}

// commandOf is a user's command line, the same for all copies of it.
func commandOf(p *process) string { return fmt.Sprint(p.uid, p.argv) }
