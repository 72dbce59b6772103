package reap

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/test/eventually"
)

// ownGroup makes a control group of version 2 for one test. Where none can be made
// the test is left out; that the right group is found is tested in any case.
func ownGroup(t *testing.T) cgroup {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	mount := unifiedMount(string(mounts))
	if mount == "" || os.Getuid() != 0 {
		t.Skip("left out, a tree in a control group of its own: no version 2 is mounted here, or it needs root")
	}
	group := cgroup(filepath.Join(mount, fmt.Sprintf("reaperd-test-%d-%s", os.Getpid(), t.Name())))
	if err := os.Mkdir(string(group), 0o755); err != nil {
		t.Skipf("left out, a tree in a control group of its own: %v", err)
	}
	t.Cleanup(func() {
		_ = group.thaw()
		_ = group.kill()
		eventually.Holds(t, "the control group is empty", func() bool { return os.Remove(string(group)) == nil })
	})
	if !group.canKill() {
		t.Skip("left out, a tree in a control group of its own: this kernel has no cgroup.kill")
	}
	return group
}

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

func TestNothingLeavesAControlGroupOfItsOwn(t *testing.T) {
	group := ownGroup(t)
	m := mark(t, 63, 1)
	w := group.start(t, forksAway(m, t.TempDir()+"/ready"), 1)
	act := w.act("a")
	wantResults(t, reaper(patient).Execute(t.Context(), []Act{act}), "a=killed")
	wantGone(t, act.Members)
	if left := marked(t, m); len(left) > 0 {
		t.Errorf("%v left the tree and lives", left)
	}
	if frozen, err := thawFrozen(group); frozen || err != nil {
		t.Errorf("the group was left frozen: %v", err)
	}
}

func TestAControlGroupWithAStrangerInItIsNotKilled(t *testing.T) {
	group := ownGroup(t)
	stranger := group.start(t, "sleep 60 & wait", 1)
	w := group.start(t, `trap "" TERM; sleep 60 & while :; do wait; done`, 1)
	act := w.act("a")
	wantResults(t, reaper(quick).Execute(t.Context(), []Act{act}), "a=killed")
	wantGone(t, act.Members)
	wantUntouched(t, stranger.members())
}

func TestAControlGroupThatGainsWhatMustStayIsNotKilled(t *testing.T) {
	group := ownGroup(t)
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
	if err := errors.Join(group.write("cgroup.procs", strconv.Itoa(guest.root.PID)), tree.kill(t.Context())); err != nil {
		t.Fatal(err)
	}
	wantGone(t, act.Members)
	wantUntouched(t, guest.members())
}

func TestAControlGroupThatWasLeftFrozenGoesOn(t *testing.T) {
	group := ownGroup(t)
	w := group.start(t, "sleep 60 & wait", 1)
	if err := group.freeze(30 * time.Second); err != nil {
		t.Fatal(err)
	}
	continued, err := reaper(quick).Continue(w.members())
	if err != nil || len(continued) == 0 {
		t.Errorf("continued %v, %v", continued, err)
	}
	if frozen, err := thawFrozen(group); frozen || err != nil {
		t.Errorf("it is frozen still: %v", err)
	}
}
