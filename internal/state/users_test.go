package state

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// The own user stands for a user of the host: its files are really its own.
func TestUsersPinsHoldForTheirOwnProcesses(t *testing.T) {
	me, stranger := os.Geteuid(), os.Geteuid()+1
	mine := tree(me, inventory.ID{PID: 56, Start: 100})
	theirs := tree(stranger, inventory.ID{PID: 57, Start: 100})
	nobodys := tree(me, inventory.ID{PID: 56, Start: 100})
	nobodys.UID = inventory.Unreadable[int]()
	ofMine := container(full)
	ofMine.Client = mine.ID

	d := freshDir(t)
	mustPin(t, d, PinOf(mine, "boot-1"), PinOf(theirs, "boot-1"), PinOf(container(full), "boot-1"))
	isPinned, err := new(Homes).Pinned([]User{{me, d}, {stranger, freshDir(t)}}, "boot-1", noon)
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
		{"the container of their pinned client", ofMine, true},
		{"a container that they pinned by its id", container(full), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if why, got := isPinned(c.target); got != c.want || got == (why == "") {
				t.Errorf("pinned %v (%q), want %v", got, why, c.want)
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
	isPinned, err := new(Homes).Pinned([]User{{me, d}}, "boot-1", noon)
	if err == nil {
		t.Error("nobody is told")
	}
	if why, kept := isPinned(tree(me, inventory.ID{PID: 56, Start: 100})); !kept || !strings.Contains(why, d.path(pinsFile)) {
		t.Errorf("kept %v: %q", kept, why)
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
	if _, err := new(Homes).Pinned([]User{{1000, d}}, "boot-1", noon); err == nil || !strings.Contains(err.Error(), "another user's") {
		t.Errorf("got %v", err)
	}
}

func TestUserDirIsWhereAUsersToolWrites(t *testing.T) {
	if got := UserDir("/home/dev"); got != "/home/dev/.local/state/reaperd" {
		t.Errorf("got %s", got)
	}
}

// A home on a file system that never answers is known by a read that never ends.
func TestAHomeThatDoesNotAnswerCostsOnlyItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		homes, silent := &Homes{}, User{UID: 1000, Dir: Dir("/net/gone")}
		stuck := &homeRead{late: make(chan struct{}), done: make(chan struct{})}
		homes.reading = map[Dir]*homeRead{silent.Dir: stuck}
		time.AfterFunc(homeWait, func() { close(stuck.late) })
		began := time.Now()
		for range 3 {
			pinned, err := homes.Pinned([]User{silent, {UID: 1001, Dir: Dir(t.TempDir())}}, "b0", time.Now())
			if err == nil {
				t.Error("nothing is said of the home")
			}
			if _, kept := pinned(&graph.Target{UID: inventory.Known(1000)}); !kept {
				t.Error("what its user may have pinned is to be kept")
			}
			if _, kept := pinned(&graph.Target{UID: inventory.Known(1001)}); kept {
				t.Error("another user's is kept too")
			}
		}
		if took := time.Since(began); took != homeWait {
			t.Errorf("three looks waited for %s, want %s once", took, homeWait)
		}
	})
}
