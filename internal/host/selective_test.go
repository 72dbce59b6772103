package host

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/matters"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/test/selection"
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
		// Where a busy machine did not let the arguments be read in time, one look knows
		// more than the other.
		seen.Processes = slices.DeleteFunc(seen.Processes, func(p inventory.Process) bool { return p.Argv == nil })
		return seen
	}
	whole, selective := open(false), open(true)
	for range 2 {
		before, listed, after := look(whole), ids(look(selective)), look(whole)
		known := Catalogue(&policy.Policy{})
		rule := matters.NewRule(known, nil)
		matter := ids(selection.Of(before, known, rule.After(nil)))
		later := ids(selection.Of(after, known, rule.After(nil)))
		for id, p := range later {
			was, known := matter[id]
			changed := known && (hasChanged(was, p) || !slices.Equal(below(matter, id), below(later, id)))
			if known && !changed && listed[id] == nil {
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
	return before.Comm != after.Comm || before.PPID != after.PPID || !slices.Equal(before.Argv, after.Argv)
}

// below are the processes below one, in order: it may matter for one that has ended, and
// again for another that was started since.
func below(all map[inventory.ID]*inventory.Process, id inventory.ID) []int {
	byPID := map[int]*inventory.Process{}
	for _, p := range all {
		byPID[p.PID] = p
	}
	var found []int
	for _, p := range all {
		for above := byPID[p.PPID.Or(0)]; above != nil && above != byPID[above.PPID.Or(0)]; above = byPID[above.PPID.Or(0)] {
			if above.ID() == id {
				found = append(found, p.PID)
				break
			}
		}
	}
	slices.Sort(found)
	return found
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
