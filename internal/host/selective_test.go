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
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/test/selection"
)

// TestASelectiveLookListsAllThatMatters: looks at the whole of this host show what stays as
// it is. Whatever of that can matter to a verdict, selective looks in between list. On a
// busy host one look may know of a process what another does not yet: that it has executed
// another program, or who else holds a pipe. What is left out each time is left out for good.
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
	known := Catalogue(&policy.Policy{})
	rule := graph.NewSelection(known, nil)
	leftOut := map[inventory.ID]int{} // rounds
	const rounds = 3
	for range rounds {
		before := look(whole)
		look(selective)
		listed := ids(look(selective))
		look(whole)
		matter := selection.Of(steady(before, look(whole)), known, rule.After(nil)).Processes
		if !slices.ContainsFunc(matter, isServer) {
			t.Errorf("%s is not among what matters", serverName)
		}
		for _, p := range matter {
			if listed[p.ID()] != nil {
				continue
			}
			// What an engine runs for a moment, while other tests start containers, is younger than a round.
			if leftOut[p.ID()]++; leftOut[p.ID()] == rounds && (isServer(p) || time.Since(p.StartedAt) > time.Minute) {
				t.Errorf("process %s, %q below %v, matters and is left out", p.ID(), p.Argv, p.PPID)
			}
		}
	}
}

func isServer(p inventory.Process) bool {
	return len(p.Argv) > 0 && strings.HasSuffix(p.Argv[0], serverName)
}

// steady is a look at the processes that two looks show alike, with the holders that both
// saw: what matters because of these matters at any look in between. Processes that could
// not be read in time are none of them.
func steady(before, after *inventory.Snapshot) *inventory.Snapshot {
	later, same := ids(after), *before
	same.Processes = nil
	for _, p := range before.Processes {
		q := later[p.ID()]
		if q == nil || p.Argv == nil || !slices.Equal(p.Argv, q.Argv) || p.Comm != q.Comm || p.PPID != q.PPID || p.State == "Z" != (q.State == "Z") {
			continue
		}
		stdin, isSame := steadyStream(p.Stdin, q.Stdin)
		stdout, isSameToo := steadyStream(p.Stdout, q.Stdout)
		if isSame && isSameToo {
			p.Stdin, p.Stdout, p.OpenFDs = stdin, stdout, inventory.Fact[int]{}
			same.Processes = append(same.Processes, p)
		}
	}
	return &same
}

// steadyStream is a stream with the holders that both looks saw; false if they show it
// otherwise, or one of them could not read it.
func steadyStream(before, after inventory.Fact[inventory.Stdio]) (inventory.Fact[inventory.Stdio], bool) {
	was, known := before.Get()
	is, alsoKnown := after.Get()
	if !known || !alsoKnown {
		return before, before.IsZero() && after.IsZero()
	}
	was.Holders = slices.DeleteFunc(slices.Clone(was.Holders), func(pid int) bool { return !slices.Contains(is.Holders, pid) })
	return inventory.Known(was), was.Kind == is.Kind && was.ID == is.ID && was.Peer == is.Peer
}

func ids(s *inventory.Snapshot) map[inventory.ID]*inventory.Process {
	all := map[inventory.ID]*inventory.Process{}
	for i := range s.Processes {
		all[s.Processes[i].ID()] = &s.Processes[i]
	}
	return all
}

const serverName = "mcp-server-selective"

// startServer starts what goes by the name of a server, below a shell with its stdin.
func startServer(t *testing.T) {
	t.Helper()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	name := filepath.Join(t.TempDir(), serverName)
	if err := os.Symlink(sleep, name); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", `exec 3<&0; "$SERVER" 600 <&3 & echo $!; sleep 601 <&3 & wait`)
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
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	for argv := ""; !strings.HasPrefix(argv, name); { // until then the shell's own
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
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
