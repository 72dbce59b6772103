package simulate

import (
	"math/rand/v2"
	"slices"
	"time"
)

// event is something that happens in a scene, or to the whole world.
type event struct {
	name string
	// happen does it; scene is where, for those that happen in one.
	happen func(w *world, r *rand.Rand, scene int)
}

// events are all that can happen, the more frequent ones more than once.
func events() []event {
	return []event{
		{"an agent is killed", killAgent}, {"an agent is killed", killAgent}, {"an agent is killed", killAgent},
		{"a session is closed", closeSession},
		{"a launcher is killed", killLauncher}, {"a launcher is killed", killLauncher},
		{"a wrapper is killed", killWrapper},
		{"a server dies", killServer},
		{"a client lets go of a server", letGo},
		{"a client starts a server", startServer},
		{"a sibling keeps the ends", inheritEnds},
		{"somebody looks into a container", attachBystander},
		{"a container ends before its docker run", endContainer},
		{"somebody comes over a port", comeOverPort}, {"a connection ends", leavePort},
		{"a PID is used again", reusePID},
		{"a parent does not wait", stopWaiting},
		{"a server is pinned", pinServer},
	}
}

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

func (w *world) kill(p *process) {
	w.exit(p)
	w.settle()
}

func isAgent(p *process) bool { return p.role == agent }

func killAgent(w *world, r *rand.Rand, scene int) {
	if a, found := w.choose(r, scene, isAgent); found {
		w.kill(a)
	}
}

// closeSession: a session ends in good order: it lets go of its servers, and
// ends those that do not go by themselves, most of the time.
func closeSession(w *world, r *rand.Rand, scene int) {
	a, found := w.choose(r, scene, isAgent)
	if !found {
		return
	}
	for _, s := range w.servers {
		if s.client == a && !oneIn(r, 4) {
			for _, p := range slices.Clone(s.members) {
				w.exit(p)
			}
		}
	}
	w.kill(a)
}

// killLauncher kills what stands above an agent: a launcher, an editor, a shell.
func killLauncher(w *world, r *rand.Rand, scene int) {
	a, found := w.choose(r, scene, func(p *process) bool { return isAgent(p) && p.parent != nil && p.parent.scene == scene })
	if found {
		w.kill(a.parent)
	}
}

func killWrapper(w *world, r *rand.Rand, scene int) {
	outer, found := w.choose(r, scene, func(p *process) bool {
		return p.server != nil && len(p.server.members) > 1 && p != p.server.members[len(p.server.members)-1]
	})
	if found {
		w.kill(outer)
	}
}

func killServer(w *world, r *rand.Rand, scene int) {
	if p, found := w.choose(r, scene, func(p *process) bool { return p.server != nil }); found {
		w.kill(p)
	}
}

// letGo: a client closes its ends of a server and has no more use for it.
func letGo(w *world, r *rand.Rand, scene int) {
	p, found := w.choose(r, scene, func(p *process) bool {
		s := p.server
		return s != nil && s.client != nil && s.client.alive() && !s.letGo && s.ends[0] != nil
	})
	if !found {
		return
	}
	s := p.server
	s.letGo = true
	for _, e := range s.ends {
		s.client.drop(e)
	}
	w.settle()
}

func startServer(w *world, r *rand.Rand, scene int) {
	if a, found := w.choose(r, scene, isAgent); found && !a.isDockerClient() && (len(a.argv) < 2 || a.argv[1] != "system") {
		if oneIn(r, 4) {
			w.dockerServer(r, a, dockerOptions{image: imageOf(r)})
			return
		}
		w.newServer(a, stdioServer(r), someOptions(r))
	}
}

// inheritEnds: a process that a client starts without closing what it should:
// it has the ends of the client's servers, and lives on when the client dies.
func inheritEnds(w *world, r *rand.Rand, scene int) {
	a, found := w.choose(r, scene, isAgent)
	if !found {
		return
	}
	child := w.fork(a, birth{program: bystander(r), leads: oneIn(r, 2), scene: scene})
	for _, e := range a.held {
		if a.holdsForServer(e) {
			child.hold(e)
		}
	}
}

// attachBystander: a person attaches to a container to look at it, or leaves.
func attachBystander(w *world, r *rand.Rand, scene int) {
	if p, found := w.choose(r, scene, func(p *process) bool { return p.isDockerClient() && p.argv[1] == "attach" }); found {
		w.kill(p)
		return
	}
	for _, c := range w.engine.containers {
		if c.scene == scene && c.running() && c.withStdin {
			sh := w.login(r, scene)
			attached := w.fork(sh, birth{program: docker("attach", c.id[:12]), in: sh.stdin, out: sh.stdout, group: true, scene: scene})
			c.users, c.clients = append(c.users, attached), append(c.clients, attached)
			return
		}
	}
}

// endContainer: a container ends, and its docker run takes until some later look to notice.
func endContainer(w *world, r *rand.Rand, scene int) {
	for _, c := range w.engine.containers {
		if c.scene != scene || !c.running() || c.server == nil || len(c.clients) == 0 {
			continue
		}
		w.lingering = append(w.lingering, c.clients...)
		c.clients, c.server.unsure = nil, true
		w.stop(c)
		w.settle()
		return
	}
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

func comeOverPort(w *world, r *rand.Rand, scene int) {
	p, found := w.choose(r, scene, func(p *process) bool { return p.port != 0 && p.server != nil })
	if !found {
		return
	}
	p.connections++
	if oneIn(r, 2) {
		p.server.users = append(p.server.users, w.startAgent(w.login(r, scene), unknownAgent(r), scene))
	}
}

func leavePort(w *world, r *rand.Rand, scene int) {
	if p, found := w.choose(r, scene, func(p *process) bool { return p.connections > 0 }); found {
		p.connections--
	}
}

// reusePID: the number of a process that is gone belongs to somebody else now.
func reusePID(w *world, r *rand.Rand, scene int) {
	a, found := w.choose(r, scene, func(p *process) bool { return p.role != other })
	if !found {
		return
	}
	w.kill(a)
	if !a.gone || a.container != nil {
		return
	}
	w.reuse = append(w.reuse, a.pid)
	w.fork(w.init, birth{program: pick(r, bystander(r), knownAgent(r), unknownAgent(r)), role: agent, leads: true, scene: scene})
}

func stopWaiting(w *world, r *rand.Rand, scene int) {
	if a, found := w.choose(r, scene, isAgent); found {
		a.careless = true
	}
}

// pinServer: REAPERD_KEEP stands in the environment of a server, and so in that
// of all it starts.
func pinServer(w *world, r *rand.Rand, scene int) {
	p, found := w.choose(r, scene, func(p *process) bool { return p.server != nil && p.server.members[0] == p && p.server.client != nil })
	if found && oneIn(r, 3) {
		p.server.pinned = true
		for _, member := range p.server.members {
			member.keep = true
		}
	}
}

// pass lets time pass until the next look.
func (w *world) pass(r *rand.Rand) {
	d := time.Duration(5+r.IntN(56)) * time.Second
	if len(w.lingering) > 0 {
		w.noticeEnds(r)
	}
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
		{event{"the engine stops or starts answering", func(w *world, _ *rand.Rand, _ int) { w.engine.down = !w.engine.down }}, 10},
		{event{"reaperd starts again", func(w *world, _ *rand.Rand, _ int) { w.forget() }}, 12},
		{event{"the host sleeps", func(w *world, r *rand.Rand, _ int) { w.suspend(time.Duration(1+r.IntN(9)) * time.Hour) }}, 12},
	}
}

// forget is a daemon that starts again: its memory is lost, but for what [memory.startedAgain] keeps.
func (w *world) forget() {
	w.restarted = true
	for _, p := range w.processes {
		p.remembered = nil
	}
	for _, s := range w.servers {
		s.provable = moment{}
	}
}
