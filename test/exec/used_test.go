//go:build linux

package exec_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"golang.org/x/sys/unix"
)

// TestAServerInUseIsKept kills what stands between a client and its server. The
// client holds the pipes, so the server goes on answering.
func TestAServerInUseIsKept(t *testing.T) {
	within(t, func(t *testing.T, w *world) {
		server := w.supervised("300ms", "env", envPlay+"=obedient", w.program("mcp-server-test"))
		t.Run("the launcher above reaperd exec dies", func(t *testing.T) {
			s := w.start(t, "above", "launcher", append([]string{w.program("launcher")}, server...)...)
			s.await(t, "ready")
			s.asks(t, "one")
			signalled(t, s.supervisor, unix.SIGKILL) // the launcher: it is what the client started
			s.await(t, "ended")
			s.asks(t, "two")
			s.kill()
			awaitNone(t, "above")
		})
		t.Run("the launcher below reaperd exec dies", func(t *testing.T) {
			line := w.supervised("300ms", "env", envPlay+"=launcher", w.program("launcher"), "env", envPlay+"=obedient", w.program("mcp-server-test"))
			s := w.start(t, "below", "", line...)
			s.await(t, "ready")
			s.asks(t, "one")
			signalled(t, playing(t, "below", "launcher"), unix.SIGKILL)
			s.asks(t, "two")
			fmt.Fprintln(s.stdin, "close")
			if got := s.await(t, "ended "); got != "137" {
				t.Errorf("exit %s, want 137: the launcher's", got)
			}
			awaitNone(t, "below")
		})
	})
}

func TestTheExitStatusAndSignalsArePassedOn(t *testing.T) {
	within(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			name, script, grace string
			signal              unix.Signal
			want                int
		}{
			{"a signal that the server handles", `trap 'exit 9' USR1; echo ready; while :; do sleep 0.05; done`, "1m", unix.SIGUSR1, 9},
			{"SIGINT", `trap 'exit 10' INT; echo ready; while :; do sleep 0.05; done`, "1m", unix.SIGINT, 10},
			{"SIGTERM that the server does not handle", `echo ready; exec sleep 1000`, "1m", unix.SIGTERM, 143},
			{"SIGTERM that it ignores: killed at the end of the grace", `trap '' TERM; echo ready; while :; do sleep 0.05; done`, "300ms", unix.SIGTERM, 137},
		} {
			s := w.start(t, "signals", "none", w.supervised(c.grace, "sh", "-c", c.script)...)
			s.await(t, "ready")
			signalled(t, s.supervisor, c.signal)
			if got := s.await(t, "ended "); got != strconv.Itoa(c.want) {
				t.Errorf("%s: exit %s, want %d", c.name, got, c.want)
			}
			s.kill()
			awaitNone(t, "signals")
		}
	})
}

func TestAnEndOfInputEndsTheServerWithinTheGrace(t *testing.T) {
	within(t, func(t *testing.T, w *world) {
		s := w.start(t, "closed", "stubborn", w.supervised("300ms")...)
		s.await(t, "ready")
		fmt.Fprintln(s.stdin, "close")
		if got := s.await(t, "ended "); got != "137" {
			t.Errorf("exit %s, want 137: it ignores everything", got)
		}
		awaitNone(t, "closed")
	})
}

// TestWithoutAnotherEndOfStdinTheParentDecides has /dev/null for stdin.
func TestWithoutAnotherEndOfStdinTheParentDecides(t *testing.T) {
	within(t, func(t *testing.T, w *world) {
		script := strings.Join(w.supervised("300ms", "sh", "-c", "echo ready; exec sleep 1000"), " ")
		script = strings.Replace(script, "sh -c echo ready; exec sleep 1000", "sleep 1000", 1)
		s := w.start(t, "null", "none", "sh", "-c", script+" </dev/null & echo ready; wait")
		s.await(t, "ready")
		playing(t, "null", "sleep")
		signalled(t, s.supervisor, unix.SIGKILL) // the shell
		awaitNone(t, "null")
	})
}

func TestAPersonsBrowserIsLeft(t *testing.T) {
	within(t, func(t *testing.T, w *world) {
		s := w.start(t, "login", "login", w.supervised("300ms")...)
		s.await(t, "ready")
		browser := playing(t, "login", "firefox")
		s.kill()
		farm.Eventually(t, "all but the browser has ended", func() bool {
			left := players(t, "login")
			return len(left) == 1 && left[0] == browser
		})
		signalled(t, browser, unix.SIGKILL)
	})
}

// TestADelegatedCgroupIsUsedAndRemoved marks a group as systemd does for root.
func TestADelegatedCgroupIsUsedAndRemoved(t *testing.T) {
	within(t, func(t *testing.T, w *world) {
		group := delegatedGroup(t)
		if group == "" {
			t.Skip("left out: no cgroup of version 2 can be made here")
		}
		script := fmt.Sprintf("echo 0 > %s/cgroup.procs && exec %s", group, strings.Join(w.supervised("300ms"), " "))
		s := w.start(t, "group", "stubborn", "sh", "-c", script)
		s.await(t, "ready")
		playing(t, "group", "chromium")
		below, err := filepath.Glob(group + "/reaperd-exec-*")
		if err != nil || len(below) != 1 {
			t.Fatalf("groups: %q %v", below, err)
		}
		members, err := os.ReadFile(below[0] + "/cgroup.procs")
		if err != nil || bytes.Count(members, []byte("\n")) < count {
			t.Errorf("members: %q %v", members, err)
		}
		s.kill()
		awaitNone(t, "group")
		farm.Eventually(t, "the group is removed", func() bool {
			_, err := os.Stat(below[0])
			return os.IsNotExist(err)
		})
	})
}

func delegatedGroup(t *testing.T) string {
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		var stat unix.Statfs_t
		if unix.Statfs(root, &stat) != nil || stat.Type != unix.CGROUP2_SUPER_MAGIC {
			continue
		}
		group := filepath.Join(root, "reaperd-test-"+strconv.Itoa(os.Getpid())+"-"+filepath.Base(t.TempDir()))
		if os.Mkdir(group, 0o755) != nil || unix.Setxattr(group, "trusted.delegate", []byte("1"), 0) != nil {
			return ""
		}
		t.Cleanup(func() {
			farm.Eventually(t, "the test's group is removed", func() bool { return unix.Rmdir(group) == nil })
		})
		return group
	}
	return ""
}

// TestItStaysSmallAndStartsFirst holds what makes it cheap: it runs before the
// daemon's libraries are initialised, and gives back what its start took.
func TestItStaysSmallAndStartsFirst(t *testing.T) {
	within(t, func(t *testing.T, w *world) {
		command := exec.CommandContext(t.Context(), farm.Program("reaperd"), "exec", "--", "true")
		command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		trace, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, trace)
		}
		for _, late := range []string{"github.com/prometheus/client_golang/prometheus", "github.com/docker/docker/client", "net/http"} {
			if bytes.Contains(trace, []byte("init "+late+" ")) {
				t.Errorf("%s is initialised before reaperd exec runs", late)
			}
		}
		if bytes := initialised(t, string(trace)); bytes > maxInitialised {
			t.Errorf("%d bytes are initialised before reaperd exec runs, want at most %d: a library or a table of ours fills itself at the start", bytes, maxInitialised)
		}
		s := w.start(t, "small", "obedient", w.supervised("300ms")...)
		s.await(t, "ready")
		const limit = 3 << 10 // KiB
		var resident int
		farm.Eventually(t, fmt.Sprintf("at most %d KiB are resident", limit), func() bool {
			resident = residentOf(t, s.supervisor)
			return resident <= limit
		})
		farm.Figure(t, "reaperd exec has %d KiB of resident memory while it waits", resident)
		s.asks(t, "still there")
	})
}

// maxInitialised is how much may be put on the heap before reaperd exec runs, by
// the runtime's own account of it; half of it is what cmdline's tables take.
const maxInitialised = 384 << 10

// initialised sums up what GODEBUG=inittrace=1 says of each package:
// "init os @1.3 ms, 0.024 ms clock, 464 bytes, 9 allocs".
func initialised(t *testing.T, trace string) (sum int) {
	t.Helper()
	for line := range strings.Lines(trace) {
		var name string
		var at, clock float64
		var size int
		if n, _ := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes", &name, &at, &clock, &size); n == 4 {
			sum += size
		}
	}
	if sum == 0 {
		t.Fatalf("the runtime tells nothing of what it initialises:\n%s", trace)
	}
	return sum
}

func residentOf(t *testing.T, pid int) (kib int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			return kib
		}
	}
	t.Fatalf("process %d: no resident memory", pid)
	return 0
}
