package simulate

import (
	"fmt"
	"math/rand/v2"
)

// pick takes one of several.
func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// oneIn is true once in n times.
func oneIn(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

// native is a program that is called by its path alone.
func native(path string, args ...string) program {
	name := path
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			name = path[i+1:]
			break
		}
	}
	return program{comm: name[:min(15, len(name))], exe: path, argv: append([]string{path}, args...)}
}

// script is a script of node.
func script(path string, args ...string) program {
	return program{comm: "node", exe: "/usr/bin/node", argv: append([]string{"node", path}, args...)}
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
		program{comm: "python3", exe: "/usr/bin/python3", argv: []string{"python3", "/srv/bot/main.py", "--loop"}},
		native("/opt/acme/assistant"), program{comm: "node", exe: "/usr/bin/node", argv: []string{"node", "dist/agent.js"}})
}

// flavour is one way of starting a server.
type flavour struct {
	name  string
	chain []program // from the outside in
	// configured is the name a client's configuration has for it.
	configured string
	shape      bool // nothing but its shape tells that it is a server
}

type npmPackage struct{ pkg, bin string }

func npx(r *rand.Rand) flavour {
	p := pick(r, npmPackage{"@modelcontextprotocol/server-memory", "mcp-server-memory"}, npmPackage{"@playwright/mcp@latest", "playwright-mcp"},
		npmPackage{"@modelcontextprotocol/server-everything", "mcp-server-everything"}, npmPackage{"@upstash/context7-mcp", "context7-mcp"})
	return flavour{name: "npx", chain: []program{
		program{comm: "npm exec " + p.pkg[:6], exe: "/usr/bin/node", argv: []string{"npm exec " + p.pkg, "", ""}}.asServer(),
		program{comm: "sh", exe: "/usr/bin/dash", argv: []string{"sh", "-c", "'" + p.bin + "'"}}.asServer(),
		script("/home/dev/.npm/_npx/0123456789abcdef/node_modules/.bin/" + p.bin).asServer(),
	}}
}

// stdioServer is a server that talks over its stdio.
func stdioServer(r *rand.Rand) flavour {
	switch r.IntN(8) {
	case 0, 1, 2:
		return npx(r)
	case 3:
		f := npx(r)
		return flavour{name: "script", chain: f.chain[2:]}
	case 4:
		return flavour{name: "native", chain: []program{native("/usr/local/bin/github-mcp-server", "stdio").asServer()}}
	case 5:
		return flavour{name: "configured", configured: "mine", chain: []program{script("/home/dev/own/server.mjs").asServer()}}
	case 6:
		return flavour{name: "shape", shape: true, chain: []program{native("/home/dev/bin/notes", "--stdio")}}
	}
	f := npx(r)
	return flavour{name: "bash and npx", chain: append([]program{
		{comm: "bash", exe: "/usr/bin/bash", argv: []string{"bash", "-lc", "cd /home/dev/x && npx -y " + f.chain[0].argv[0][len("npm exec "):]}, known: true}}, f.chain...)}
}

// dockerRun is a client that runs a container for its stdio.
func dockerRun(name, image string, labels map[string]string) program {
	argv := []string{"docker", "run", "-i", "--rm"}
	if name != "" {
		argv = append(argv, "--name", name)
	}
	if labels["docker-mcp"] != "" {
		argv = append(argv, "-l", "docker-mcp=true", "-l", "docker-mcp-tool-type=mcp", "-l", "docker-mcp-name="+labels["docker-mcp-name"])
	}
	return program{comm: "docker", exe: "/usr/bin/docker", argv: append(argv, image), known: true}
}

func docker(args ...string) program {
	return program{comm: "docker", exe: "/usr/bin/docker", argv: append([]string{"docker"}, args...)}
}

func shimProgram(id string) program {
	return program{comm: "containerd-shim", exe: "/usr/bin/containerd-shim-runc-v2",
		argv: []string{"/usr/bin/containerd-shim-runc-v2", "-namespace", "moby", "-id", id, "-address", "/run/containerd/containerd.sock"}}
}

// bystander is a program that has nothing to do with servers.
func bystander(r *rand.Rand) program {
	return pick(r, native("/usr/bin/vim", "mcp.json"), native("/usr/bin/tail", "-f", "/var/log/mcp-server.log"), native("/usr/bin/htop"),
		native("/usr/bin/python3", "-m", "http.server"), native("/usr/bin/make", "-j4"), native("/usr/bin/ssh", "build"),
		native("/usr/bin/sleep", "100000"), native("/usr/bin/git", "log"))
}

func browserProgram(flags ...string) program { return native("/opt/google/chrome/chrome", flags...) }

func shell() program { return program{comm: "bash", exe: "/usr/bin/bash", argv: []string{"-bash"}} }

func imageOf(r *rand.Rand) string {
	return pick(r, "mcp/fetch", "mcp/time", "mcp/git", "ghcr.io/github/github-mcp-server", fmt.Sprintf("mcp/tool%d", r.IntN(1000)), fmt.Sprintf("mcp/kit%d", r.IntN(1000)))
}
