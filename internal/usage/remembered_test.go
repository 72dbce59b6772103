package usage_test

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/usage"
)

func TestWhatADaemonRemembersHoldsWhereNothingWasDoneSince(t *testing.T) {
	quiet := tree(ran(44, 5, 1000), ran(60, 1, 100))
	watched := usage.Activity{}.Next(quiet, at(0)).Next(tree(ran(44, 9, 1000), ran(60, 1, 100)), at(time.Hour))
	rests := tree(ran(44, 9, 1000), ran(60, 1, 100))
	watched = watched.Next(rests, at(2*time.Hour)).Next(rests, at(6*time.Hour))
	memory, known := watched.Remembered()
	if !known || memory.IdleSeconds != 5*3600 {
		t.Fatalf("memory %+v, known %v", memory, known)
	}
	typed := ran(44, 9, 1000)
	typed.TTYUsedAt = at(6*time.Hour + 5*time.Second).At
	for _, row := range []struct {
		world string
		tree  usage.Tree
		holds bool
		use   usage.Sign // since the look that is remembered
	}{
		{"nothing was done", rests, true, ""},
		{"a ping", tree(ran(44, 9.01, 1100), ran(60, 1, 200)), true, ""},
		{"work", tree(ran(44, 9.5, 1000), ran(60, 1, 100)), false, usage.SignProcessor},
		{"a call", tree(ran(44, 9, 1000), ran(60, 1, 9000)), false, usage.SignIO},
		{"a process more", tree(ran(44, 9, 1000), ran(60, 1, 100), ran(70, 0, 0)), false, ""},
		{"a process instead of another that had used more", tree(ran(44, 9, 1000), ran(70, 0, 0)), false, ""},
		{"typed", tree(typed, ran(60, 1, 100)), false, usage.SignTerminal},
	} {
		first := memory.Recall(row.tree, at(6*time.Hour+10*time.Second))
		idle := first.Next(row.tree, at(6*time.Hour+20*time.Second)).Idle().Or(0)
		if want := 5*time.Hour + 20*time.Second; (idle == want) != row.holds || !row.holds && idle > time.Minute {
			t.Errorf("%s: idle for %s", row.world, idle)
		}
		if first.Last.Sign != row.use || row.use != "" && first.Looks != 0 {
			t.Errorf("%s: use %q after %d looks, want %q", row.world, first.Last.Sign, first.Looks, row.use)
		}
	}
	if _, known := (usage.Activity{}).Next(quiet, at(0)).Remembered(); known {
		t.Error("one look is no memory")
	}
	if got := (usage.Remembered{}).Recall(quiet, at(0)); got.Looks != 1 || !got.AtLeast {
		t.Errorf("no memory: %+v", got)
	}
	if got := memory.Recall(tree(&inventory.Process{PID: 44}, ran(60, 1, 100)), at(7*time.Hour)); got.Idle().IsKnown() {
		t.Error("what cannot be measured is idle")
	}
}
