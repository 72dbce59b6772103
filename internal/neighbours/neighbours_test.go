package neighbours

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/state"
)

// TestMain is also the daemon of a user: a child that holds the lock of a state directory.
func TestMain(m *testing.M) {
	dir := os.Getenv("NEIGHBOURS_TEST_HOLD")
	if dir == "" {
		os.Exit(m.Run())
	}
	held, err := state.Dir(dir).Lock(time.Now())
	if err != nil {
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString("locked\n")
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the test ends
	_ = held.Close()
}

func hold(t *testing.T, dir state.Dir) int {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "NEIGHBOURS_TEST_HOLD="+string(dir))
	in, inErr := child.StdinPipe()
	out, outErr := child.StdoutPipe()
	if inErr != nil || outErr != nil || child.Start() != nil {
		t.Fatal("start a daemon")
	}
	t.Cleanup(func() { in.Close(); _ = child.Wait() })
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	return child.Process.Pid
}

// The user of this test plays the users of the host.
func TestTheDaemonsOfUsersAreFound(t *testing.T) {
	me := os.Geteuid()
	home := t.TempDir()
	with := state.UserDir(home)
	pid := hold(t, with)
	finder := New(time.Second, mostSilent)
	got := finder.daemonsOf([]state.User{{UID: me, Dir: with}, {UID: me, Dir: state.UserDir(t.TempDir())}, {UID: me + 1, Dir: with}})
	if len(got) != 1 || got[0].PID != pid || got[0].UID != me || got[0].StateDir != string(with) || got[0].User != state.UserName(me) {
		t.Errorf("got %+v", got)
	}
}

// A FIFO in the place of the lock, or of a folder above it, blocks nobody.
func TestAHostileHomeHidesItsOwnDaemonAndNoOther(t *testing.T) {
	me := os.Geteuid()
	hostile, other := t.TempDir(), state.UserDir(t.TempDir())
	if err := os.MkdirAll(filepath.Join(hostile, ".local"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(hostile, ".local", "state"), 0o600); err != nil {
		t.Fatal(err)
	}
	pid := hold(t, other)
	users := []state.User{{UID: me, Dir: state.UserDir(hostile)}, {UID: me, Dir: other}}
	finder := New(time.Second, mostSilent)
	if got := finder.daemonsOf(users); len(got) != 1 || got[0].PID != pid {
		t.Errorf("got %+v", got)
	}
}

// TestWhatAUserHasPinnedSinceALookIsKnown by the time of the file, which a user may set to any other.
func TestWhatAUserHasPinnedSinceALookIsKnown(t *testing.T) {
	look := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	now := look.Add(20 * time.Second)
	user := state.User{UID: os.Getuid(), Dir: state.Dir(t.TempDir())}
	f := New(time.Second, 1)
	if f.havePinnedSince([]state.User{user}, look, now) {
		t.Error("nothing was ever pinned")
	}
	if err := user.Dir.Pin("boot", look, state.Pin{ID: "7:1", Name: "git"}); err != nil {
		t.Fatal(err)
	}
	for changed, want := range map[time.Time]bool{look.Add(-time.Second): false, look.Add(time.Second): true, now.Add(time.Hour): false} {
		if err := os.Chtimes(filepath.Join(string(user.Dir), "pins.json"), changed, changed); err != nil {
			t.Fatal(err)
		}
		if got := f.havePinnedSince([]state.User{user}, look, now); got != want {
			t.Errorf("changed at %s: %v", changed, got)
		}
	}
}
