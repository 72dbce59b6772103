package pins

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/neighbours"
	"github.com/reaperd/reaperd/internal/state"
)

func TestRootIsToldOfTheUsersPinsThatHoldHere(t *testing.T) {
	const dev = 4000000000 // nobody is called so
	process := func(pid, uid int) inventory.Process {
		return inventory.Process{PID: pid, Start: 1, UID: inventory.Known(uid)}
	}
	now := processesIn("boot-1", []inventory.Process{process(21, dev), process(22, dev), process(23, 0)})
	now.addContainers(&inventory.Snapshot{
		Containers: []inventory.Container{{ID: strings.Repeat("ab", 32), State: "running"}, {ID: strings.Repeat("cd", 32), State: "running"}, {ID: strings.Repeat("ba", 32), State: "running"}},
		Sources:    []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusOK}},
	})
	for _, row := range []struct {
		world string
		pins  []state.Pin
		err   error
		want  string
	}{
		{"one of a server", []state.Pin{{ID: "21:1"}}, nil, "note: 4000000000 has 1 pin that holds here too: su 4000000000 -c 'reaperd pins'"},
		{"two, of which one has lost its root", []state.Pin{{ID: "21:1"}, {ID: "9:1", Members: []string{"9:1", "22:1"}}}, nil, "note: 4000000000 has 2 pins that hold here too: su 4000000000 -c 'reaperd pins'"},
		{"of what has ended", []state.Pin{{ID: "9:1"}}, nil, ""},
		{"of another user's process", []state.Pin{{ID: "23:1"}}, nil, ""},
		{"of a container", []state.Pin{{ID: strings.Repeat("ab", 32), Container: "gh7"}}, nil, "note: 4000000000 has pinned container gh7, which does not hold for root: reaperd pin gh7"},
		{"of two containers", []state.Pin{{ID: strings.Repeat("ab", 32), Container: "gh7"}, {ID: strings.Repeat("ba", 32), Container: "gh6"}}, nil, "note: 4000000000 has pinned containers gh7 and gh6, which does not hold for root: reaperd pin gh7 gh6"},
		{"of a container that is gone", []state.Pin{{ID: strings.Repeat("ef", 32), Container: "gh9"}}, nil, ""},
		{"of a container that root has pinned too", []state.Pin{{ID: strings.Repeat("cd", 32), Container: "gh8"}}, nil, ""},
		{"of a server and a container", []state.Pin{{ID: "21:1"}, {ID: strings.Repeat("ab", 32), Container: "gh7"}}, nil, "note: 4000000000 has 1 pin that holds here too, but not that of container gh7: su 4000000000 -c 'reaperd pins'"},
		{"they cannot be read", nil, errors.New("it is damaged"), "note: what 4000000000 has pinned cannot be read, so all that 4000000000 runs is kept: it is damaged"},
	} {
		users := now.ofUsers([]neighbours.Pinned{{User: state.User{UID: dev}, Pins: row.pins, Err: row.err}}, []state.Pin{{ID: strings.Repeat("cd", 32)}})
		if got := UserNotes(users); strings.Join(got, "\n") != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
		if said := Nothing(users); (said == "Nothing is pinned.") != (row.want == "") {
			t.Errorf("%s: %s", row.world, said)
		}
	}
	many := slices.Repeat([]UserPins{{User: "dev", Pins: 1}}, mostUsers+2)
	if got := UserNotes(many); len(got) != mostUsers+1 || got[mostUsers] != "note: 2 more users have pins that hold here" {
		t.Errorf("of many: %q", got)
	}
}

func TestAPinThatTheDaemonOfAnotherDoesNotGoByIsToldSo(t *testing.T) {
	const dev, ann = 4000000000, 4000000001 // neither is who runs this test
	target := func(pid, uid int) *graph.Target {
		return &graph.Target{ID: fmt.Sprintf("%d:1", pid), Kind: graph.KindServer, UID: inventory.Known(uid)}
	}
	container := &graph.Target{ID: strings.Repeat("ab", 32), Kind: graph.KindContainer, Container: &inventory.Container{Name: "gh1"}, Runner: "21:1"}
	session := inventory.Process{PID: 13, Start: 1, UID: inventory.Known(dev)}
	g := &graph.Graph{
		Snapshot: &inventory.Snapshot{Processes: []inventory.Process{session}},
		Targets:  []*graph.Target{target(21, dev), target(22, ann), target(23, os.Geteuid()), container},
	}
	devs, roots := beside.Daemons{{User: "dev", UID: dev, PID: 5770}}, beside.Daemons{{User: "root", PID: 6882}}
	for _, row := range []struct {
		world  string
		others beside.Daemons
		pin    state.Pin
		want   string
	}{
		{"root pins a server of dev, who has a daemon", devs, state.Pin{ID: "21:1", Name: "git"}, "note: dev's daemon (process 5770) does not go by your pin of git 21, which is another user's: su dev -c 'reaperd pin 21'"},
		{"and a session of dev", devs, state.Pin{ID: "13:1", Name: "codex"}, "note: dev's daemon (process 5770) does not go by your pin of codex 13, which is another user's: su dev -c 'reaperd pin 13'"},
		{"and a container of dev", devs, state.Pin{ID: container.ID, Container: "gh1", Name: "github"}, "note: dev's daemon (process 5770) does not go by your pin of github gh1, which is another user's: su dev -c 'reaperd pin gh1'"},
		{"and a server of ann, who has none", devs, state.Pin{ID: "22:1", Name: "git"}, ""},
		{"a user pins a server of dev beside root's daemon", roots, state.Pin{ID: "21:1", Name: "git"}, "note: root's daemon (process 6882) does not go by your pin of git 21, which is another user's: sudo reaperd pin 21"},
		{"and one's own", roots, state.Pin{ID: "23:1", Name: "git"}, ""},
		{"and a container, of which another note tells", roots, state.Pin{ID: container.ID, Container: "gh1", Name: "github"}, ""},
	} {
		if late := lateNotes(g, []state.Pin{row.pin}, row.others); len(late) > 0 {
			t.Errorf("%s: nothing is wrong with it, and %q", row.world, late)
		}
		if got := strings.Join(IgnoredNotes(g, []state.Pin{row.pin}, row.others), "\n"); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestAPinOfAnotherUsersServerIsToldToKeepNothing: this user's daemon never touches that, and the others do not go by it.
func TestAPinOfAnotherUsersServerIsToldToKeepNothing(t *testing.T) {
	const dev, ann = 4000000000, 4000000001
	server := &graph.Target{ID: "21:1", Kind: graph.KindServer, UID: inventory.Known(ann)}
	container := &graph.Target{ID: strings.Repeat("ab", 32), Kind: graph.KindContainer, Container: &inventory.Container{Name: "gh1"}, Runner: "21:1"}
	g := &graph.Graph{Snapshot: &inventory.Snapshot{}, Targets: []*graph.Target{server, container}}
	const note = "note: git 21 is another user's: only daemons of that user and of root touch it, and these do not go by this"
	for _, row := range []struct {
		world  string
		others beside.Daemons
		pin    string
		me     int
		want   string
	}{
		{"no other daemon is seen", nil, "21:1", dev, note},
		{"root's is, of which another note tells", beside.Daemons{{User: "root", PID: 6882}}, "21:1", dev, ""},
		{"one's own", nil, "21:1", ann, ""},
		{"root's pins count", nil, "21:1", 0, ""},
		{"a container, which daemons of all who reach its engine look after", nil, container.ID, dev, ""},
	} {
		if got := strings.Join(strangersNotes(g, []state.Pin{{ID: row.pin, Name: "git"}}, row.others, row.me), "\n"); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
		ended, left := "", 1
		if row.want != "" {
			ended, left = "note: git 21 is another user's: a sweep of that user or of root decides, not one of yours (sudo reaperd sweep 21)", 0
		}
		notes, others := endedStrangers(g, []state.Pin{{ID: row.pin, Name: "git"}}, row.others, row.me)
		if got := strings.Join(notes, "\n"); got != ended || len(others) != left {
			t.Errorf("%s: its end: %q, and %d left", row.world, got, len(others))
		}
	}
}

// TestAUsersPinOfAnOrphanMayComeTooLateBesideRootsDaemon, which tells nobody else what it has begun.
func TestAUsersPinOfAnOrphanMayComeTooLateBesideRootsDaemon(t *testing.T) {
	orphan := &graph.Target{ID: "23:1", Kind: graph.KindServer, UID: inventory.Known(os.Geteuid()), Finding: graph.FindingOrphaned}
	g := &graph.Graph{Snapshot: &inventory.Snapshot{}, Targets: []*graph.Target{orphan}}
	for want, others := range map[string]beside.Daemons{
		"note: root's daemon may have begun to stop git 23, and then this comes too late: sudo reaperd explain 23": {{User: "root", PID: 6882}}, "": nil,
	} {
		if got := strings.Join(LookNotes(g, []state.Pin{{ID: "23:1", Name: "git"}}, others), "\n"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
