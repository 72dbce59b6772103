//go:build linux

package exec_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"golang.org/x/sys/unix"
)

// world is a namespace with programs that are all the test binary.
type world struct {
	live   *farm.Live
	folder string
	env    []string
}

// within runs body in a namespace of its own.
func within(t *testing.T, body func(t *testing.T, w *world)) {
	t.Helper()
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		w := &world{live: live, folder: live.Folder.Path(".")}
		own, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"mcp-server-test", "helper", "chromium", "firefox", "launcher", "claude"} {
			if err := os.Symlink(own, w.program(name)); err != nil {
				t.Fatal(err)
			}
		}
		body(t, w)
	})
}

func (w *world) program(name string) string { return filepath.Join(w.folder, "bin", name) }

// rounds is how often something is killed.
func rounds() int {
	if os.Getenv("REAPERD_EXEC") == "full" {
		return 100
	}
	return 5
}

// session is a running client, its server and what it says.
type session struct {
	command    *exec.Cmd
	stdin      io.WriteCloser
	said       *bufio.Scanner
	supervisor int
}

// start starts a client that starts argv, in a round; below is what the test
// binary plays in the server's place.
func (w *world) start(t *testing.T, round, below string, argv ...string) *session {
	t.Helper()
	s := &session{command: exec.CommandContext(t.Context(), w.program("claude"), argv...)}
	s.command.Env = append(os.Environ(), append(w.env, envPlay+"=client", "EXEC_BELOW="+below, envRound+"="+round, "EXEC_FOLDER="+w.folder)...)
	s.command.Stderr = os.Stderr
	var err error
	if s.stdin, err = s.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.kill() })
	s.said = bufio.NewScanner(out)
	if _, err := fmt.Sscan(s.await(t, "started "), &s.supervisor); err != nil {
		t.Fatal(err)
	}
	return s
}

// await reads what the client says up to a line with that beginning.
func (s *session) await(t *testing.T, beginning string) string {
	t.Helper()
	for s.said.Scan() {
		if rest, found := strings.CutPrefix(s.said.Text(), beginning); found {
			return rest
		}
	}
	t.Fatalf("the client ended before it said %q", beginning)
	return ""
}

// asks sends a word and waits for its answer.
func (s *session) asks(t *testing.T, word string) {
	t.Helper()
	fmt.Fprintln(s.stdin, word)
	s.await(t, "answer to "+word)
}

func (s *session) kill() {
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
}

// supervised is the command line of a client for a server.
func (w *world) supervised(grace string, argv ...string) []string {
	if len(argv) == 0 {
		argv = []string{w.program("mcp-server-test")}
	}
	return append([]string{farm.Program("reaperd"), "exec", "--grace", grace, "--name", "test", "--"}, argv...)
}

// players are the processes of a round, or of all, but for clients.
func players(t *testing.T, round string) (found []int) {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		environment := "\x00" + string(text)
		if err == nil && strings.Contains(environment, "\x00"+envRound+"="+round) && !strings.Contains(environment, "\x00"+envPlay+"=client\x00") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			found = append(found, pid)
		}
	}
	return found
}

// playing finds the one process of a round with that argument vector's end.
func playing(t *testing.T, round, program string) (pid int) {
	t.Helper()
	farm.Eventually(t, program+" runs", func() bool {
		for _, candidate := range players(t, round) {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", candidate))
			if first, _, _ := strings.Cut(string(line), "\x00"); filepath.Base(first) == program {
				pid = candidate
			}
		}
		return pid != 0
	})
	return pid
}

func awaitNone(t *testing.T, round string) {
	t.Helper()
	farm.Eventually(t, "nothing of "+round+" is left", func() bool { return len(players(t, round)) == 0 })
}

func signalled(t *testing.T, pid int, signal unix.Signal) {
	t.Helper()
	if err := unix.Kill(pid, signal); err != nil {
		t.Fatalf("signal %d: %v", pid, err)
	}
}
