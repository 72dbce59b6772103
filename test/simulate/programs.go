package simulate

import (
	"fmt"
	"math/rand/v2"
	"path"
)

// pick takes one of several.
func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// oneIn is true once in n times.
func oneIn(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

// native is a program that is called by its path alone.
func native(file string, args ...string) program {
	name := path.Base(file)
	return program{comm: name[:min(15, len(name))], exe: file, argv: append([]string{file}, args...)}
}

// script is a script of node, python one of Python.
func script(path string, args ...string) program {
	return program{comm: "node", exe: "/usr/bin/node", argv: append([]string{"node", path}, args...)}
}

func python(path string, args ...string) program {
	return program{comm: "python3", exe: "/usr/bin/python3", argv: append([]string{"python3", path}, args...)}
}

func (p program) asServer() program { p.known = true; return p }

// asSession is one of several programs that the catalogue knows for sessions.
func asSession(r *rand.Rand, from ...program) program {
	p := pick(r, from...)
	p.session = true
	return p
}

// knownAgent is a session that the catalogue knows.
func knownAgent(r *rand.Rand) program {
	return asSession(r, native("/usr/local/bin/claude"), native("/usr/local/bin/codex"), native("/usr/local/bin/opencode"),
		script("/usr/lib/node_modules/@google/gemini-cli/dist/index.js"), native("/usr/local/bin/goose", "session"))
}

// headlessAgent is such a session that is spoken to over its stdio.
func headlessAgent(r *rand.Rand) program {
	return asSession(r, native("/usr/local/bin/claude", "-p", "--input-format", "stream-json", "--output-format", "stream-json"),
		native("/usr/local/bin/codex", "app-server"), native("/usr/local/bin/opencode", "acp"),
		script("/usr/lib/node_modules/@google/gemini-cli/dist/index.js", "--acp"))
}

// unknownAgent is a client that nobody knows: a program of somebody's own.
func unknownAgent(r *rand.Rand) program {
	return pick(r, script("/home/dev/agent/worker.mjs"), native("/home/dev/bin/flowbot", "--task", "triage"),
		python("/srv/bot/main.py", "--loop"), native("/opt/acme/assistant"), script("dist/agent.js"))
}

func anyAgent(r *rand.Rand) program { return pick(r, knownAgent(r), unknownAgent(r)) }

// lyingAgent is a client whose name, or an argument, is that of a server.
func lyingAgent(r *rand.Rand) program {
	p := pick(r, python("/home/dev/tutorial/mcp_chatbot.py"), script("/home/dev/ops/mcp-orchestrator.js"), python("/home/dev/my-mcp-bot/main.py"),
		python("/home/dev/agent.py", "--mcp", "playwright"), native("/home/dev/bin/mcp-runner", "--task", "triage"))
	p.lies = true
	return p
}

// flavour is one way of starting a server.
type flavour struct {
	name  string
	chain []program // from the outside in
	// configured is the name a client's configuration has for it.
	configured string
	likely     bool // nothing but its wiring, or a vague name, tells that it is a server
}

func npx(r *rand.Rand) flavour {
	p := pick(r, [2]string{"@modelcontextprotocol/server-memory", "mcp-server-memory"}, [2]string{"@playwright/mcp@latest", "playwright-mcp"},
		[2]string{"@modelcontextprotocol/server-everything", "mcp-server-everything"}, [2]string{"@upstash/context7-mcp", "context7-mcp"})
	pkg, bin := p[0], p[1]
	return flavour{name: "npx", chain: []program{
		program{comm: "npm exec " + pkg[:6], exe: "/usr/bin/node", argv: []string{"npm exec " + pkg, "", ""}}.asServer(),
		program{comm: "sh", exe: "/usr/bin/dash", argv: []string{"sh", "-c", "'" + bin + "'"}}.asServer(),
		script("/home/dev/.npm/_npx/0123456789abcdef/node_modules/.bin/" + bin).asServer(),
	}}
}

// plainServer is a server of one process that the catalogue knows.
func plainServer(r *rand.Rand) program {
	return pick(r, npx(r).chain[2], native("/usr/local/bin/github-mcp-server", "stdio").asServer())
}

// stdioServer is a server that talks over its stdio.
func stdioServer(r *rand.Rand) flavour {
	switch r.IntN(9) {
	case 0, 1, 2:
		return npx(r)
	case 3:
		return flavour{name: "script", chain: npx(r).chain[2:]}
	case 4:
		return flavour{name: "native", chain: []program{native("/usr/local/bin/github-mcp-server", "stdio").asServer()}}
	case 5:
		return flavour{name: "configured", configured: "mine", chain: []program{script("/home/dev/own/server.mjs").asServer()}}
	case 6:
		return flavour{name: "shape", likely: true, chain: []program{native("/home/dev/bin/notes", "--stdio")}}
	case 7:
		return flavour{name: "vague name", likely: true, chain: []program{python("/home/dev/my-mcp-thing/main.py")}}
	}
	f := npx(r)
	return flavour{name: "bash and npx", chain: append([]program{
		{comm: "bash", exe: "/usr/bin/bash", argv: []string{"bash", "-lc", "cd /home/dev/x && npx -y " + f.chain[0].argv[0][len("npm exec "):]}, known: true}}, f.chain...)}
}

// job is something that a session has done by a program of no particular name.
func job(r *rand.Rand) program {
	shard := fmt.Sprint(r.IntN(10_000))
	return pick(r, python("/home/dev/jobs/reindex.py", "--shard", shard), native("/usr/bin/ffmpeg", "-i", "talk-"+shard+".mkv", "talk.mp4"),
		script("/home/dev/site/build.mjs", "--out", "/tmp/"+shard))
}

// helper is a program that a server starts for itself.
func helper(r *rand.Rand) program {
	return pick(r, native("/home/dev/go/bin/gopls"), native("/usr/bin/rust-analyzer"), script("/home/dev/lsp/worker.js"))
}

// call is a call of the engine's CLI.
func (e *engine) call(args ...string) program {
	return program{comm: e.program, exe: "/usr/bin/" + e.program, argv: append([]string{e.program}, args...), known: true, cli: true}
}

// run is a CLI that runs a container for its stdio.
func (e *engine) run(name, image string, labels map[string]string) program {
	args := []string{"run", "-i", "--rm"}
	if name != "" {
		args = append(args, "--name", name)
	}
	if labels["docker-mcp"] != "" {
		args = append(args, "-l", "docker-mcp=true", "-l", "docker-mcp-tool-type=mcp", "-l", "docker-mcp-name="+labels["docker-mcp-name"])
	}
	return e.call(append(args, image)...)
}

// plugin is the CLI of Docker with the plugin that it hands over to.
func plugin(name string, args ...string) []program {
	file := "/usr/libexec/docker/cli-plugins/docker-" + name
	return []program{
		{comm: "docker", exe: "/usr/bin/docker", argv: append([]string{"docker"}, args...), known: true, cli: true},
		{comm: "docker-" + name, exe: file, argv: append([]string{file}, args...), known: true, cli: true},
	}
}

func (e *engine) shim(id string) program {
	if e.program == "podman" {
		return native("/usr/bin/conmon", "--api-version", "1", "-c", id, "-u", id, "-r", "/usr/bin/crun")
	}
	return program{comm: "containerd-shim", exe: "/usr/bin/containerd-shim-runc-v2",
		argv: []string{"/usr/bin/containerd-shim-runc-v2", "-namespace", "moby", "-id", id, "-address", "/run/containerd/containerd.sock"}}
}

// bystander is a program that has nothing to do with servers.
func bystander(r *rand.Rand) program {
	return pick(r, native("/usr/bin/vim", "mcp.json"), native("/usr/bin/tail", "-f", "/var/log/mcp-server.log"), native("/usr/bin/htop"),
		python("-m", "http.server"), native("/usr/bin/make", "-j4"), native("/usr/bin/ssh", "build"),
		native("/usr/bin/sleep", "100000"), native("/usr/bin/git", "log"))
}

func browserProgram(flags ...string) program { return native("/opt/google/chrome/chrome", flags...) }

func shell() program { return program{comm: "bash", exe: "/usr/bin/bash", argv: []string{"-bash"}} }

func imageOf(r *rand.Rand) string {
	return pick(r, "mcp/fetch", "mcp/time", "mcp/git", "ghcr.io/github/github-mcp-server", fmt.Sprintf("mcp/tool%d", r.IntN(1000)), fmt.Sprintf("mcp/kit%d", r.IntN(1000)))
}
