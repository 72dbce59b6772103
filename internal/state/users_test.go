package state

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// atOnce asks of a file system that answers.
func atOnce(_ User, read func() ([]Pin, error)) ([]Pin, error) { return read() }

func TestAUserWhoseHomeDoesNotAnswerKeepsEverythingOfTheirs(t *testing.T) {
	silent := func(User, func() ([]Pin, error)) ([]Pin, error) { return nil, errors.New("no answer") }
	isPinned, err := PinnedByUsers([]User{{1000, freshDir(t)}}, "boot-1", noon, silent)
	if err == nil {
		t.Error("nobody is told")
	}
	if pin, kept := isPinned(tree(1000, inventory.ID{PID: 56, Start: 100})); !kept || !strings.Contains(pin.Why, "no answer") {
		t.Errorf("kept %v: %q", kept, pin.Why)
	}
	if _, kept := isPinned(tree(1001, inventory.ID{PID: 57, Start: 100})); kept {
		t.Error("a home that hangs keeps what is another user's")
	}
}

// The own user stands for a user of the host: its files are really its own.
func TestUsersPinsHoldForTheirOwnProcesses(t *testing.T) {
	me, stranger := os.Geteuid(), os.Geteuid()+1
	mine := tree(me, inventory.ID{PID: 56, Start: 100})
	theirs := tree(stranger, inventory.ID{PID: 57, Start: 100})
	nobodys := tree(me, inventory.ID{PID: 56, Start: 100})
	nobodys.UID = inventory.Unreadable[int]()
	ofMine := container(full)
	ofMine.Runner = mine.ID

	d := freshDir(t)
	mustPin(t, d, PinOf(mine, "boot-1"), PinOf(theirs, "boot-1"), PinOf(container(full), "boot-1"))
	isPinned, err := PinnedByUsers([]User{{me, d}, {stranger, freshDir(t)}}, "boot-1", noon, atOnce)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		target *graph.Target
		want   bool
	}{
		{"their own tree", mine, true},
		{"another user's tree that they pinned", theirs, false},
		{"their own tree, which nobody pinned", tree(me, inventory.ID{PID: 99, Start: 1}), false},
		{"a tree whose user could not be told", nobodys, true},
		{"the container of their pinned runner", ofMine, true},
		{"a container that they pinned by its id", container(full), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if pin, got := isPinned(c.target); got != c.want || got == (pin.Why == "") {
				t.Errorf("pinned %v (%q), want %v", got, pin.Why, c.want)
			}
		})
	}
}

func TestAUsersBrokenFileKeepsWhatIsTheirsAndNothingElse(t *testing.T) {
	me, stranger := os.Geteuid(), os.Geteuid()+1
	d := freshDir(t)
	mustPin(t, d, Pin{ID: "1:1"})
	if err := os.WriteFile(d.path(pinsFile), []byte("{"), privateFile); err != nil {
		t.Fatal(err)
	}
	isPinned, err := PinnedByUsers([]User{{me, d}}, "boot-1", noon, atOnce)
	if err == nil {
		t.Error("nobody is told")
	}
	if pin, kept := isPinned(tree(me, inventory.ID{PID: 56, Start: 100})); !kept || !strings.Contains(pin.Why, d.path(pinsFile)) {
		t.Errorf("kept %v: %q", kept, pin.Why)
	}
	if _, kept := isPinned(tree(stranger, inventory.ID{PID: 57, Start: 100})); kept {
		t.Error("a user's broken file keeps what is another's")
	}
}

func TestAFileInAUsersDirectoryThatIsNotTheirsIsNotBelieved(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: a file of another user has to be made")
	}
	d := freshDir(t)
	mustPin(t, d, PinOf(tree(1000, inventory.ID{PID: 56, Start: 100}), "boot-1"))
	if err := os.Chown(d.path(pinsFile), 1001, 1001); err != nil {
		t.Fatal(err)
	}
	if _, err := PinnedByUsers([]User{{1000, d}}, "boot-1", noon, atOnce); err == nil || !strings.Contains(err.Error(), "another user's") {
		t.Errorf("got %v", err)
	}
}

func TestUserDirIsWhereAUsersToolWrites(t *testing.T) {
	if got := UserDir("/home/dev"); got != "/home/dev/.local/state/reaperd" {
		t.Errorf("got %s", got)
	}
}

// The own user stands for a user of the host, and a child of this test for that user's daemon.
func TestAUsersDaemonIsAProcessOfThatUserWhichHoldsTheLock(t *testing.T) {
	me := os.Geteuid()
	pid := 0
	hold := func(t *testing.T, d Dir) { pid = startHolder(t, d).Process.Pid }
	rewrite := func(text string) func(*testing.T, Dir) {
		return func(t *testing.T, d Dir) {
			hold(t, d)
			if err := os.WriteFile(d.path(daemonLock), []byte(text), privateFile); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, row := range []struct {
		world   string
		prepare func(*testing.T, Dir)
		uid     int
		want    bool
	}{
		{"it runs", hold, me, true},
		{"nothing was ever there", func(*testing.T, Dir) {}, me, false},
		{"another user's process holds the lock", hold, me + 1, false},
		{"it has ended, and its lock's file stays", func(t *testing.T, d Dir) {
			hold(t, d)
			if err := os.Rename(d.path(daemonLock), d.path("moved")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(d.path(daemonLock), fmt.Appendf(nil, `{"pid":%d}`, pid), privateFile); err != nil {
				t.Fatal(err)
			}
		}, me, false},
		{"the file names the first process", rewrite(`{"pid":1}`), me, false},
		{"the file names nobody", rewrite(`{}`), me, false},
		{"the file is no daemon's", rewrite("no signature"), me, false},
		{"the file is a FIFO", func(t *testing.T, d Dir) {
			if err := d.make(); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(d.path(daemonLock), 0o600); err != nil {
				t.Fatal(err)
			}
		}, me, false},
		{"the file is a link", func(t *testing.T, d Dir) {
			hold(t, d)
			if err := os.Rename(d.path(daemonLock), d.path("moved")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("moved", d.path(daemonLock)); err != nil {
				t.Fatal(err)
			}
		}, me, false},
	} {
		t.Run(row.world, func(t *testing.T) {
			d := freshDir(t)
			row.prepare(t, d)
			daemon, runs := User{UID: row.uid, Dir: d}.Daemon()
			if runs != row.want || runs && daemon.PID != pid {
				t.Errorf("%+v, %v", daemon, runs)
			}
		})
	}
}
