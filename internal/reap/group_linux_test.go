package reap

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/test/eventually"
)

// groupOf makes a control group of version 2 for one test, as `reaperd exec` makes one for
// its server, or with another name. Where none can be made the test is left out; that the
// right group is found is tested in any case.
func groupOf(t *testing.T, name string) cgroup {
	t.Helper()
	mount := ""
	for _, place := range unified() {
		if _, err := os.Stat(filepath.Join(place, "cgroup.controllers")); err == nil {
			mount = place
		}
	}
	if mount == "" || os.Getuid() != 0 {
		t.Skip("left out, a tree in a control group of its own: no version 2 is mounted here, or it needs root")
	}
	group := cgroup(filepath.Join(mount, fmt.Sprintf("%s%d%d", name, os.Getpid(), time.Now().UnixNano())))
	if err := os.Mkdir(string(group), 0o755); err != nil {
		t.Skipf("left out, a tree in a control group of its own: %v", err)
	}
	t.Cleanup(func() {
		_ = group.kill()
		eventually.Holds(t, "the control group is empty", func() bool { return os.Remove(string(group)) == nil })
	})
	if !group.canKill() {
		t.Skip("left out, a tree in a control group of its own: this kernel has no cgroup.kill")
	}
	return group
}

func groupOfExec(t *testing.T) cgroup { return groupOf(t, "reaperd-exec-") }

// start starts a script in the group.
func (c cgroup) start(t *testing.T, script string, sleeps int) *world {
	t.Helper()
	return start(t, script, sleeps, func(cmd *exec.Cmd) {
		folder, err := os.Open(string(c))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { folder.Close() })
		cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(folder.Fd())}
	})
}

// On TERM it forks twice into a session of its own, without anything of its stdio,
// and ends: no process table shows where that came from, the control group does.
func forksAway(m, ready string) string {
	return `trap 'setsid /bin/sh -c "(echo > ` + ready + `; exec sleep ` + m + `) </dev/null >/dev/null 2>&1 &"; while ! [ -e ` + ready + ` ]; do :; done; exit' TERM; sleep 60 & while :; do wait; done`
}

func TestNothingLeavesTheControlGroupThatExecMade(t *testing.T) {
	group := groupOfExec(t)
	m := mark(t, 63, 1)
	w := group.start(t, forksAway(m, t.TempDir()+"/ready"), 1)
	act := w.act("a")
	wantResults(t, reaper(patient).Execute(t.Context(), []Act{act}), "a=killed")
	wantGone(t, act.Members)
	if left := marked(t, m); len(left) > 0 {
		t.Errorf("%v left the tree and lives", left)
	}
}

// TestWhatAnotherControlGroupGainsIsNotKilled has a tree alone in the group of a unit, of which
// a new run starts there while the tree has its grace.
func TestWhatAnotherControlGroupGainsIsNotKilled(t *testing.T) {
	for _, row := range []struct {
		name  string
		group func(t *testing.T) cgroup
	}{
		{"a unit's", func(t *testing.T) cgroup { return groupOf(t, "reaperd-test-unit-") }},
		{"one with the name of exec's, of another user", func(t *testing.T) cgroup {
			group := groupOfExec(t)
			if err := os.Chown(string(group), 61001, 61001); err != nil {
				t.Fatal(err)
			}
			return group
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			group := row.group(t)
			ready, wait := readyFile(t)
			w := group.start(t, `trap "" TERM; sleep 60 & `+ready+`while :; do wait; done`, 1)
			wait()
			act := w.act("a")
			var next *world
			r := reaper(Options{Grace: time.Second})
			r.Kernel = watching{meet: func(signal unix.Signal) {
				if signal == unix.SIGTERM && next == nil {
					next = group.start(t, "sleep 60 & wait", 1)
				}
			}}
			wantResults(t, r.Execute(t.Context(), []Act{act}), "a=killed")
			wantGone(t, act.Members)
			wantUntouched(t, next.members())
		})
	}
}

func TestAControlGroupWithAStrangerInItIsNotKilled(t *testing.T) {
	group := groupOfExec(t)
	stranger := group.start(t, "sleep 60 & wait", 1)
	w := group.start(t, `trap "" TERM; sleep 60 & while :; do wait; done`, 1)
	act := w.act("a")
	wantResults(t, reaper(quick).Execute(t.Context(), []Act{act}), "a=killed")
	wantGone(t, act.Members)
	wantUntouched(t, stranger.members())
}

func TestAControlGroupThatGainsWhatMustStayIsNotKilled(t *testing.T) {
	group := groupOfExec(t)
	w := group.start(t, `trap "" TERM; sleep 60 & while :; do wait; done`, 1)
	guest := start(t, "sleep 60 & wait", 1)
	act := w.act("a")
	r := reaper(patient)
	r.Untouchable = func(id inventory.ID) bool { return id == guest.root }
	tree := r.newRun([]Act{act}).newTree(&act)
	defer tree.release()
	if err := errors.Join(tree.open(), tree.freeze(t.Context())); err != nil {
		t.Fatal(err)
	}
	tree.findGroup()
	if tree.group != group {
		t.Fatalf("its group is %q, want %q", tree.group, group)
	}
	joins := os.WriteFile(group.file("cgroup.procs"), []byte(strconv.Itoa(guest.root.PID)), 0)
	if err := errors.Join(joins, tree.kill(t.Context())); err != nil {
		t.Fatal(err)
	}
	wantGone(t, act.Members)
	wantUntouched(t, guest.members())
}

// TestNoControlGroupIsLeftFrozen kills the reaper at one of its readings of the table, while a
// process that has left the tree, and that no plan names, is alone in the tree's group.
func TestNoControlGroupIsLeftFrozen(t *testing.T) {
	broken := true
	for number := 1; broken; number++ {
		group := groupOfExec(t)
		w := group.start(t, forksAway(mark(t, 64, number), t.TempDir()+"/ready"), 1)
		broken = w.diesAt(0, number)
		if !alive(t, w.root) {
			_ = w.cmd.Wait() // as its parent would
		}
		if _, err := reaper(quick).Continue([]inventory.ID{w.root}); err != nil {
			t.Fatal(err)
		}
		frozen, err := os.ReadFile(group.file("cgroup.freeze"))
		if err != nil || strings.TrimSpace(string(frozen)) != "0" {
			t.Errorf("killed at reading %d: the group is frozen: %q, %v", number, frozen, err)
		}
		endAll(t, w.members())
	}
}
