package graph

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestACopyCountsOnceForTheServerThatItReplaces(t *testing.T) {
	gateway, other := inventory.ID{PID: 50, Start: 200}, inventory.ID{PID: 60, Start: 300}
	reaped := func(target string) Reaped {
		return Reaped{Owner: gateway, Target: target, Name: "fetch", From: noon.Add(-time.Second), Until: noon}
	}
	server := func(id string, of inventory.ID, name string, after time.Duration) *Target {
		return &Target{ID: id, Name: name, Owner: Owner{ID: of}, Root: &inventory.Process{StartedAt: noon.Add(after)}}
	}
	for _, world := range []struct {
		says    string
		reaped  []Reaped
		servers []*Target
		want    int
	}{
		{"nothing was reaped", nil, []*Target{server("1", gateway, "fetch", time.Second)}, 0},
		{"a copy a second later", []Reaped{reaped("a")}, []*Target{server("1", gateway, "fetch", time.Second)}, 1},
		{"a copy that began while the act went on", []Reaped{reaped("a")}, []*Target{server("1", gateway, "fetch", -time.Millisecond)}, 1},
		{"an older copy", []Reaped{reaped("a")}, []*Target{server("1", gateway, "fetch", -time.Minute)}, 0},
		{"a copy after the window", []Reaped{reaped("a")}, []*Target{server("1", gateway, "fetch", time.Minute+time.Second)}, 0},
		{"another gateway's", []Reaped{reaped("a")}, []*Target{server("1", other, "fetch", time.Second)}, 0},
		{"a server of another name", []Reaped{reaped("a")}, []*Target{server("1", gateway, "time", time.Second)}, 0},
		{"two copies for one that was reaped", []Reaped{reaped("a")}, []*Target{server("1", gateway, "fetch", time.Second), server("2", gateway, "fetch", time.Second)}, 1},
		{"one copy for two that were reaped", []Reaped{reaped("a"), reaped("b")}, []*Target{server("1", gateway, "fetch", time.Second)}, 1},
	} {
		now := inventory.Moment{At: noon.Add(2 * time.Second)}
		copies := respawns(nil).next(now, world.reaped, world.servers)
		if got := copies.of(gateway); got != world.want {
			t.Errorf("%s: %d, want %d", world.says, got, world.want)
		}
		if again := copies.next(now, world.reaped, world.servers).of(gateway); again != world.want {
			t.Errorf("%s: %d at the next look, want %d", world.says, again, world.want)
		}
	}
}

func TestACopyCountsForTheTimeOfTheMemory(t *testing.T) {
	gateway := inventory.ID{PID: 50, Start: 200}
	copies := respawns(nil).next(inventory.Moment{At: noon},
		[]Reaped{{Owner: gateway, Target: "a", Name: "fetch", From: noon.Add(-2 * time.Second), Until: noon.Add(-time.Second)}},
		[]*Target{{ID: "1", Name: "fetch", Owner: Owner{ID: gateway}, Root: &inventory.Process{StartedAt: noon.Add(-time.Millisecond)}}})
	for _, row := range []struct {
		after time.Duration
		want  int
	}{{0, 1}, {ReapedMemory, 1}, {ReapedMemory + time.Second, 0}} {
		if got := copies.next(inventory.Moment{At: noon.Add(row.after)}, nil, nil).of(gateway); got != row.want {
			t.Errorf("%s later: %d, want %d", row.after, got, row.want)
		}
	}
}
