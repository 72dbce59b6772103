package respawn

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestACopyCountsOnceForTheServerThatItReplaces(t *testing.T) {
	gateway, other := inventory.ID{PID: 50, Start: 200}, inventory.ID{PID: 60, Start: 300}
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	reaped := func(target string) Reaped {
		return Reaped{Owner: gateway, Target: target, Name: "fetch", From: noon.Add(-time.Second), Until: noon}
	}
	server := func(id string, of inventory.ID, name string, after time.Duration) Server {
		return Server{ID: id, Name: name, Owner: of, Began: noon.Add(after)}
	}
	for _, world := range []struct {
		says    string
		reaped  []Reaped
		servers []Server
		want    int
	}{
		{"nothing was reaped", nil, []Server{server("1", gateway, "fetch", time.Second)}, 0},
		{"a copy a second later", []Reaped{reaped("a")}, []Server{server("1", gateway, "fetch", time.Second)}, 1},
		{"a copy that began while the act went on", []Reaped{reaped("a")}, []Server{server("1", gateway, "fetch", -time.Millisecond)}, 1},
		{"an older copy", []Reaped{reaped("a")}, []Server{server("1", gateway, "fetch", -time.Minute)}, 0},
		{"a copy after the window", []Reaped{reaped("a")}, []Server{server("1", gateway, "fetch", time.Minute+time.Second)}, 0},
		{"another gateway's", []Reaped{reaped("a")}, []Server{server("1", other, "fetch", time.Second)}, 0},
		{"a server of another name", []Reaped{reaped("a")}, []Server{server("1", gateway, "time", time.Second)}, 0},
		{"two copies for one that was reaped", []Reaped{reaped("a")}, []Server{server("1", gateway, "fetch", time.Second), server("2", gateway, "fetch", time.Second)}, 1},
		{"one copy for two that were reaped", []Reaped{reaped("a"), reaped("b")}, []Server{server("1", gateway, "fetch", time.Second)}, 1},
	} {
		now := inventory.Moment{At: noon.Add(2 * time.Second)}
		copies := Copies(nil).Next(now, world.reaped, world.servers)
		if got := copies.Of(gateway); got != world.want {
			t.Errorf("%s: %d, want %d", world.says, got, world.want)
		}
		if again := copies.Next(now, world.reaped, world.servers).Of(gateway); again != world.want {
			t.Errorf("%s: %d at the next look, want %d", world.says, again, world.want)
		}
	}
}

func TestACopyCountsForTheTimeOfTheMemory(t *testing.T) {
	gateway := inventory.ID{PID: 50, Start: 200}
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	copies := Copies(nil).Next(inventory.Moment{At: noon},
		[]Reaped{{Owner: gateway, Target: "a", Name: "fetch", From: noon.Add(-2 * time.Second), Until: noon.Add(-time.Second)}},
		[]Server{{ID: "1", Name: "fetch", Owner: gateway, Began: noon.Add(-time.Millisecond)}})
	for _, row := range []struct {
		after time.Duration
		want  int
	}{{0, 1}, {Memory, 1}, {Memory + time.Second, 0}} {
		if got := copies.Next(inventory.Moment{At: noon.Add(row.after)}, nil, nil).Of(gateway); got != row.want {
			t.Errorf("%s later: %d, want %d", row.after, got, row.want)
		}
	}
}
