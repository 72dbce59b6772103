package simulate

import (
	"fmt"
	"math/rand/v2"
)

// This file has the scenes of containers.

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
	run := w.engine.run(o.name, o.image, o.labels())
	f := flavour{name: "docker", chain: []program{run}}
	if o.wrapped {
		f.chain = []program{
			{comm: "npm exec", exe: "/usr/bin/node", argv: []string{"npm exec", "", ""}},
			{comm: "sh", exe: "/usr/bin/dash", known: true, argv: []string{"sh", "-c", w.engine.program + " run -i --rm " + o.image}}, run}
	}
	return w.newServer(client, f, serverOptions{sockets: oneIn(r, 2)})
}

// giveContainer creates the container of a runner.
func (w *world) giveContainer(r *rand.Rand, s *server, o dockerOptions) {
	s.container = w.create(creation{name: o.name, image: o.image, labels: o.labels(), withStdin: true, autoRemove: !oneIn(r, 5), obedient: oneIn(r, 4),
		program: native("/server"), role: serves, scene: s.scene, server: s}, s.members[len(s.members)-1])
}

func playDocker(w *world, r *rand.Rand, scene int) {
	a := w.startAgent(w.login(r, scene), anyAgent(r), scene)
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

// playDockerTogether: several agents start the same server with the same words before any
// of them has its container. The engine creates these in an order of its own.
func playDockerTogether(w *world, r *rand.Rand, scene int) {
	o := dockerOptions{image: imageOf(r), wrapped: oneIn(r, 3)}
	var waiting []*server
	for range 2 + r.IntN(3) {
		a := w.startAgent(w.login(r, scene), anyAgent(r), scene)
		for range 1 + r.IntN(2) {
			waiting = append(waiting, w.dockerRunner(r, a, o))
		}
		if oneIn(r, 3) { // the others begin when these have theirs
			w.giveContainers(r, waiting, o)
			waiting = nil
		}
	}
	w.giveContainers(r, waiting, o)
}

func (w *world) giveContainers(r *rand.Rand, waiting []*server, o dockerOptions) {
	w.run(300e6)
	r.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
	for _, s := range waiting {
		w.giveContainer(r, s, o)
	}
}

// playAPI: a program that speaks to the engine itself and is attached over it.
func playAPI(w *world, r *rand.Rand, scene int) {
	w.apiServer(r, w.startAgent(w.login(r, scene), anyAgent(r), scene), "docker api")
}

// playSSH: somebody on another machine uses the engine here; all there is to see
// of him is `docker system dial-stdio` below an sshd.
func playSSH(w *world, r *rand.Rand, scene int) {
	dial := w.fork(w.login(r, scene), birth{program: w.engine.call("system", "dial-stdio"), role: agent, scene: scene, leads: true})
	w.apiServer(r, dial, "docker ssh")
}

// apiServer is a server in a container that a program is attached to itself. That its
// container has nobody any more only the engine's connections could show.
func (w *world) apiServer(r *rand.Rand, client *process, kind string) {
	s := w.addServer(kind, client.scene, client)
	s.unsure = true
	s.container = w.create(creation{image: imageOf(r), withStdin: true, autoRemove: oneIn(r, 2), obedient: oneIn(r, 4),
		program: native("/server"), role: serves, scene: client.scene, server: s}, client)
}

// playExec: servers that an exec brings into a container of something else. A person
// may have brought in a shell.
func playExec(w *world, r *rand.Rand, scene int) {
	if w.engine.away {
		playDocker(w, r, scene)
		return
	}
	name := "app-" + string(rune('a'+scene%26))
	labels := map[string]string{}
	if !w.host.Podman {
		labels["com.docker.compose.project"], labels["com.docker.compose.service"] = "work", name
	}
	c := w.create(creation{name: name, image: "acme/app", labels: labels, program: native("/usr/sbin/php-fpm", "-F"), scene: scene}, nil)
	for range 1 + r.IntN(3) {
		w.execServer(r, w.startAgent(w.login(r, scene), anyAgent(r), scene), c)
	}
	if oneIn(r, 3) {
		sh := w.login(r, scene)
		runner := w.fork(sh, birth{program: w.engine.call("exec", "-it", name, "sh"), in: sh.stdin, out: sh.stdout, group: true, scene: scene})
		w.exec(c, runner, birth{program: native("/bin/sh"), leads: true, scene: scene})
	}
}

// execServer brings in a server: by the CLI, by its plugin compose, or over the API.
func (w *world) execServer(r *rand.Rand, a *process, c *container) {
	inside := birth{program: script("/app/node_modules/.bin/mcp-server-memory").asServer(), role: serves, leads: true, scene: a.scene}
	way := r.IntN(3)
	if way == 0 {
		inside.server = w.addServer("exec over the API", a.scene, a)
		inside.server.unsure = true
		w.exec(c, a, inside)
		return
	}
	f := flavour{name: "exec", chain: []program{w.engine.call(append([]string{"exec", "-i", c.name}, inside.argv...)...)}}
	if way == 1 && !w.host.Podman {
		f = flavour{name: "compose exec", chain: plugin("compose", append([]string{"compose", "exec", "-T", c.name}, inside.argv...)...)}
	}
	inside.server = w.newServer(a, f, serverOptions{sockets: oneIn(r, 2)})
	w.exec(c, inside.server.members[len(f.chain)-1], inside)
}

// playOneOff: a server that `docker compose run` starts.
func playOneOff(w *world, r *rand.Rand, scene int) {
	if w.host.Podman {
		playDocker(w, r, scene)
		return
	}
	a := w.startAgent(w.login(r, scene), anyAgent(r), scene)
	service := "db-mcp-" + string(rune('a'+scene%26))
	image := pick(r, "mcp/sqlite", "acme/"+service) // all that tells of the other is its name
	for range 1 + r.IntN(2) {
		one := flavour{name: "one-off", chain: plugin("compose", "compose", "run", "--rm", "-T", service), likely: image != "mcp/sqlite"}
		s := w.newServer(a, one, serverOptions{sockets: oneIn(r, 2)})
		labels := map[string]string{"com.docker.compose.project": "work", "com.docker.compose.service": service, "com.docker.compose.oneoff": "True"}
		s.container = w.create(creation{name: fmt.Sprintf("work-%s-run-%x", service, r.Uint32()), image: image, labels: labels, withStdin: true, autoRemove: true,
			obedient: oneIn(r, 4), program: native("/server"), role: serves, scene: scene, server: s}, s.members[1])
	}
}

// playReturning: a container that a person has named and that somebody starts again: a
// client that is configured with `docker start`, or the person who has left something in it.
func playReturning(w *world, r *rand.Rand, scene int) {
	n := creation{name: "mcp-memory-" + string(rune('a'+scene%26)), image: "mcp/memory", labels: map[string]string{}, withStdin: true, comesBack: true,
		program: native("/server"), scene: scene}
	if oneIn(r, 3) {
		c := w.create(n, nil)
		w.stop(c)
		return
	}
	n.role, n.obedient = serves, !oneIn(r, 3)
	s := w.startNamed(r, n.name, scene)
	n.server = s
	s.container = w.create(n, s.members[0])
}

// startNamed is a session whose server is the container of that name.
func (w *world) startNamed(r *rand.Rand, name string, scene int) *server {
	a := w.startAgent(w.login(r, scene), anyAgent(r), scene)
	s := w.newServer(a, flavour{name: "docker start", chain: []program{w.engine.call("start", "-ai", name)}}, serverOptions{sockets: oneIn(r, 2)})
	s.unsure = true
	return s
}
