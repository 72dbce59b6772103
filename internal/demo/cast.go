package demo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/reaperd/reaperd/internal/demo/containers"
)

// world is where the files of the world are.
type world string

// place is on a tmpfs of the world's own.
const place world = "/run/reaperd-demo"

// ownProgram is this program, which the world's first process runs: it is found
// there wherever the file is on the host.
const ownProgram = "/proc/1/exe"

func (w world) home() string  { return "/root" }
func (w world) state() string { return filepath.Join(string(w), "state") }
func (w world) bin() string   { return filepath.Join(string(w), "bin") }

// cast has the programs of those who play, where no visitor's shell looks for docker
// or node.
func (w world) cast() string   { return filepath.Join(string(w), "cast") }
func (w world) engine() string { return filepath.Join(string(w), "engine.sock") }
func (w world) policy() string { return filepath.Join(w.home(), ".config/reaperd/policies.yaml") }
func (w world) daemonLog() string {
	return filepath.Join(string(w), "daemon.log")
}

func (w world) users() string { return filepath.Join(string(w), "passwd") }

// settle writes the world's files: folders to work in, a policy, and the one user
// whose home reaperd reads configurations from.
func settle() error {
	for _, folder := range []string{place.bin(), place.cast(), place.state(), filepath.Dir(place.policy()), place.folder(shop), place.folder(blog)} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	if err := os.Symlink(ownProgram, filepath.Join(place.bin(), "reaperd")); err != nil {
		return err
	}
	return os.WriteFile(place.users(), []byte("root:x:0:0:root:"+place.home()+":/bin/sh\n"), 0o644)
}

// The folders that the clients work in.
const shop, blog = "shop", "blog"

func (w world) folder(name string) string { return filepath.Join(w.home(), "src", name) }

// The clients' programs.
const claude, codex = "claude", "codex"

// client is a stand-in for one that works in a folder and has started three
// servers: one in one process, one behind npm exec, and one behind npm exec with a
// browser below it. Where the demo has containers, a fourth runs in one.
func (w world) client(program, folder, demo string) part {
	p := part{Role: roleClient, Argv: []string{program}, Dir: w.folder(folder), Below: []part{
		{Role: roleServer, Argv: []string{"github-mcp-server", "stdio"}, Obedient: true},
		npmExec("@modelcontextprotocol/server-memory", part{Role: roleServer, Argv: w.node("mcp-server-memory")}),
		npmExec("@playwright/mcp@latest --headless", part{Role: roleServer, Argv: w.node("playwright-mcp", "--headless"), Stubborn: true, Below: []part{
			{Role: roleServer, Stubborn: true, Argv: []string{"chromium", "--headless", "--remote-debugging-pipe", "--user-data-dir=/tmp/playwright_chromiumdev_profile-demo"}},
		}}),
	}}
	if demo != "" {
		p.Below = append(p.Below, dockerRun(demo, containerOf(program, demo), part{Role: roleServer}))
	}
	return p
}

// containerOf is what a client's container is called.
func containerOf(program, demo string) string { return "demo-" + program + "-" + demo }

// dockerRun is docker's command line tool, with a server in a container.
func dockerRun(demo, name string, inside part) part {
	return part{
		Role: roleDocker, Argv: []string{"docker", "run", "-i", "--rm", "--name", name, containers.Image(demo)},
		Demo: demo, Container: name, Below: []part{inside},
	}
}

// npmExec is npm, which writes its whole command line into one word.
func npmExec(arguments string, below part) part {
	return part{Role: roleWrapper, Argv: []string{"npm exec " + arguments}, Below: []part{below}}
}

// node is the command line that npm starts a package's program with.
func (w world) node(bin string, further ...string) []string {
	return append([]string{"node", filepath.Join(w.home(), ".npm/_npx/5f1c3a9be0d24768/node_modules/.bin", bin)}, further...)
}

// programCalled is this program under another name: the one that the kernel is to
// know the process by. Node runs what npm calls "npm exec …".
func programCalled(name string) (string, error) {
	if strings.Contains(name, " ") {
		name = "node"
	}
	path := filepath.Join(place.cast(), name)
	if err := os.Symlink(ownProgram, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return path, nil
}
