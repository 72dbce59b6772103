package simulate

import (
	"math/rand/v2"

	"github.com/reaperd/reaperd/internal/inventory"
)

// scene is one thing that goes on in a world: somebody with what he has started.
type scene struct {
	name string
	play func(w *world, r *rand.Rand, scene int)
}

// scenes are all there are, the more frequent ones more than once.
func scenes() []scene {
	return []scene{
		{"session", playSession}, {"session", playSession}, {"session", playSession},
		{"unknown agent", playUnknown}, {"unknown agent", playUnknown},
		{"headless", playHeadless}, {"headless", playHeadless},
		{"editor", playEditor},
		{"gateway", playGateway},
		{"docker", playDocker}, {"docker", playDocker}, {"docker together", playDockerTogether},
		{"docker api", playAPI},
		{"docker ssh", playSSH},
		{"listener", playListener},
		{"unit", playUnit},
		{"bystanders", playBystanders},
		{"browser", playBrowser},
		{"scope", playScope},
		{"stranger", playStranger},
		{"pipeline", playPipeline},
		{"relay", playRelay},
	}
}

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
	a := w.startAgent(w.login(r, scene), unknownAgent(r), scene)
	w.startServers(r, a, 4)
}

// playHeadless: a launcher that gives an agent its stdio on pipes: a task of an
// editor, a supervisor, ssh without a terminal.
func playHeadless(w *world, r *rand.Rand, scene int) {
	launcher := w.fork(w.login(r, scene), birth{program: pick(r, native("/usr/bin/task-runner"), script("/srv/supervisor.js")), role: agent, scene: scene, leads: oneIn(r, 2)})
	p := unknownAgent(r)
	if oneIn(r, 2) {
		p = headlessAgent(r)
	}
	a := w.startHeadless(r, launcher, p)
	w.startServers(r, a, 4)
}

// startHeadless starts an agent whose stdio its launcher holds.
func (w *world) startHeadless(r *rand.Rand, launcher *process, p program) *process {
	talk := w.newStdio(pick(r, inventory.KindPipe, inventory.KindSocket))
	in, out := talk.server()
	a := w.fork(launcher, birth{program: p, role: agent, in: in, out: out, leads: oneIn(r, 2), scene: launcher.scene})
	for _, e := range talk.client() {
		launcher.hold(e)
	}
	return a
}

// playEditor: an editor, its adapter, the agent below it, that agent's servers.
func playEditor(w *world, r *rand.Rand, scene int) {
	editor := w.fork(w.login(r, scene), birth{program: pick(r, native("/usr/bin/zed"), native("/usr/bin/lapce")), role: agent, leads: true, scene: scene})
	adapter := w.startHeadless(r, editor, pick(r, script("/home/dev/node_modules/.bin/claude-code-acp"), script("/home/dev/node_modules/.bin/my-acp-bridge")))
	a := w.startHeadless(r, adapter, headlessAgent(r))
	// Once that agent is gone the adapter has nothing to do any more.
	adapter.role, adapter.server = serves, &server{kind: "adapter", scene: scene, members: []*process{adapter}, users: []*process{editor, a}, unsure: true}
	w.servers = append(w.servers, adapter.server)
	w.startServers(r, a, 3)
}

func playGateway(w *world, r *rand.Rand, scene int) {
	a := w.startAgent(w.login(r, scene), pick(r, knownAgent(r), unknownAgent(r)), scene)
	f := flavour{name: "gateway", chain: pick(r,
		[]program{docker("mcp", "gateway", "run").asServer(), native("/usr/local/lib/docker/cli-plugins/docker-mcp", "mcp", "gateway", "run").asServer()},
		[]program{native("/usr/local/bin/docker-mcp", "gateway", "run").asServer()},
		[]program{native("/usr/local/bin/codex", "mcp-server").asServer()})}
	g := w.newServer(a, f, serverOptions{sockets: oneIn(r, 2), obedient: oneIn(r, 4)})
	inner := g.members[len(g.members)-1]
	for range 1 + r.IntN(3) {
		if oneIn(r, 2) {
			w.dockerServer(r, inner, dockerOptions{image: imageOf(r), gateway: true})
		} else {
			w.newServer(inner, stdioServer(r), serverOptions{sockets: oneIn(r, 2), obedient: oneIn(r, 4)})
		}
	}
}

type dockerOptions struct {
	image   string
	name    string
	gateway bool // with a gateway's labels
	wrapped bool // below npm and sh
}

// labels are those that a gateway gives its containers.
func (o dockerOptions) labels() map[string]string {
	if o.gateway {
		return map[string]string{"docker-mcp": "true", "docker-mcp-tool-type": "mcp", "docker-mcp-name": "t"}
	}
	return map[string]string{}
}

// dockerServer is a server in a container, with its runner.
func (w *world) dockerServer(r *rand.Rand, client *process, o dockerOptions) *server {
	s := w.dockerRunner(r, client, o)
	w.run(300e6)
	w.giveContainer(r, s, o)
	return s
}

// dockerRunner is a runner whose container the engine has not created yet.
func (w *world) dockerRunner(r *rand.Rand, client *process, o dockerOptions) *server {
	run := dockerRun(o.name, o.image, o.labels())
	f := flavour{name: "docker", chain: []program{run}}
	if o.wrapped {
		f.chain = []program{
			{comm: "npm exec", exe: "/usr/bin/node", argv: []string{"npm exec", "", ""}},
			{comm: "sh", exe: "/usr/bin/dash", known: true, argv: []string{"sh", "-c", "docker run -i --rm " + o.image}}, run}
	}
	return w.newServer(client, f, serverOptions{sockets: oneIn(r, 2)})
}

// giveContainer creates the container of a runner.
func (w *world) giveContainer(r *rand.Rand, s *server, o dockerOptions) {
	s.container = w.create(creation{name: o.name, image: o.image, labels: o.labels(), withStdin: true, autoRemove: !oneIn(r, 5), obedient: oneIn(r, 4),
		program: native("/server"), role: serves, scene: s.scene, server: s, attached: s.members[len(s.members)-1]})
	if s.container.first != nil {
		s.container.first.role = serves
	}
}

// playDockerTogether: several agents start the same server with the same words before any
// of them has its container. The engine creates these in an order of its own.
func playDockerTogether(w *world, r *rand.Rand, scene int) {
	o := dockerOptions{image: imageOf(r), wrapped: oneIn(r, 3)}
	var waiting []*server
	for range 2 + r.IntN(3) {
		a := w.startAgent(w.login(r, scene), pick(r, knownAgent(r), unknownAgent(r)), scene)
		for range 1 + r.IntN(2) {
			waiting = append(waiting, w.dockerRunner(r, a, o))
		}
		if oneIn(r, 3) { // the others begin when these have theirs
			waiting = w.giveContainers(r, waiting, o)
		}
	}
	w.giveContainers(r, waiting, o)
}

func (w *world) giveContainers(r *rand.Rand, waiting []*server, o dockerOptions) []*server {
	w.run(300e6)
	r.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
	for _, s := range waiting {
		w.giveContainer(r, s, o)
	}
	return nil
}

func playDocker(w *world, r *rand.Rand, scene int) {
	a := w.startAgent(w.login(r, scene), pick(r, knownAgent(r), unknownAgent(r)), scene)
	image := imageOf(r)
	for i := range 1 + r.IntN(3) {
		o := dockerOptions{image: image, wrapped: oneIn(r, 3)}
		if oneIn(r, 3) {
			o.name = "srv-" + string(rune('a'+scene%26)) + string(rune('a'+i))
		}
		w.dockerServer(r, a, o)
		if oneIn(r, 2) {
			image = imageOf(r)
		}
	}
}

// playAPI: a program that speaks to the engine itself and is attached over it.
func playAPI(w *world, r *rand.Rand, scene int) {
	a := w.startAgent(w.login(r, scene), pick(r, knownAgent(r), unknownAgent(r)), scene)
	w.apiServer(r, a, imageOf(r))
}

func (w *world) apiServer(r *rand.Rand, client *process, image string) *server {
	s := &server{kind: "docker api", scene: client.scene, client: client}
	w.servers = append(w.servers, s)
	s.container = w.create(creation{image: image, withStdin: true, autoRemove: oneIn(r, 2), obedient: oneIn(r, 4),
		program: native("/server"), role: serves, scene: client.scene, server: s, attached: client})
	return s
}

// playSSH: somebody on another machine uses the engine here; all there is to see
// of him is `docker system dial-stdio` below an sshd.
func playSSH(w *world, r *rand.Rand, scene int) {
	sh := w.login(r, scene)
	dial := w.fork(sh, birth{program: docker("system", "dial-stdio"), role: agent, scene: scene, leads: true})
	w.apiServer(r, dial, imageOf(r)).kind = "docker ssh"
}

// playListener: a server that listens, started by a session in the background,
// and used by others over its port.
func playListener(w *world, r *rand.Rand, scene int) {
	a := w.startAgent(w.login(r, scene), pick(r, knownAgent(r), unknownAgent(r)), scene)
	s := &server{kind: "listener", scene: scene, unsure: true}
	w.servers = append(w.servers, s)
	p := w.fork(a, birth{program: script("/home/dev/.npm/_npx/0123456789abcdef/node_modules/.bin/mcp-server-everything", "streamableHttp"), role: serves, leads: oneIn(r, 2), scene: scene, server: s})
	p.port = 3001
	s.users = append(s.users, a)
	if oneIn(r, 2) {
		user := w.startAgent(w.login(r, scene), knownAgent(r), scene)
		s.users = append(s.users, user)
		p.connections++
	}
}

func playUnit(w *world, r *rand.Rand, scene int) {
	s := &server{kind: "unit", scene: scene, unit: true, unsure: true}
	w.servers = append(w.servers, s)
	f := stdioServer(r)
	p := w.fork(pick(r, w.init, w.userManager()), birth{program: f.chain[len(f.chain)-1], role: serves, leads: true, scene: scene, server: s})
	p.service = "my-mcp.service"
}

func playBystanders(w *world, r *rand.Rand, scene int) {
	sh := w.login(r, scene)
	for range 1 + r.IntN(5) {
		w.fork(sh, birth{program: bystander(r), in: sh.stdin, out: sh.stdout, group: true, scene: scene})
	}
	if oneIn(r, 2) { // a job in the background, without anything behind its stdio
		job := w.fork(sh, birth{program: bystander(r), out: file("/home/dev/nohup.out"), leads: true, scene: scene})
		job.parent = w.init
	}
}

// playBrowser: a server that drives a browser over a pipe, and one that opened
// its user's browser for a login.
func playBrowser(w *world, r *rand.Rand, scene int) {
	a := w.startAgent(w.login(r, scene), pick(r, knownAgent(r), unknownAgent(r)), scene)
	s := w.newServer(a, npx(r), someOptions(r))
	leaf := s.members[len(s.members)-1]
	if oneIn(r, 2) {
		debugging := w.newStdio(inventory.KindPipe)
		browser := w.fork(leaf, birth{program: browserProgram("--headless", "--remote-debugging-pipe", "--user-data-dir=/tmp/playwright_chromiumdev_profile-x"), role: serves, leads: true, scene: scene, server: s})
		in, out := debugging.server()
		browser.hold(in.end)
		browser.hold(out.end)
		for _, e := range debugging.client() {
			leaf.hold(e)
		}
		s.unsure = true // whether it is seen to be driven hangs on more than stdio
		return
	}
	opener := w.fork(leaf, birth{program: program{comm: "sh", exe: "/bin/sh", argv: []string{"/bin/sh", "/usr/bin/xdg-open", "https://login.example.com"}}, leads: true, scene: scene})
	browser := w.fork(opener, birth{program: browserProgram(), scene: scene})
	w.fork(browser, birth{program: browserProgram("--type=renderer"), scene: scene})
}

// playScope: an agent's gateway in a container of its own, with its servers in it.
func playScope(w *world, r *rand.Rand, scene int) {
	if w.engine.away {
		playSession(w, r, scene)
		return
	}
	c := w.create(creation{name: "openclaw", image: "ghcr.io/openclaw/openclaw", labels: map[string]string{"com.docker.compose.project": "claw"},
		program: program{comm: "tini", exe: "/usr/bin/tini", argv: []string{"tini", "--", "node", "dist/index.js", "gateway"}}, scene: scene})
	gateway := program{comm: "openclaw-gatewa", exe: "/usr/bin/node", argv: []string{"openclaw-gateway"}, session: true}
	a := w.fork(c.first, birth{program: gateway, role: agent, scene: scene})
	w.startServers(r, a, 3)
	if oneIn(r, 2) { // an agent that docker exec brought in
		b := w.fork(c.shim, birth{program: pick(r, knownAgent(r), unknownAgent(r)), role: agent, leads: true, scene: scene})
		b.container = c
		w.startServers(r, b, 2)
	}
}

// playStranger: another user, who has the same programs as everybody else.
func playStranger(w *world, r *rand.Rand, scene int) {
	sh := w.login(r, scene)
	sh.uid = users + 1
	fake := w.startAgent(sh, knownAgent(r), scene)
	// By its shape this is his server; the same command elsewhere is none.
	w.newServer(fake, flavour{name: "stranger's", shape: true, chain: []program{pick(r, unknownAgent(r), bystander(r))}}, serverOptions{})
	for _, c := range w.engine.containers {
		if oneIn(r, 3) {
			w.fork(sh, birth{program: pick(r, docker("attach", c.id[:12]), docker("start", "-ai", c.name), dockerRun(c.name, c.image, nil)), role: agent, scene: scene, in: sh.stdin, out: sh.stdout})
		}
	}
}

// playPipeline: a server whose output somebody reads in a pipeline of a shell.
func playPipeline(w *world, r *rand.Rand, scene int) {
	sh := w.login(r, scene)
	between := w.newChannel(inventory.KindPipe)
	s := &server{kind: "pipeline", scene: scene, unsure: true}
	w.servers = append(w.servers, s)
	input := w.newChannel(inventory.KindPipe)
	w.fork(sh, birth{program: script("/home/dev/.npm/_npx/0123456789abcdef/node_modules/.bin/mcp-server-memory"), role: serves, in: streamOf(&input.ends[0]), out: streamOf(&between.ends[1]), group: true, scene: scene, server: s})
	reader := w.fork(sh, birth{program: native("/usr/bin/tee", "answers.log"), role: agent, in: streamOf(&between.ends[0]), out: sh.stdout, scene: scene})
	s.users = append(s.users, reader)
}

// playRelay: an agent that keeps relays between itself and its servers.
func playRelay(w *world, r *rand.Rand, scene int) {
	known := oneIn(r, 2)
	p := program{comm: "openclaw-gatewa", exe: "/usr/bin/node", argv: []string{"openclaw-gateway"}, session: true}
	a := w.startAgent(w.login(r, scene), p, scene)
	f := stdioServer(r)
	relay := script("/usr/lib/node_modules/openclaw/dist/service-child-relay.js")
	if !known {
		relay = program{comm: "python3", exe: "/usr/bin/python3", argv: []string{"python3", "/home/dev/relay.py"}}
	}
	outer := w.newServer(a, flavour{name: "relay", chain: []program{relay}}, serverOptions{sockets: true, leads: oneIn(r, 2)})
	outer.unsure = true
	inner := w.newServer(outer.members[0], f, serverOptions{sockets: oneIn(r, 2)})
	inner.unsure = true
}
