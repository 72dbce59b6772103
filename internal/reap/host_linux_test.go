package reap

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/procstat"
	"github.com/reaperd/reaperd/test/eventually"
)

// The test binary runs itself again as what childEnv says. As root all tests run
// in a PID namespace of their own: whatever goes wrong, nothing outside is hit and
// nothing stays behind. As another user they run on plain children.
const (
	childEnv   = "REAP_TEST_CHILD"
	sandboxEnv = "REAP_TEST_SANDBOX"
)

// noSandbox is the exit status of an init that could not set up its namespace.
const noSandbox = 125

func TestMain(m *testing.M) {
	if mode := os.Getenv(childEnv); mode != "" {
		os.Exit(child(mode))
	}
	if os.Getuid() == 0 && os.Getenv(sandboxEnv) == "" {
		if code := runInSandbox(); code != noSandbox {
			os.Exit(code)
		}
	}
	os.Exit(m.Run())
}

func child(mode string) int {
	switch mode {
	case "init":
		return sandboxInit()
	case "headless":
		return headless()
	case "dying":
		return dying(os.Getenv("REAP_TEST_TARGET"))
	case "reap":
		return reapAsUser(os.Getenv("REAP_TEST_TARGET"))
	}
	return 2
}

// self is this test binary once more, also where another user may not walk to it.
func self(mode string, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), childEnv+"="+mode)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}

// runInSandbox runs the tests below an init of their own.
func runInSandbox() int {
	runtime.LockOSThread() // the death signal is tied to the thread
	cmd := self("init", os.Args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS, Pdeathsig: unix.SIGKILL}
	if err := cmd.Run(); cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "no PID namespace, tests run on plain children:", err)
		return noSandbox
	}
	return cmd.ProcessState.ExitCode()
}

// sandboxInit is the namespace's first process: it mounts its /proc, runs the
// tests and waits for orphans.
func sandboxInit() int {
	err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), unix.Mount("proc", "/proc", "proc", 0, ""))
	if err != nil {
		fmt.Fprintln(os.Stderr, "no /proc of its own, tests run on plain children:", err)
		return noSandbox
	}
	tests := exec.Command("/proc/self/exe", os.Args[1:]...)
	tests.Env = append(os.Environ(), childEnv+"=", sandboxEnv+"=1")
	tests.Stdout, tests.Stderr = os.Stdout, os.Stderr
	if err := tests.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		if pid == tests.Process.Pid && status.Exited() {
			return status.ExitStatus()
		}
		if pid == tests.Process.Pid && status.Signaled() {
			return 1
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return 1
		}
	}
}

// headless is a process whose leading thread has exited and whose others live on.
func headless() int {
	for {
		go func() {
			runtime.LockOSThread()
			if unix.Gettid() == os.Getpid() {
				_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0) // this thread alone
			}
			select {}
		}()
		<-time.After(time.Millisecond)
	}
}

// host is the process table of the machine, or of the namespace.
type host struct{}

func (host) Table() ([]inventory.Row, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var table []inventory.Row
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		s, err := procstat.Parse(stat)
		if err != nil {
			return nil, err
		}
		table = append(table, inventory.Row{ID: inventory.ID{PID: pid, Start: s.Start}, PPID: s.PPID, State: s.State, SID: s.SID})
	}
	return table, nil
}

// table is the process table now.
func hostTable(t *testing.T) *table {
	t.Helper()
	now, err := (&tables{source: host{}}).fresh()
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// state is the process's state, 0 when it has ended.
func state(t *testing.T, id inventory.ID) byte {
	t.Helper()
	row := hostTable(t).rows[id.PID]
	if row.ID != id {
		return 0
	}
	return row.State
}

func alive(t *testing.T, id inventory.ID) bool {
	t.Helper()
	s := state(t, id)
	return s != 0 && s != 'Z' && s != 'X'
}

// world is one tree of real processes.
type world struct {
	t    *testing.T
	cmd  *exec.Cmd
	root inventory.ID
}

// start starts a shell that runs the script, and waits until so many sleeps run
// below it: a shell that was only forked still has its parent's traps, and would
// swallow a signal. All of it is ended with the test.
func start(t *testing.T, script string, sleeps int, adjust ...func(*exec.Cmd)) *world {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	for _, change := range adjust {
		change(cmd)
	}
	return startCommand(t, cmd, sleeps)
}

func startCommand(t *testing.T, cmd *exec.Cmd, sleeps int) *world {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, cmd: cmd}
	t.Cleanup(func() { endAll(t, w.members()); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	w.root = hostTable(t).rows[cmd.Process.Pid].ID
	if w.root.IsZero() {
		t.Fatalf("process %d ended at once", cmd.Process.Pid)
	}
	eventually.Holds(t, fmt.Sprintf("%d sleeps run below %q", sleeps, cmd.Args), func() bool { return w.sleeps() >= sleeps })
	return w
}

// sleeps counts the descendants that run sleep(1) by now.
func (w *world) sleeps() int {
	n := 0
	for _, id := range w.members()[1:] {
		comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", id.PID))
		if string(comm) == "sleep\n" {
			n++
		}
	}
	return n
}

// members are the root and its descendants now, parents before children.
func (w *world) members() []inventory.ID {
	now := hostTable(w.t)
	ids := []inventory.ID{w.root}
	for i := 0; i < len(ids); i++ {
		for _, row := range now.children[ids[i].PID] {
			if row.State != 'Z' {
				ids = append(ids, row.ID)
			}
		}
	}
	return ids
}

// act is what would end this world.
func (w *world) act(id string) Act {
	return Act{ID: id, TargetID: w.root.String(), Kind: "server", Root: w.root, Members: w.members()}
}

// endAll kills what a test left behind.
func endAll(t *testing.T, ids []inventory.ID) {
	t.Helper()
	handles := map[inventory.ID]handle{}
	for _, id := range ids {
		if h, err := openHandle(id.PID); err == nil {
			defer h.Close()
			handles[id] = h
		}
	}
	now := hostTable(t)
	for id, h := range handles {
		if now.has(id) {
			_ = h.Signal(unix.SIGKILL)
		}
	}
}

// readyFile is a script's word that its traps are set, and a wait for it.
func readyFile(t *testing.T) (script string, wait func()) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ready")
	return "echo > " + file + "; ", func() {
		t.Helper()
		eventually.Holds(t, "the script is ready", func() bool {
			_, err := os.Stat(file)
			return err == nil
		})
	}
}

// marked are the live processes that have the mark in their arguments, but shells.
func marked(t *testing.T, mark string) []inventory.ID {
	t.Helper()
	var ids []inventory.ID
	for pid, row := range hostTable(t).rows {
		argv, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && bytes.Contains(argv, []byte(mark)) && !bytes.Contains(argv, []byte("-c\x00")) {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

// mark is a duration for sleep(1) that no other process has in its arguments.
func mark(t *testing.T, seconds, number int) string {
	m := fmt.Sprintf("%d.%d%d", seconds, os.Getpid(), number)
	t.Cleanup(func() { endAll(t, marked(t, m)) })
	return m
}

// wantGone checks that none of them lives.
func wantGone(t *testing.T, ids []inventory.ID) {
	t.Helper()
	for _, id := range ids {
		if alive(t, id) {
			t.Errorf("process %s lives on", id)
		}
	}
}

// wantUntouched checks that all of them live and none is stopped.
func wantUntouched(t *testing.T, ids []inventory.ID) {
	t.Helper()
	for _, id := range ids {
		if !alive(t, id) {
			t.Errorf("process %s was ended", id)
		}
		eventually.Holds(t, fmt.Sprintf("process %s runs", id), func() bool { return state(t, id) != 'T' })
	}
}

// inSandbox tells whether the tests have a PID namespace of their own.
func inSandbox() bool { return os.Getenv(sandboxEnv) != "" }
