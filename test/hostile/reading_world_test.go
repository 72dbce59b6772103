//go:build linux

package hostile_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// readingMemory is the most memory that a daemon may use, in kB: 64 MB.
const readingMemory = 64_000_000 / 1024

// readingPolicy is the shipped policy, enforced, with short waiting times.
const readingPolicy = `version: 1
extends: builtin
mode: enforce
schedule: "@every 1s"
rules:
  - {name: orphaned-servers, for: 1s, grace: 1s}
`

// readingBuild builds the puppet beside the farm's programs.
var readingBuild = sync.OnceValue(func() error {
	if _, err := os.Stat(farm.Program("puppet")); err == nil {
		return nil // the outer run has built it
	}
	command := exec.Command("go", "build", "-o", farm.Program("puppet"), "github.com/reaperd/reaperd/test/hostile/puppet")
	if text, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build puppet: %w\n%s", err, text)
	}
	return nil
})

// readingWithin runs body in a world of its own, in which puppets can play.
func readingWithin(t *testing.T, body func(t *testing.T, live *farm.Live)) {
	t.Helper()
	if os.Getuid() == 0 {
		if err := readingBuild(); err != nil {
			t.Fatal(err)
		}
	}
	farm.Within(t, farm.World{}, body)
}

// readingPuppet starts a puppet with this environment and waits until it is ready.
func readingPuppet(t *testing.T, live *farm.Live, env ...string) {
	t.Helper()
	program := live.Folder.Path("bin", "mcp-server-memory")
	if _, err := os.Stat(program); err != nil {
		text, err := os.ReadFile(farm.Program("puppet"))
		if err == nil {
			err = os.WriteFile(program, text, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ready := live.Folder.Path("run", fmt.Sprintf("puppet-%d", time.Now().UnixNano()))
	command := exec.Command(program)
	command.Env = append(env, "PUPPET_READY="+ready, "PATH="+os.Getenv("PATH"))
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = command.Wait() }()
	farm.Eventually(t, "the puppet is ready", func() bool { _, err := os.Stat(ready); return err == nil })
}

// readingPuppets counts the orphans of puppets that run.
func readingPuppets(t *testing.T) (count int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(name), "mcp-server-mem") {
			count++
		}
	}
	return count
}

// readingServer returns a session with one server, which is a single process.
func readingServer(name string, args ...string) actor.Part {
	return cast.Claude(name, cast.Deaf(cast.Server(name+"-server", "$W/home/dev/mcp-server/dist/index.js", actor.Socket, args...)))
}

// readingUser gives a user a home in the world.
func readingUser(t *testing.T, live *farm.Live, uid int) (home string) {
	t.Helper()
	home = live.Folder.Path("alice")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(home, uid, uid); err != nil {
		t.Fatal(err)
	}
	users, err := os.OpenFile("/etc/passwd", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer users.Close()
	if _, err := fmt.Fprintf(users, "alice:x:%d:%d::%s:/bin/sh\n", uid, uid, home); err != nil {
		t.Fatal(err)
	}
	return home
}

// readingFits checks the largest amount of memory that a daemon has used.
func readingFits(t *testing.T, d *daemon.Daemon, what string) {
	t.Helper()
	figures := daemon.FiguresOf(t, d.PID())
	farm.Figure(t, "%s: %s", what, figures)
	if figures.Peak > readingMemory {
		t.Errorf("%s: the daemon held %d kB, want at most %d", what, figures.Peak, readingMemory)
	}
}
