package policy_test

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestTheThresholdThatKeepsATargetFromARule(t *testing.T) {
	p := shipped(t)
	zombies := func(n int) change { return func(t *graph.Target) { t.Zombies = n } }
	respawns := func(n int) change { return func(t *graph.Target) { t.Respawns = n } }
	idle := inventory.Known[time.Duration]
	usual := func(has string) policy.Threshold {
		return policy.Threshold{Key: "idle_for", Wants: "an idle time of 30m", Has: has, IdleFor: 30 * time.Minute}
	}
	for _, row := range []struct {
		world  string
		target *graph.Target
		want   policy.Threshold
	}{
		{"a gateway with 12 zombies", target(graph.KindGateway, 100, live(graph.FindingNone), zombies(12)),
			policy.Threshold{Rule: "zombie-gateways", Key: "zombies_over", Wants: "100 zombies", Has: "12"}},
		{"a gateway that another policy's threshold calls failing", target(graph.KindGateway, 100, live(graph.FindingZombies), zombies(50)),
			policy.Threshold{Rule: "zombie-gateways", Key: "zombies_over", Wants: "100 zombies", Has: "50"}},
		{"a gateway that started three servers again", target(graph.KindGateway, 100, live(graph.FindingNone), respawns(3)),
			policy.Threshold{Rule: "respawning-gateways", Key: "respawns_over", Wants: "10 respawns", Has: "3"}},
		{"an older copy that has just begun to do nothing", target(graph.KindServer, 100, copyOf(2, idle(2*time.Second))),
			policy.Threshold{Rule: "duplicates", Key: "idle_for", Wants: "an idle time of 30m", Has: "2s", IdleFor: 30 * time.Minute}},
		{"an older copy at work", target(graph.KindServer, 100, copyOf(2, idle(0))),
			policy.Threshold{Rule: "duplicates", Key: "idle_for", Wants: "an idle time of 30m", Has: "0s", IdleFor: 30 * time.Minute}},
		{"an older copy that has done nothing for an hour: the rule matches", target(graph.KindServer, 100, copyOf(2, idle(time.Hour))), policy.Threshold{}},
		{"one that the rule keeps: no rule matches it, and it is told by the usual time", target(graph.KindServer, 100, copyOf(1, idle(time.Second))), usual("1s")},
		{"a gateway that is an older copy, about which no rule is", target(graph.KindGateway, 100, copyOf(2, idle(2*time.Minute))), usual("2m")},
		{"one that has done nothing for as long as usual", target(graph.KindServer, 100, copyOf(1, idle(30*time.Minute))), policy.Threshold{}},
		{"a gateway without zombies", target(graph.KindGateway, 100, live(graph.FindingNone)), policy.Threshold{}},
		{"a listening gateway, which the rule never matches", target(graph.KindGateway, 100, live(graph.FindingNone), zombies(12), listening(inventory.Known(true))), policy.Threshold{}},
		{"a server with zombies, about which no rule is", target(graph.KindServer, 100, live(graph.FindingNone), zombies(12)), policy.Threshold{}},
		{"a server in use", target(graph.KindServer, 100, live(graph.FindingNone)), policy.Threshold{}},
		{"an orphan, which a rule matches", target(graph.KindServer, 100), policy.Threshold{}},
	} {
		v := judgeOne(p, row.target)
		var got policy.Threshold
		if v.Threshold != nil {
			got = *v.Threshold
			got.Origin, got.Action = policy.Origin{}, ""
		}
		if got != row.want {
			t.Errorf("%s: %+v, want %+v", row.world, got, row.want)
		}
		if rests := v.Target.Finding == graph.FindingDuplicate && row.want != (policy.Threshold{}); v.Rests() != rests || v.InUse() != (rests || v.Target.Finding == graph.FindingNone) {
			t.Errorf("%s: rests %v, in use %v", row.world, v.Rests(), v.InUse())
		}
		if want := row.want.Rule != ""; want && (v.Rule != "" || v.Decision != policy.Keep) {
			t.Errorf("%s: a threshold that is not reached decides: %+v", row.world, v)
		}
	}
}
