package status

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
)

func TestEveryScreenTellsTheSameCondition(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	swept := &serve.Sweep{At: now, Result: serve.ResultOK}
	silent := []inventory.Source{{Name: "processes", Status: inventory.StatusOK}, {Name: "docker", Endpoint: "a", Status: inventory.StatusError}, {Name: "docker", Endpoint: "b", Status: inventory.StatusError}}
	young, old := now.Add(-2*time.Second), now.Add(-2*time.Minute)
	for _, row := range []struct {
		world                   string
		is                      serve.State
		faults                  []string
		acts                    bool
		sentence, short, health string
	}{
		{"it acts", serve.State{Ready: true, LastSweep: swept}, nil, true, "it is well", "0 in use", "healthy"},
		{"its mode is report", serve.State{Ready: true, LastSweep: swept, Mode: policy.ModeReport}, nil, true, "it is well", "mode report, 0 in use", "healthy"},
		{"a rule soon stops a session", serve.State{Ready: true, LastSweep: swept, InUse: []serve.Client{{Name: "codex", PID: 13, StopsAt: now.Add(16 * time.Second), StopsBy: "idle-sessions"}}}, nil, true, "it is well", "0 in use, 1 session stops soon", "healthy"},
		{"it would, and is paused", serve.State{Ready: true, LastSweep: swept, Paused: true, InUse: []serve.Client{{Name: "codex", PID: 13, StopsAt: now.Add(16 * time.Second), StopsBy: "idle-sessions"}}}, nil, true, "it is well", "paused, 0 in use", "healthy"},
		{"it would, and the mode is report", serve.State{Ready: true, LastSweep: swept, Mode: policy.ModeReport, InUse: []serve.Client{{Name: "codex", PID: 13, StopsAt: now.Add(16 * time.Second), StopsBy: "idle-sessions"}}}, nil, true, "it is well", "mode report, 0 in use", "healthy"},
		{"of two leaks one is pinned", serve.State{Ready: true, LastSweep: swept, Findings: []serve.Count{{Finding: graph.FindingOrphaned, Decision: "keep", Number: 2}},
			Stays: []serve.Stay{{Finding: graph.FindingOrphaned, Pinned: true}, {Finding: graph.FindingOrphaned}, {Finding: graph.FindingIdle, Pinned: true}}}, nil, true, "it is well", "0 in use, 1 to look at", "healthy"},
		{"two engines do not answer", serve.State{Ready: true, LastSweep: &serve.Sweep{Result: serve.ResultIncomplete}, Sources: silent}, nil, true, "it is well, but docker cannot be read", "docker not read, 0 in use", "healthy, but docker cannot be read"},
		{"the engine is gone, and its containers with it", serve.State{Ready: true, LastSweep: swept, Sources: []inventory.Source{{Name: "docker", Status: inventory.StatusAbsent}}, Containers: []serve.SeenContainer{{UnseenSince: young}}}, nil, true, "it is well, but docker is gone", "docker gone, 0 in use", "healthy, but docker is gone"},
		{"there was never an engine", serve.State{Ready: true, LastSweep: swept, Sources: []inventory.Source{{Name: "docker", Status: inventory.StatusAbsent}}}, nil, true, "it is well", "0 in use", "healthy"},
		{"the last sweep failed", serve.State{Ready: true, LastSweep: &serve.Sweep{Result: serve.ResultFailed}}, nil, true, "it is well, but its last sweep failed", "0 in use", "healthy, but its last sweep failed"},
		{"an act left something behind", serve.State{Ready: true, LastSweep: &serve.Sweep{Result: serve.ResultIncomplete}}, nil, true, "it is well, but its last sweep was incomplete", "0 in use", "healthy, but its last sweep was incomplete"},
		{"it has not looked yet", serve.State{NotReady: "no sweep", StartedAt: young}, nil, false, starting, "starting", "alive: " + starting},
		{"its first look takes too long", serve.State{NotReady: "no sweep has succeeded yet", StartedAt: old}, nil, false, "IT IS NOT WELL: no sweep has succeeded yet", "NOT WELL", "alive, but NOT WELL: no sweep has succeeded yet"},
		{"it has started with a bad policy", serve.State{NotReady: "the policy has 1 fault", StartedAt: young, Policy: serve.PolicyState{Faults: []string{"x"}}}, nil, false, "IT IS NOT WELL: the policy has 1 fault", "NOT WELL", "alive, but NOT WELL: the policy has 1 fault"},
		{"it has started on a full disk", serve.State{NotReady: "the journal takes no record", StartedAt: young, Faults: []string{"no space"}}, nil, false, "IT IS NOT WELL: the journal takes no record", "NOT WELL", "alive, but NOT WELL: the journal takes no record"},
		{"its disk got full", serve.State{Ready: true, LastSweep: swept, NoRoomIn: "/var/lib/reaperd"}, nil, true, "it is well, but its disk is full", "disk full, 0 in use", "healthy, but its disk is full"},
		{"what is pinned is damaged", serve.State{Ready: true, LastSweep: swept}, []string{"pins.json"}, false, "IT IS NOT WELL: its state cannot be read", "NOT WELL", "alive, but NOT WELL: its state cannot be read"},
	} {
		c := Of(&row.is, row.faults, now)
		var line strings.Builder
		if err := WriteShort(&line, c); err != nil {
			t.Fatal(err)
		}
		if c.Acts() != row.acts || c.sentence() != row.sentence || line.String() != "reaperd: "+row.short+"\n" || c.Health() != row.health {
			t.Errorf("%s: acts %v, %q, %q, %q", row.world, c.Acts(), c.sentence(), line.String(), c.Health())
		}
	}
}
