//go:build linux

package demo_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/internal/demo"
	"github.com/reaperd/reaperd/test/farm"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { farm.MainOf(m, 8) }

// headings begin the lines that tell a step has begun, in order.
var headings = []string{
	"This is a world of its own", "1. Two agents work", "$ reaperd scan", "2. The daemon starts", "$ kill -9 ",
	"3. Its github-mcp-server", "$ reaperd scan --dry-run", "4. The daemon has seen it too", "5. They are reaped", "$ reaperd history",
	"6. codex was left alone", "$ reaperd scan", "That was all.",
}

// nobody is a user id that has neither a name nor a home.
const nobody = 4321

func TestTheDemoTellsWhatHappens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		uid  uint32
		args []string
	}{
		{"to root", 0, []string{"--fast"}},
		{"to a user", nobody, []string{"--fast"}},
		{"with time to read", 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			farm.Inside(t, farm.Tini, func(t *testing.T) {
				command := visit(t, c.uid, c.args...)
				var complaint bytes.Buffer
				command.Stderr = &complaint
				said, err := command.Output()
				if err != nil && c.uid != 0 && strings.Contains(complaint.String(), "make a world of its own") {
					t.Skipf("left out: %s", complaint.String())
				}
				if err != nil {
					t.Fatalf("%v\n%s%s", err, said, complaint.String())
				}
				inOrder(t, string(said))
				for _, want := range []string{"ended: 2 servers stopped, ", "codex was left alone: 3 of 3 servers answer its call", "all 6 processes"} {
					if !strings.Contains(string(said), want) {
						t.Errorf("it does not say %q:\n%s", want, said)
					}
				}
				nothingLeft(t)
			})
		})
	}
}

// TestAHostsPolicyIsNotTheWorlds: the first look would go by it, or fail.
func TestAHostsPolicyIsNotTheWorlds(t *testing.T) {
	farm.Inside(t, farm.Tini, func(t *testing.T) {
		const broken = `mount -t tmpfs tmpfs /etc && mkdir /etc/reaperd && echo broken > /etc/reaperd/policies.yaml && exec "$0" demo --fast`
		said, err := exec.CommandContext(t.Context(), "unshare", "--mount", "sh", "-c", broken, farm.Program("reaperd")).CombinedOutput()
		if err != nil || strings.Contains(string(said), "/etc/reaperd") {
			t.Errorf("%v\n%s", err, said)
		}
		inOrder(t, string(said))
		nothingLeft(t)
	})
}

// TestTheRecordingTellsTheSame holds what is shown where the demo cannot be played.
// `NO_COLOR=1 reaperd demo` on a terminal of 80 columns makes
// it anew.
func TestTheRecordingTellsTheSame(t *testing.T) {
	inOrder(t, demo.Recorded())
}

// inOrder looks for every heading behind the one before.
func inOrder(t *testing.T, said string) {
	t.Helper()
	rest := said
	for _, heading := range headings {
		_, behind, found := strings.Cut("\n"+rest, "\n"+heading)
		if !found {
			t.Fatalf("it does not come to %q:\n%s", heading, said)
		}
		rest = behind
	}
}

func TestNothingIsLeftWhereverItEnds(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		for i, part := range slices.Collect(slices.Chunk(headings[:len(headings)-1], 3)) {
			t.Run(fmt.Sprintf("%s, steps from %d on", signal, 3*i+1), func(t *testing.T) {
				farm.Inside(t, farm.Tini, func(t *testing.T) {
					for _, heading := range part {
						endedAt(t, heading, signal)
					}
				})
			})
		}
	}
}

// endedAt signals the demo when it comes to a step.
func endedAt(t *testing.T, heading string, signal syscall.Signal) {
	t.Helper()
	command := visit(t, 0, "--fast")
	lines := begin(t, command)
	awaitLine(t, lines, heading)
	if err := command.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, lines)
	_ = command.Wait()
	if code := command.ProcessState.ExitCode(); signal != syscall.SIGKILL && code != 130 {
		t.Errorf("at %q: exit %d, want 130", heading, code)
	}
	nothingLeft(t)
}

func TestItNoticesWhenItIsNotAsTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, heading, below, program string }{
		{"a server of the living session dies", "4. The daemon has seen it too", "codex", "github-mcp-server"},
		{"the living session dies", "4. The daemon has seen it too", "", "codex"},
		{"the daemon dies", "4. The daemon has seen it too", "", "reaperd run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			farm.Inside(t, farm.Tini, func(t *testing.T) {
				command := visit(t, 0, "--fast")
				var complaint bytes.Buffer
				command.Stderr = &complaint
				lines := begin(t, command)
				awaitLine(t, lines, c.heading)
				if err := unix.Kill(find(t, c.program, c.below), unix.SIGKILL); err != nil {
					t.Fatal(err)
				}
				said, _ := io.ReadAll(lines)
				_ = command.Wait()
				if code := command.ProcessState.ExitCode(); code != 1 || !strings.Contains(complaint.String(), "the demo did not come out as told") {
					t.Errorf("exit %d, %s\n%s", code, complaint.String(), said)
				}
				nothingLeft(t)
			})
		})
	}
}

func TestAHeldWorldIsLookedAtFromOutside(t *testing.T) {
	farm.Inside(t, farm.Tini, func(t *testing.T) {
		command := visit(t, 0, "--hold")
		lines := begin(t, command)
		line := awaitLine(t, lines, "REAPERD_STATE_DIR=")
		variable, _, _ := strings.Cut(line, " ")
		status := exec.CommandContext(t.Context(), farm.Program("reaperd"), "status")
		status.Env = append(os.Environ(), variable)
		said, err := status.CombinedOutput()
		if err != nil || !strings.Contains(string(said), "2 MCP servers leaked, ") || !strings.Contains(string(said), ": stop in 29m ") {
			t.Errorf("%v\n%s", err, said)
		}
		leavesAlone(t)
		if err := command.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, lines)
		_ = command.Wait()
		nothingLeft(t)
	})
}

// leavesAlone looks from outside of the world, as a daemon of the host does: what leaks
// in the world is the world's.
func leavesAlone(t *testing.T) {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), farm.Program("reaperd"), "scan", "--settle", "0", "-o", "json").Output()
	var report struct {
		Summary struct{ Servers, Reap, Pending int }
	}
	if wrong := json.Unmarshal(said, &report); err != nil || wrong != nil || report.Summary.Servers < 9 || report.Summary.Reap+report.Summary.Pending > 0 {
		t.Errorf("%v, %v: %+v", err, wrong, report.Summary)
	}
}

func TestACommandInTheWorldHasTheScreenAndTheExitCode(t *testing.T) {
	farm.Inside(t, farm.Tini, func(t *testing.T) {
		command := visit(t, 0, "--", "reaperd", "scan", "--exit-code", "-o", "json", "--settle", "0")
		said, err := command.Output()
		var report struct {
			Summary struct{ Sessions, Pending int }
		}
		if wrong := json.Unmarshal(said, &report); err != nil || wrong != nil || report.Summary.Sessions != 3 || report.Summary.Pending != 2 {
			t.Errorf("%v, %v\n%s", err, wrong, said)
		}
		command = visit(t, 0, "--", "sh", "-c", "uname -n && reaperd history && until reaperd status | grep -q '1 of them idle'; do sleep 1; done; reaperd scan --settle 0")
		said, err = command.CombinedOutput()
		for _, want := range []string{`(?m)^demo$`, `(?m)^\d\d:\d\d  you swept 2 servers, `, `(?m)^claude-code \d+ +~/src/api `, `(?m)^gemini \d+ +~/src/notes +idle `} {
			if err != nil || !regexp.MustCompile(want).Match(said) {
				t.Errorf("beside the story there is nothing like %q: %v\n%s", want, err, said)
			}
		}
		command = visit(t, 0, "--", "reaperd", "health", "--listen", "127.0.0.1:9")
		if said, _ := command.CombinedOutput(); !strings.Contains(string(said), "no daemon listens on 127.0.0.1:9") {
			t.Errorf("the world's loopback does not answer: %s", said)
		}
		command = visit(t, 0, "--", "sh", "-c", "exit 7")
		if said, _ := command.CombinedOutput(); command.ProcessState.ExitCode() != 7 || len(said) > 0 {
			t.Errorf("exit %d, want 7: %s", command.ProcessState.ExitCode(), said)
		}
		nothingLeft(t)
	})
}

// visit is `reaperd demo` as a user starts it.
func visit(t *testing.T, uid uint32, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), farm.Program("reaperd"), append([]string{"demo"}, args...)...)
	if uid != 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	}
	return command
}

func begin(t *testing.T, command *exec.Cmd) *bufio.Reader {
	t.Helper()
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	return bufio.NewReader(out)
}

// awaitLine reads up to a line with that beginning.
func awaitLine(t *testing.T, lines *bufio.Reader, beginning string) string {
	t.Helper()
	var said strings.Builder
	for {
		line, err := lines.ReadString('\n')
		said.WriteString(line)
		if strings.HasPrefix(line, beginning) {
			return line
		}
		if err != nil {
			t.Fatalf("it ended before %q:\n%s", beginning, said.String())
		}
	}
}

// processes are the command lines of the test's namespace, with those of the demo's
// below it.
func processes(t *testing.T) map[int]string {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if line := strings.TrimSpace(strings.ReplaceAll(string(text), "\x00", " ")); err == nil && line != "" {
			found[pid] = line
		}
	}
	return found
}

// find is the process with that beginning of its command line whose parent's
// begins as said.
func find(t *testing.T, program, below string) int {
	t.Helper()
	all := processes(t)
	for pid, line := range all {
		if strings.HasPrefix(line, program) && strings.HasPrefix(all[parentOf(pid)], below) {
			return pid
		}
	}
	t.Fatalf("no %q below %q: %v", program, below, all)
	return 0
}

func parentOf(pid int) int {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, rest, _ := strings.Cut(string(text), "\nPPid:\t")
	parent, _, _ := strings.Cut(rest, "\n")
	number, _ := strconv.Atoi(parent)
	return number
}

// nothingLeft waits until the namespace has no process but the test's own, and
// looks for files and mounts.
func nothingLeft(t *testing.T) {
	t.Helper()
	var left map[int]string
	farm.Eventually(t, "no process is left", func() bool {
		left = processes(t)
		delete(left, 1)
		delete(left, os.Getpid())
		return len(left) == 0
	})
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil || bytes.Contains(mounts, []byte("reaperd-demo")) {
		t.Errorf("mounts are left: %v\n%s", err, mounts)
	}
	for _, path := range []string{"/run/reaperd-demo", "/root/.config/reaperd/policies.yaml", "/tmp/reaperd-demo"} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", path, err)
		}
	}
}
