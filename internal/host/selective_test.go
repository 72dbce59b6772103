package host

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/matters"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestASelectiveLookListsAllThatMatters: of what a look at the whole of this host
// shows before and after, a selective look lists whatever can matter to a verdict.
func TestASelectiveLookListsAllThatMatters(t *testing.T) {
	startServer(t)
	open := func(selective bool) *Host {
		h, err := Open(Options{Policy: &policy.Policy{}, Log: slog.New(slog.DiscardHandler), Selective: selective})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Close)
		return h
	}
	look := func(h *Host) *inventory.Snapshot {
		seen, err := h.Look(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	whole, selective := open(false), open(true)
	for range 2 {
		before, listed, after := look(whole), ids(look(selective)), look(whole)
		rule := matters.NewRule(Catalogue(&policy.Policy{}), nil)
		matter := ids(matters.Select(before, rule.After(nil)))
		for id, p := range ids(matters.Select(after, rule.After(nil))) {
			if before, known := matter[id]; known && listed[id] == nil && !hasChanged(before, p) {
				t.Errorf("process %s, %q below %v, matters and is left out", id, p.Argv, p.PPID)
			}
		}
		if len(matter) == 0 {
			t.Error("nothing matters here")
		}
	}
}

// hasChanged reports a process that was on its way to be something else.
func hasChanged(before, after *inventory.Process) bool {
	return before.Comm != after.Comm || before.PPID != after.PPID
}

func ids(s *inventory.Snapshot) map[inventory.ID]*inventory.Process {
	all := map[inventory.ID]*inventory.Process{}
	for i := range s.Processes {
		all[s.Processes[i].ID()] = &s.Processes[i]
	}
	return all
}

// startServer starts what goes by the name of a server, below a shell with its stdin.
func startServer(t *testing.T) {
	t.Helper()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	name := filepath.Join(t.TempDir(), "mcp-server-selective")
	if err := os.Symlink(sleep, name); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", `exec 3<&0; "$SERVER" 600 <&3 & sleep 601 <&3 & echo $!; wait`)
	cmd.Env = append(os.Environ(), "SERVER="+name)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var last int
	if _, err := fmt.Fscan(out, &last); err != nil {
		t.Fatal(err)
	}
	for argv := ""; !strings.HasPrefix(argv, "sleep"); { // the server was started before it
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", last))
		if errors.Is(err, os.ErrNotExist) {
			t.Skip("no /proc here")
		}
		argv = string(line)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // a group of its own
		_ = cmd.Wait()
	})
}
