package state

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// stranger is another user than the one of this test.
const stranger = 4_000_111

func pinnedIn(t *testing.T, d Dir, target *graph.Target) (graph.Pin, bool) {
	t.Helper()
	isPinned, _ := d.Pinned("boot-1", noon)
	return isPinned(target)
}

// TestWhatAUserAsksForIsAboutThatUsersThings: root's daemon keeps the wishes of all.
func TestWhatAUserAsksForIsAboutThatUsersThings(t *testing.T) {
	mine, others := inventory.ID{PID: 56, Start: 100}, inventory.ID{PID: 57, Start: 100}
	for _, row := range []struct {
		world  string
		asks   func(Dir) error
		target *graph.Target
		want   string // the beginning of why; empty: not kept
	}{
		{"a pin of one's own", pinAs(Pin{ID: mine.String()}), tree(stranger, mine), "reaperd pin of 4000111 keeps it"},
		{"the number of another's", pinAs(Pin{ID: others.String()}), tree(1000, others), ""},
		{"what is a part of both", pinAs(Pin{ID: "1:1", Members: []string{others.String()}}), tree(1000, others), ""},
		{"a process whose user is not known", pinAs(Pin{ID: mine.String()}), withoutUser(tree(0, mine)), "reaperd pin of 4000111 keeps it"},
		{"a container", pinAs(Pin{ID: full}), container(full), "reaperd pin of 4000111 keeps it"},
		{"a pause", pauseAs(Pause{Until: noon.Add(time.Hour), Reason: "a demo"}), tree(stranger, mine), "paused by 4000111 until"},
		{"a pause, and what is another's", pauseAs(Pause{}), tree(1000, others), ""},
		{"a pause, and a container: its docker run is kept, and so is it", pauseAs(Pause{}), container(full), ""},
		{"a pause that is over", pauseAs(Pause{Until: noon}), tree(stranger, mine), ""},
		{"pins that are damaged", damage(pinsFile), tree(stranger, mine), "what its user has asked for could not be read"},
		{"a pause that is damaged", damage(pauseFile), tree(stranger, mine), "what its user has asked for could not be read"},
		{"pins that are damaged, and what is another's", damage(pinsFile), tree(1000, others), ""},
	} {
		d := freshDir(t)
		if err := row.asks(d); err != nil {
			t.Fatal(err)
		}
		pin, kept := pinnedIn(t, d, row.target)
		if kept != (row.want != "") || !strings.HasPrefix(pin.Why, row.want) {
			t.Errorf("%s: kept %v, %+v", row.world, kept, pin)
		}
	}
}

func pinAs(pin Pin) func(Dir) error {
	return func(d Dir) error { return d.Of(stranger).Pin(stranger, "boot-1", noon, pin) }
}

func pauseAs(pause Pause) func(Dir) error {
	return func(d Dir) error { return d.Of(stranger).Pause(noon, pause) }
}

func damage(file string) func(Dir) error {
	return func(d Dir) error {
		if err := os.MkdirAll(string(d.Of(stranger)), privateDir); err != nil {
			return err
		}
		return os.WriteFile(d.Of(stranger).path(file), []byte("{"), privateFile)
	}
}

func withoutUser(t *graph.Target) *graph.Target {
	t.UID = inventory.Fact[int]{}
	return t
}

// TestWishesAreTheDaemonsFiles: only the daemon's user reads them, and they stand by themselves.
func TestWishesAreTheDaemonsFiles(t *testing.T) {
	d := freshDir(t)
	if d.Of(os.Geteuid()) != d {
		t.Error("the daemon's own wishes stand elsewhere")
	}
	if err := pinAs(Pin{ID: "56:100"})(d); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{string(d): privateDir, d.path(usersFolder): privateDir, string(d.Of(stranger)): privateDir, d.Of(stranger).path(pinsFile): privateFile} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	if users, err := d.Users(); err != nil || len(users) != 1 || users[0] != stranger {
		t.Errorf("users %v, %v", users, err)
	}
	if pins, err := d.Pins("boot-1", noon); err != nil || len(pins) != 0 {
		t.Errorf("they are the daemon's own: %v, %v", pins, err)
	}
}

// TestThereIsRoomForManyUsersAndNoMore: who has nothing pinned any more makes room.
func TestThereIsRoomForManyUsersAndNoMore(t *testing.T) {
	d := freshDir(t)
	for uid := range mostUsers {
		if err := os.MkdirAll(string(d.Of(stranger+uid)), privateDir); err != nil {
			t.Fatal(err)
		}
	}
	for uid := range mostUsers - 1 { // written as it is, for their number
		file := fmt.Sprintf(`{"version":1,"pins":[{"id":"%d:1"}]}`, uid+2)
		if err := os.WriteFile(d.Of(stranger+uid).path(pinsFile), []byte(file), privateFile); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Admit(1, noon); err != nil {
		t.Errorf("one of them has nothing pinned: %v", err)
	}
	if err := d.Of(1).Pin(1, "boot-1", noon, Pin{ID: "56:100"}); err != nil {
		t.Fatal(err)
	}
	if err := d.Admit(2, noon); err == nil || !strings.Contains(err.Error(), "1000 users") {
		t.Errorf("one more: %v", err)
	}
	if err := d.Admit(os.Geteuid(), noon); err != nil {
		t.Errorf("the daemon's own user: %v", err)
	}
	if err := d.Admit(1, noon); err != nil {
		t.Errorf("one who is there already: %v", err)
	}
}

// TestWhereADaemonMayAnswer: a named directory is a world of its own.
func TestWhereADaemonMayAnswer(t *testing.T) {
	runtime := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	t.Setenv(placeVariable, "/srv/mine")
	for _, d := range []Dir{Own(), "/srv/other"} {
		if own := filepath.Join(string(d), "reaperd.sock"); d.HostSocket() != "" || len(d.Sockets()) != 1 || d.Socket() != own {
			t.Errorf("%s: host %q, of %q, own %q", d, d.HostSocket(), d.Sockets(), d.Socket())
		}
	}
	t.Setenv(placeVariable, "")
	d := Own()
	if d.HostSocket() != hostSocket || d.Sockets()[0] != hostSocket {
		t.Errorf("a user's own: host %q, of %q", d.HostSocket(), d.Sockets())
	}
	if os.Geteuid() == 0 && d.Socket() != hostSocket || os.Geteuid() != 0 && d.Socket() != filepath.Join(runtime, "reaperd.sock") {
		t.Errorf("a user's own binds %q", d.Socket())
	}
}
