package simulate

import (
	"math/rand/v2"

	"github.com/reaperd/reaperd/internal/inventory"
)

// This file has the scenes of processes; those of containers are in containers.go.

// startAgent starts an agent below a shell.
func (w *world) startAgent(parent *process, p program, scene int) *process {
	return w.fork(parent, birth{program: p, role: agent, in: parent.stdin, out: parent.stdout, group: true, scene: scene})
}

func (w *world) startServers(r *rand.Rand, client *process, most int) {
	for range 1 + r.IntN(most) {
		w.newServer(client, stdioServer(r), someOptions(r))
	}
}

func playSession(w *world, r *rand.Rand, scene int) {
	a := w.startAgent(w.login(r, scene), knownAgent(r), scene)
	if oneIn(r, 3) { // a launcher in front of the agent
		launcher := a
		a = w.fork(launcher, birth{program: a.program, role: agent, in: a.stdin, out: a.stdout, scene: scene})
		a.launcher = launcher
	}
	w.startServers(r, a, 5)
}

func playUnknown(w *world, r *rand.Rand, scene int) {
	w.startServers(r, w.startAgent(w.login(r, scene), unknownAgent(r), scene), 4)
}

// playHeadless: a launcher that gives an agent its stdio on pipes: a task of an
// editor, a supervisor, ssh without a terminal.
func playHeadless(w *world, r *rand.Rand, scene int) {
	w.startServers(r, w.startHeadless(r, w.launcher(r, scene), pick(r, unknownAgent(r), headlessAgent(r))), 4)
}

func (w *world) launcher(r *rand.Rand, scene int) *process {
	p := pick(r, native("/usr/bin/task-runner"), script("/srv/supervisor.js"))
	return w.fork(w.login(r, scene), birth{program: p, role: agent, scene: scene, leads: oneIn(r, 2)})
}

// startHeadless starts an agent whose stdio its launcher holds.
func (w *world) startHeadless(r *rand.Rand, launcher *process, p program) *process {
	talk := w.newStdio(pick(r, inventory.KindPipe, inventory.KindSocket))
	launcher.makeAll(talk.client())
	in, out := talk.server()
	return w.fork(launcher, birth{program: p, role: agent, in: in, out: out, leads: oneIn(r, 2), scene: launcher.scene})
}

// playEditor: an editor, its adapter, the agent below it, that agent's servers.
func playEditor(w *world, r *rand.Rand, scene int) {
	editor := w.fork(w.login(r, scene), birth{program: pick(r, native("/usr/bin/zed"), native("/usr/bin/lapce")), role: agent, leads: true, scene: scene})
	adapter := w.startHeadless(r, editor, pick(r, script("/home/dev/node_modules/.bin/claude-code-acp"), script("/home/dev/node_modules/.bin/my-acp-bridge")))
	a := w.startHeadless(r, adapter, headlessAgent(r))
	w.asServer(adapter, "adapter")
	w.startServers(r, a, 3)
}

// asServer is a server of one process that is there already. What becomes of it when
// nobody uses it any more is a matter of judgement.
func (w *world) asServer(p *process, kind string) *server {
	s := w.addServer(kind, p.scene, nil)
	s.members, s.unsure = []*process{p}, true
	p.role, p.server = serves, s
	return s
}

// playRelay: an agent that keeps relays between itself and its servers.
func playRelay(w *world, r *rand.Rand, scene int) {
	p := program{comm: "openclaw-gatewa", exe: "/usr/bin/node", argv: []string{"openclaw-gateway"}, session: true}
	a := w.startAgent(w.login(r, scene), p, scene)
	relay := pick(r, script("/usr/lib/node_modules/openclaw/dist/service-child-relay.js"), python("/home/dev/relay.py"))
	outer := w.newServer(a, flavour{name: "relay", chain: []program{relay}}, serverOptions{sockets: true, leads: oneIn(r, 2)})
	inner := w.newServer(outer.members[0], stdioServer(r), serverOptions{sockets: oneIn(r, 2)})
	outer.unsure, inner.unsure = true, true
}

// playDriven: a server that drives a browser over a pipe. Whether it is seen to be
// driven hangs on more than stdio.
func playDriven(w *world, r *rand.Rand, scene int) {
	s := w.newServer(w.startAgent(w.login(r, scene), anyAgent(r), scene), npx(r), someOptions(r))
	leaf := s.members[len(s.members)-1]
	debugging := w.newStdio(inventory.KindPipe)
	browser := w.fork(leaf, birth{program: browserProgram("--headless", "--remote-debugging-pipe", "--user-data-dir=/tmp/playwright_chromiumdev_profile-x"), role: serves, leads: true, scene: scene, server: s})
	in, out := debugging.server()
	browser.hold(in.end)
	browser.hold(out.end)
	leaf.makeAll(debugging.client())
	s.unsure = true
}

func playGateway(w *world, r *rand.Rand, scene int) { w.startGateway(r, scene) }

// startGateway starts a session with a gateway and the servers of that.
func (w *world) startGateway(r *rand.Rand, scene int) (a *process, g *server) {
	a = w.startAgent(w.login(r, scene), anyAgent(r), scene)
	chain := pick(r, plugin("mcp", "mcp", "gateway", "run"), []program{native("/usr/local/bin/docker-mcp", "gateway", "run").asServer()},
		[]program{native("/usr/local/bin/codex", "mcp-server").asServer()})
	g = w.newServer(a, flavour{name: "gateway", chain: chain}, serverOptions{sockets: oneIn(r, 2), obedient: oneIn(r, 4), listens: oneIn(r, 6)})
	inner := g.members[len(g.members)-1]
	for range 1 + r.IntN(3) {
		if oneIn(r, 2) {
			w.dockerServer(r, inner, dockerOptions{image: imageOf(r), gateway: true})
		} else {
			w.newServer(inner, stdioServer(r), serverOptions{sockets: oneIn(r, 2), obedient: oneIn(r, 4)})
		}
	}
	return a, g
}

// playMarked: a gateway, or the session above it, is named by REAPERD_OWNER in all
// that it starts.
func playMarked(w *world, r *rand.Rand, scene int) {
	a, g := w.startGateway(r, scene)
	owner := pick(r, a, g.members[0], g.members[len(g.members)-1])
	for _, p := range w.processes {
		if p.scene == scene && p.role == serves && p.isBelow(owner) && p.container == nil {
			p.owner = owner
		}
	}
}

// playListener: a server that listens, started by a session in the background,
// and used by others over its port.
func playListener(w *world, r *rand.Rand, scene int) {
	a := w.startAgent(w.login(r, scene), anyAgent(r), scene)
	p := w.fork(a, birth{program: script("/home/dev/.npm/_npx/0123456789abcdef/node_modules/.bin/mcp-server-everything", "streamableHttp"), leads: oneIn(r, 2), scene: scene})
	p.port = 3001
	w.asServer(p, "listener")
	if oneIn(r, 2) {
		w.dial(w.startAgent(w.login(r, scene), knownAgent(r), scene), p)
	}
}

// dial connects a process with a listener, who accepts.
func (w *world) dial(caller, listener *process) *channel {
	c := w.newConnection()
	caller.make(&c.ends[0])
	listener.hold(&c.ends[1])
	return c
}

func playBystanders(w *world, r *rand.Rand, scene int) {
	sh := w.login(r, scene)
	for range 1 + r.IntN(5) {
		w.fork(sh, birth{program: bystander(r), in: sh.stdin, out: sh.stdout, group: true, scene: scene})
	}
	if oneIn(r, 2) { // a job in the background, without anything behind its stdio
		w.fork(sh, birth{program: bystander(r), out: file("/home/dev/nohup.out"), leads: true, scene: scene}).parent = w.init
	}
}

// playScope: an agent's gateway in a container of its own, with its servers in it.
func playScope(w *world, r *rand.Rand, scene int) {
	if w.engine.away {
		playSession(w, r, scene)
		return
	}
	c := w.create(creation{name: "openclaw", image: "ghcr.io/openclaw/openclaw", labels: map[string]string{"com.docker.compose.project": "claw"},
		program: program{comm: "tini", exe: "/usr/bin/tini", argv: []string{"tini", "--", "node", "dist/index.js", "gateway"}}, scene: scene}, nil)
	gateway := program{comm: "openclaw-gatewa", exe: "/usr/bin/node", argv: []string{"openclaw-gateway"}, session: true}
	a := w.fork(c.first, birth{program: gateway, role: agent, scene: scene})
	w.startServers(r, a, 3)
	if oneIn(r, 2) { // an agent that docker exec brought in
		b := w.fork(c.shim, birth{program: anyAgent(r), role: agent, leads: true, scene: scene})
		b.container = c
		w.startServers(r, b, 2)
	}
}

// playStranger: another user, who has the same programs as everybody else. By its
// shape this is his server; the same command elsewhere is none.
func playStranger(w *world, r *rand.Rand, scene int) {
	sh := w.login(r, scene)
	sh.uid = users + 1
	fake := w.startAgent(sh, knownAgent(r), scene)
	w.newServer(fake, flavour{name: "stranger's", likely: true, chain: []program{pick(r, unknownAgent(r), bystander(r))}}, serverOptions{})
	for _, c := range w.engine.containers {
		if oneIn(r, 3) {
			p := pick(r, w.engine.call("attach", c.id[:12]), w.engine.call("start", "-ai", c.name), w.engine.run(c.name, c.image, nil))
			w.fork(sh, birth{program: p, role: agent, scene: scene, in: sh.stdin, out: sh.stdout})
		}
	}
}

// serve starts a known server of one process below a shell that has wired its stdio, and
// says who has the other ends.
func (w *world) serve(r *rand.Rand, sh *process, in, out stream, client *process, ends ...*end) *server {
	p := w.fork(sh, birth{program: plainServer(r), in: in, out: out, group: oneIn(r, 2), leads: oneIn(r, 4), scene: sh.scene})
	s := w.asServer(p, "wired")
	s.unsure, s.client, s.ends = false, client, ends
	return s
}

// playRing: a shell wires an agent and a server to each other: by a coprocess, whose
// ends it keeps while it lives, or by two pipes of which it keeps nothing.
func playRing(w *world, r *rand.Rand, scene int) {
	sh := w.login(r, scene)
	wires := w.newStdio(inventory.KindPipe)
	in, out := wires.server()
	ends := wires.client()
	s := w.serve(r, sh, in, out, nil, ends...)
	s.client = w.fork(sh, birth{program: pick(r, anyAgent(r), lyingAgent(r)), role: agent, in: streamOf(ends[1]), out: streamOf(ends[0]), group: true, scene: scene})
	if oneIn(r, 2) {
		sh.hold(ends[0])
		sh.hold(ends[1])
	}
	if oneIn(r, 2) {
		w.exit(sh)
	}
}

// playPipeline: a shell wires an agent, servers and a reader one behind the other. What
// becomes of servers alone in one is a matter of judgement.
func playPipeline(w *world, r *rand.Rand, scene int) {
	sh := w.login(r, scene)
	in := streamOf(&w.newChannel(inventory.KindPipe).ends[0])
	if oneIn(r, 2) {
		in = sh.stdin
	}
	stages := 2 + r.IntN(2)
	at := r.IntN(stages + 1) // where the agent or the reader stands, if he does
	for i := range stages {
		between := w.newChannel(inventory.KindPipe)
		out := streamOf(&between.ends[1])
		if i == stages-1 && oneIn(r, 2) {
			out = sh.stdout
		}
		b := birth{program: plainServer(r), in: in, out: out, group: i == 0, scene: scene}
		if i == at {
			b.program, b.role = pick(r, unknownAgent(r), lyingAgent(r), native("/usr/bin/tee", "answers.log")), agent
		}
		p := w.fork(sh, b)
		p.obedient = p.comm == "tee"
		if i != at {
			w.asServer(p, "pipeline")
		}
		in = streamOf(&between.ends[0])
	}
	if oneIn(r, 2) {
		w.exit(sh)
	}
}

// playNamed: a server on two named pipes, of which it may have both ends itself.
func playNamed(w *world, r *rand.Rand, scene int) {
	sh := w.login(r, scene)
	pipes := w.newFIFOs()
	in, out := pipes.server()
	s := w.serve(r, sh, in, out, nil, pipes.client()...)
	if !oneIn(r, 3) {
		for _, e := range s.ends {
			s.members[0].hold(e)
		}
	}
	if oneIn(r, 2) {
		w.exit(sh)
	}
}

// playWaiting: a server whose stdio is a connection that somebody has dialled for it,
// and whose other side has not accepted yet.
func playWaiting(w *world, r *rand.Rand, scene int) {
	listener, sh := w.startAgent(w.login(r, scene), anyAgent(r), scene), w.login(r, scene)
	c := w.newConnection()
	c.serving = 0
	w.serve(r, sh, streamOf(&c.ends[0]), streamOf(&c.ends[0]), listener, &c.ends[1])
	c.ends[1].waiting, listener.backlog = listener, append(listener.backlog, &c.ends[1])
	if !oneIn(r, 4) {
		w.exit(sh)
	}
}

// playBatch: inetd's manner: somebody dials, here or from another host, and a server
// gets the connection for its stdio.
func playBatch(w *world, r *rand.Rand, scene int) {
	caller := w.elsewhere
	if oneIn(r, 2) {
		caller = w.startAgent(w.login(r, scene), unknownAgent(r), scene)
	}
	sh := w.login(r, scene)
	c := w.newConnection()
	c.far = caller == w.elsewhere
	caller.make(&c.ends[0])
	w.serve(r, sh, streamOf(&c.ends[1]), streamOf(&c.ends[1]), caller, &c.ends[0])
	w.exit(sh)
}

// playApart: a wrapper that gives the server below it a stdio of its own, of which its
// client has the other ends too.
func playApart(w *world, r *rand.Rand, scene int) {
	a := w.startAgent(w.login(r, scene), anyAgent(r), scene)
	uvx := flavour{name: "uvx", chain: []program{
		native("/home/dev/.local/bin/uv", "tool", "uvx", "mcp-server-sqlite").asServer(),
		{comm: "python", exe: "/usr/bin/python3.11", argv: []string{"/home/dev/.cache/uv/archive-v0/abc/bin/python", "/home/dev/.cache/uv/archive-v0/abc/bin/mcp-server-sqlite"}, known: true}}}
	for range 1 + r.IntN(2) {
		o := someOptions(r)
		o.apart = true
		w.newServer(a, pick(r, uvx, npx(r)), o)
	}
}

// playLiar: a client with the name of a server, started by a supervisor or by a session.
func playLiar(w *world, r *rand.Rand, scene int) {
	above := w.launcher(r, scene)
	if oneIn(r, 3) {
		above = w.startAgent(w.login(r, scene), knownAgent(r), scene)
	}
	w.startServers(r, w.startHeadless(r, above, lyingAgent(r)), 3)
}

// playUnit: a server that is a service.
func playUnit(w *world, r *rand.Rand, scene int) {
	p := w.fork(pick(r, w.init, w.userManager()), birth{program: plainServer(r), leads: true, scene: scene})
	p.service, p.cgroup = "my-mcp.service", "/system.slice/my-mcp.service"
	w.asServer(p, "unit")
}

// playRunnerUnit: a service that is an agent.
func playRunnerUnit(w *world, r *rand.Rand, scene int) {
	w.startRunner(r, pick(r, w.init, w.userManager()), anyAgent(r), scene)
}

func (w *world) startRunner(r *rand.Rand, manager *process, p program, scene int) {
	a := w.fork(manager, birth{program: p, role: agent, leads: true, scene: scene, out: file("/var/log/runner.log")})
	a.service, a.cgroup = "runner.service", "/system.slice/runner.service"
	w.startServers(r, a, 3)
}
