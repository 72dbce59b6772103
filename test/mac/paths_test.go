//go:build linux

package mac

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/docker"
	"github.com/reaperd/reaperd/test/mac/darwintest"
)

// homeVariable names the home of the daemon that the test binary plays when it
// is set.
const homeVariable = "REAPERD_TEST_MAC_HOME"

func TestMain(m *testing.M) {
	if home := os.Getenv(homeVariable); home != "" {
		if err := daemonLooks(home); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// daemonLooks does what the daemon does at each look on a Mac: it asks the kernel,
// the engines, and the clients' configuration, for sessions that work in folders
// which macOS guards.
func daemonLooks(home string) error {
	kernel := darwintest.NewKernel()
	var folders []discover.Workdir
	for _, below := range []string{"src/app", "Documents/app", "Desktop", "Downloads/app", "Library/app", "Library/Mobile Documents/com~apple~CloudDocs/app"} {
		folders = append(folders, discover.Workdir{Dir: filepath.Join(home, below), UID: os.Getuid()})
	}
	folders = append(folders, discover.Workdir{Dir: "/Volumes/USB/app", UID: os.Getuid()})
	for _, folder := range folders {
		kernel.Spawn(nil, darwintest.Spec{Comm: "claude", Exe: "/opt/homebrew/bin/claude", Argv: []string{"claude"}, Cwd: folder.Dir})
		kernel.Spawn(nil, darwintest.Spec{Comm: "docker", Exe: "/usr/local/bin/docker",
			Argv: []string{"docker", "run", "-i", "--cidfile", filepath.Join(folder.Dir, "id"), "mcp/fetch"}, Cwd: folder.Dir})
	}
	ctx := context.Background()
	if _, err := newHost(kernel).Look(ctx, nil); err != nil {
		return err
	}
	engines := docker.New(docker.Options{Environment: docker.Environment{Getenv: func(string) string { return "" }, Home: home, UID: 501, OS: "darwin"}})
	defer engines.Close()
	engines.Containers(ctx)
	set := discover.New(discover.Options{Guarded: true}).Configured(ctx, []discover.Home{{Dir: home, UID: os.Getuid()}}, folders)
	for _, fault := range set.Faults() {
		fmt.Println(fault.File, fault.Text)
	}
	return nil
}

// TestTheDaemonOpensNothingThatMacOSAsksAbout lists every path that a look opens,
// stats or reads a link of, below the home and on other volumes.
func TestTheDaemonOpensNothingThatMacOSAsksAbout(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("left out: listing the paths needs strace")
	}
	home := t.TempDir()
	populate(t, home)
	log := filepath.Join(t.TempDir(), "calls")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), strace, "-f", "-y", "-s", "4096", "-e", "trace=%file,getdents64", "-o", log, program)
	command.Env = append(os.Environ(), homeVariable+"="+home)
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	paths := pathsIn(t, log, home)
	var listed []string
	for _, path := range paths {
		listed = append(listed, strings.Replace(path, home, "~", 1))
		if discover.Forbidden(strings.Replace(path, home, "/Users/dev", 1), "/Users/dev") {
			t.Errorf("the daemon looks at %s", path)
		}
	}
	want, err := os.ReadFile(filepath.Join("testdata", "paths.txt"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if got := strings.Join(listed, "\n") + "\n"; got != string(want) {
		t.Errorf("the paths that the daemon looks at are not those of testdata/paths.txt:\n%s", got)
	}
}

// populate makes a home in which clients are configured, here and there behind
// links into folders that macOS guards.
func populate(t *testing.T, home string) {
	t.Helper()
	config := `{"mcpServers": {"fetch": {"command": "uvx", "args": ["mcp-server-fetch"]}}}`
	for _, file := range []string{".claude.json", ".cursor/mcp.json", "src/app/.mcp.json", "Documents/app/.mcp.json", "Desktop/.mcp.json",
		"Downloads/app/.mcp.json", "Library/app/.mcp.json", "Library/Application Support/Claude/claude_desktop_config.json", "Documents/dotfiles/settings.json"} {
		path := filepath.Join(home, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(config), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.MkdirAll(filepath.Join(home, ".gemini"), 0o755),
		os.Symlink("../Documents/dotfiles/settings.json", filepath.Join(home, ".gemini", "settings.json"))); err != nil {
		t.Fatal(err)
	}
}

// pathsIn are the paths of a trace below the home and on other volumes, each
// once, in order. A path beside a directory that is open stands behind it.
func pathsIn(t *testing.T, log, home string) []string {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	relative := regexp.MustCompile(`\(\d+<([^>]*)>, "([^"]*)"`)
	absolute := regexp.MustCompile(`"(/[^"]*)"`)
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if found := relative.FindStringSubmatch(line); found != nil && !strings.HasPrefix(found[2], "/") {
			seen[filepath.Join(found[1], found[2])] = true
			continue
		}
		for _, found := range absolute.FindAllStringSubmatch(line, -1) {
			seen[filepath.Clean(found[1])] = true
		}
	}
	var paths []string
	for path := range seen {
		if strings.HasPrefix(path, home) || strings.HasPrefix(path, "/Volumes") || strings.HasPrefix(path, "/Users") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}
