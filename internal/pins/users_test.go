package pins

import (
	"errors"
	"slices"
	"strings"
	"testing"

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
		{"of a container", []state.Pin{{ID: strings.Repeat("ab", 32)}}, nil, ""},
		{"they cannot be read", nil, errors.New("it is damaged"), "note: what 4000000000 has pinned cannot be read, so all that 4000000000 runs is kept: it is damaged"},
	} {
		users := now.ofUsers([]neighbours.Pinned{{User: state.User{UID: dev}, Pins: row.pins, Err: row.err}})
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
