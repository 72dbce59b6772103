package demo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// world is the folder with the files of the world.
type world string

// place is a folder on the world's own tmpfs.
const place world = "/run/reaperd-demo"

// ownProgram is the path of this program inside the world: its first process runs it,
// wherever the file is on the host.
const ownProgram = "/proc/1/exe"

func (w world) home() string  { return "/root" }
func (w world) state() string { return filepath.Join(string(w), "state") }
func (w world) bin() string   { return filepath.Join(string(w), "bin") }

// cast is the folder with the programs of the stand-ins. It is not in PATH, so a
// visitor's shell does not find their docker or node.
func (w world) cast() string   { return filepath.Join(string(w), "cast") }
func (w world) policy() string { return filepath.Join(w.home(), ".config/reaperd/policies.yaml") }
func (w world) daemonLog() string {
	return filepath.Join(string(w), "daemon.log")
}

func (w world) users() string { return filepath.Join(string(w), "passwd") }

// settle writes the world's files: folders to work in, a policy, and a passwd file with
// one user, from whose home reaperd reads configurations.
func settle() error {
	folders := []string{place.bin(), place.cast(), place.state(), filepath.Dir(place.policy())}
	for _, project := range []string{shop, blog, api, infra, notes} {
		folders = append(folders, place.folder(project))
	}
	for _, folder := range folders {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	if err := os.Symlink(ownProgram, filepath.Join(place.bin(), "reaperd")); err != nil {
		return err
	}
	return os.WriteFile(place.users(), []byte("root:x:0:0:root:"+place.home()+":/bin/sh\n"), 0o644)
}

// The folders that the clients work in; the last three only in a held world.
const shop, blog, api, infra, notes = "shop", "blog", "api", "infra", "notes"

func (w world) folder(name string) string { return filepath.Join(w.home(), "src", name) }

// The clients' programs; the last only in a held world.
const claude, codex, gemini = "claude", "codex", "gemini"

// client plays a client that works in a folder and has started three servers: one plain
// process, one behind npm exec, and one behind npm exec with a browser below it.
func (w world) client(program, folder string) part {
	return w.session(program, folder,
		part{Role: roleServer, Argv: []string{"github-mcp-server", "stdio"}, Obedient: true, Holds: 20},
		w.memoryServer(),
		npmExec("@playwright/mcp@latest --headless", part{Role: roleServer, Argv: w.node("playwright-mcp", "--headless"), Stubborn: true, Holds: 120, Below: []part{
			{Role: roleServer, Stubborn: true, Holds: 280, Argv: []string{"chromium", "--headless", "--remote-debugging-pipe", "--user-data-dir=/tmp/playwright_chromiumdev_profile-demo"}},
		}}),
	)
}

// further plays a client with two servers that are like those of others.
func (w world) further(program, folder string) part {
	return w.session(program, folder, w.memoryServer(),
		npmExec("@upstash/context7-mcp", part{Role: roleServer, Argv: w.node("context7-mcp"), Holds: 95}))
}

func (w world) session(program, folder string, servers ...part) part {
	return part{Role: roleClient, Argv: []string{program}, Dir: w.folder(folder), Holds: 240, Below: servers}
}

func (w world) memoryServer() part {
	return npmExec("@modelcontextprotocol/server-memory", part{Role: roleServer, Argv: w.node("mcp-server-memory"), Holds: 75})
}

// npmExec plays npm, which writes its whole command line into its first argument.
func npmExec(arguments string, below part) part {
	return part{Role: roleWrapper, Argv: []string{"npm exec " + arguments}, Holds: 80, Below: []part{below}}
}

// node is the command line with which npm starts a package's program.
func (w world) node(bin string, further ...string) []string {
	return append([]string{"node", filepath.Join(w.home(), ".npm/_npx/5f1c3a9be0d24768/node_modules/.bin", bin)}, further...)
}

// programCalled returns a link to this program. Its name becomes the process's name in
// the kernel; npm is called node there.
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
