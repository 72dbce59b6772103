//go:build linux

package npm_test

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
)

//go:embed client.mjs
var client []byte

// packages are pinned, so that the test tests reaperd and not the news.
var packages = []string{
	"@modelcontextprotocol/sdk@1.32.2",
	"@modelcontextprotocol/server-everything@2026.8.31",
	"@modelcontextprotocol/server-memory@2026.8.31",
	"@modelcontextprotocol/server-filesystem@2026.8.31",
}

func TestMain(m *testing.M) { farm.Main(m) }

// missing says what the test needs and has not.
func missing() string {
	for _, program := range []string{"node", "npm", "npx"} {
		if _, err := exec.LookPath(program); err != nil {
			return "servers from npm need " + program
		}
	}
	if os.Getenv("REAPERD_TEST_NPM") != "1" {
		return "servers from npm need REAPERD_TEST_NPM=1"
	}
	return ""
}

// install is a folder of packages, filled on the first run and kept below the
// user's cache folder.
func install(t *testing.T, name string, packages []string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, "reaperd-test", "npm-"+name)
	done, want := filepath.Join(folder, "installed"), strings.Join(packages, "\n")
	if text, err := os.ReadFile(done); err == nil && string(text) == want {
		return folder
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"private": true}`), 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "npm", append([]string{"install", "--no-audit", "--no-fund", "--ignore-scripts"}, packages...)...)
	command.Dir = folder
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, text)
	}
	if err := os.WriteFile(done, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestRealServersOfAKilledClient(t *testing.T) {
	if want := missing(); want != "" {
		t.Skip("left out: " + want)
	}
	packages := install(t, "servers", packages) // before the world, which has no network
	farm.Inside(t, farm.Tini, func(t *testing.T) { world(t, packages) })
}

func world(t *testing.T, packages string) {
	everyServer := []string{"alive everything", "alive memory", "alive filesystem"}
	live := farm.Raise(t, farm.World{Answers: everyServer})
	place(t, live, packages, map[string][]byte{"client.mjs": client})
	live.Start(t, []actor.Part{sdkClient(t, "killed", "--call"), sdkClient(t, "alive")})
	for _, name := range []string{"killed", "alive"} {
		if _, err := live.Folder.Await(name+".ready", actor.Patience); err != nil {
			t.Fatal(err)
		}
	}
	doomed := descendants(t, live, "killed")
	descendants(t, live, "alive")
	live.KillAll(t, []string{"killed"})

	// Most end by themselves; the one with a call in flight is the leak.
	leaf := slices.IndexFunc(doomed, func(name string) bool { return runs(live.Being(t, name), "mcp-server-everything") })
	if leaf < 0 {
		t.Fatal("the killed client has no mcp-server-everything left")
	}
	live.World.Either = doomed
	live.World.Reap = []string{doomed[leaf]}
	live.Check(t)
	for _, name := range doomed {
		if live.Being(t, name).Alive() {
			t.Errorf("left behind: %s", name)
		}
	}
}

// place puts programs of the SDK where they find the packages.
func place(t *testing.T, live *farm.Live, packages string, programs map[string][]byte) {
	t.Helper()
	folder := live.Folder.Path("home", "client")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"node_modules", "package.json", "package-lock.json"} {
		if err := os.Symlink(filepath.Join(packages, name), filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range programs {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// sdkClient is the client on node.
func sdkClient(t *testing.T, name string, options ...string) actor.Part {
	t.Helper()
	return sdkProgram(t, name, "client.mjs", options...)
}

// sdkProgram is a program that [place] has put in place, on node.
func sdkProgram(t *testing.T, name, script string, options ...string) actor.Part {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	return actor.Part{
		Name: name, Exe: node, Argv: append([]string{"node", "$W/home/client/" + script, "$W/run", name}, options...),
		Env: []string{"HOME=$W/home"}, Stdin: actor.Null, Stdout: actor.File, Setsid: true,
	}
}

// descendants names every process below a part, as PART-PID.
func descendants(t *testing.T, live *farm.Live, name string) (names []string) {
	t.Helper()
	below := []int{live.Being(t, name).PID}
	for len(below) > 0 {
		parent := below[0]
		below = below[1:]
		for _, being := range children(t, parent) {
			label := fmt.Sprintf("%s-%d", name, being.PID)
			live.Adopt(label, being)
			names, below = append(names, label), append(below, being.PID)
		}
	}
	return names
}

func children(t *testing.T, parent int) (beings []farm.Being) {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		fields, err := actor.StatOf(pid)
		if err == nil && fields[1] == strconv.Itoa(parent) {
			beings = append(beings, farm.Being{PID: pid, Start: fields[19]})
		}
	}
	return beings
}

// runs reports whether a process is node with that script.
func runs(being farm.Being, script string) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", being.PID))
	argv := strings.Split(string(text), "\x00")
	return err == nil && len(argv) > 1 && argv[0] == "node" && filepath.Base(argv[1]) == script
}
