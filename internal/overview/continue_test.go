package overview

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestALookWithoutTheDaemonKeepsWhatTheDaemonKnew: the daemon saw who left fetch, and
// since when; a look that begins after its end does not, nor has the daemon seen git.
func TestALookWithoutTheDaemonKeepsWhatTheDaemonKnew(t *testing.T) {
	daemon, own := newWorld(), newWorld()
	wrong(daemon.server("fetch", 10, gone("codex", 50)), graph.FindingOrphaned, policy.Pending)
	wrong(own.server("fetch", 10, graph.Owner{Liveness: graph.LivenessGone}), graph.FindingOrphaned, policy.Pending).Target.Since = noon
	wrong(own.server("git", 11, graph.Owner{Liveness: graph.LivenessGone}), graph.FindingOrphaned, policy.Pending)
	before := Make(daemon.Input)
	now := Make(own.Input).Continue(&before)
	if got, want := drawn(now), `leaked
  gone codex kept
    server fetch 10 pending
  gone  kept
    server git 11 pending
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	fetch := now.Find("server:10:100")
	if fetch.Owner.PID != 50 || !fetch.FindingSince.Equal(ago(time.Minute)) {
		t.Errorf("left by %v, since %s", fetch.Owner, fetch.FindingSince)
	}
	if codex := now.Top(fetch.Key); !codex.Owner.Since.Equal(ago(time.Minute)) || codex.Totals.Pending != 1 || codex.Totals.Servers != 1 {
		t.Errorf("%+v", codex)
	}
}

func TestALookOfAnotherBootKnowsNothingOfTheOneBefore(t *testing.T) {
	daemon, own := newWorld(), newWorld()
	wrong(daemon.server("fetch", 10, gone("codex", 50)), graph.FindingOrphaned, policy.Pending)
	wrong(own.server("fetch", 10, graph.Owner{Liveness: graph.LivenessGone}), graph.FindingOrphaned, policy.Pending)
	before, now := Make(daemon.Input), Make(own.Input)
	before.BootID = "another"
	if continued := now.Continue(&before); continued.Top("server:10:100").Name != "" {
		t.Errorf("got\n%s", drawn(continued))
	}
}

func TestALookWithoutTheDaemonKeepsSinceWhenAThingIsRefused(t *testing.T) {
	look := func(at time.Time, guards ...graph.Guard) Tree {
		w := newWorld()
		w.snapshot.TakenAt = at
		for i, guard := range guards {
			v := wrong(w.server("fetch", 10+i, gone("codex", 50)), graph.FindingOrphaned, policy.Keep)
			v.Vetoes = []graph.Veto{{Guard: guard, Text: "it stays"}}
		}
		return Make(w.Input)
	}
	before := look(ago(time.Minute), graph.GuardInUse, graph.GuardInUse)
	now := look(noon, graph.GuardInUse, graph.GuardSession, graph.GuardInUse).Continue(&before)
	for i, want := range []time.Time{ago(time.Minute), noon, noon} {
		if got := now.Refusals[i].At; !got.Equal(want) {
			t.Errorf("%s is refused since %s, want %s", now.Refusals[i].Key, got, want)
		}
	}
}
