package usage_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/usage"
)

// handedOver is an activity as the other program reads it.
func handedOver(t *testing.T, a usage.Activity) (w usage.Watched) {
	t.Helper()
	watched, known := a.Watched()
	if !known {
		t.Fatal("nothing to hand over")
	}
	text, err := json.Marshal(watched)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestAToolGoesOnWhereTheDaemonIs(t *testing.T) {
	rests := tree(ran(44, 9, 1000), ran(60, 1, 100))
	watched := usage.Activity{}.Next(tree(ran(44, 5, 1000), ran(60, 1, 100)), at(0)).Next(rests, at(time.Hour))
	watched = watched.Next(rests, at(2*time.Hour)).Next(rests, at(6*time.Hour))
	typed := ran(44, 9, 1000)
	typed.TTYUsedAt = at(6*time.Hour + 5*time.Second).At
	hidden := since(70, at(0))
	for _, row := range []struct {
		world string
		tree  usage.Tree
		use   usage.Use // at the first look
		idle  time.Duration
	}{
		{"nothing was done", rests, usage.Use{}, 5*time.Hour + 20*time.Second},
		{"a ping", tree(ran(44, 9.01, 1100), ran(60, 1, 200)), usage.Use{}, 5*time.Hour + 20*time.Second},
		{"each process uses no more than a trickle, and all of them more", tree(ran(44, 9.08, 1600), ran(60, 1.08, 700)), usage.Use{}, 5*time.Hour + 20*time.Second},
		{"work", tree(ran(44, 9.5, 1000), ran(60, 1, 100)), usage.Use{Sign: usage.SignProcessor, PID: 44}, 10 * time.Second},
		{"a call", tree(ran(44, 9, 1000), ran(60, 1, 9000)), usage.Use{Sign: usage.SignIO, PID: 60}, 10 * time.Second},
		{"a process more", tree(ran(44, 9, 1000), ran(60, 1, 100), ran(70, 0, 0)), usage.Use{Sign: usage.SignStarted, PID: 70}, 10 * time.Second},
		{"a process less", tree(ran(44, 9, 1000)), usage.Use{Sign: usage.SignExited, PID: 60}, 10 * time.Second},
		{"a process that the daemon did not see", tree(ran(44, 9, 1000), ran(60, 1, 100), hidden), usage.Use{}, 10 * time.Second},
		{"typed", tree(typed, ran(60, 1, 100)), usage.Use{Sign: usage.SignTerminal}, 7 * time.Second}, // a terminal's time is coarse
	} {
		first := handedOver(t, watched).Recall(row.tree, at(6*time.Hour+10*time.Second))
		inUse := first.Looks == 0
		if inUse != (row.use.Sign != "") || inUse && first.Last != row.use {
			t.Errorf("%s: use %v after %d looks, want %v", row.world, first.Last, first.Looks, row.use)
		}
		if idle := first.Next(row.tree, at(6*time.Hour+20*time.Second)).Rested(); idle != row.idle {
			t.Errorf("%s: idle for %s, want %s", row.world, idle, row.idle)
		}
	}
	unread := tree(&inventory.Process{PID: 44, Start: 44}, ran(60, 1, 100))
	if got := handedOver(t, watched).Recall(unread, at(7*time.Hour)); got.Idle().IsKnown() {
		t.Error("what cannot be measured is idle")
	}
}

// TestAToolTakesOverWhatHasNotCountedAsIdleYet: the daemon has seen it at work, or once at rest.
func TestAToolTakesOverWhatHasNotCountedAsIdleYet(t *testing.T) {
	worked, quiet := usage.Activity{}.Next(tree(ran(44, 5, 1000)), at(0)).Next(tree(ran(44, 9, 1000)), at(30*time.Second)), tree(ran(44, 9, 1000))
	first := handedOver(t, worked).Recall(quiet, at(42*time.Second))
	if second := first.Next(quiet, at(43*time.Second)); first.Rested() != 12*time.Second || second.Idle().Or(0) != 13*time.Second || second.AtLeast {
		t.Errorf("idle for %s, then %v; at least %v", first.Rested(), second.Idle(), second.AtLeast)
	}
	if second := worked.Next(quiet, at(42*time.Second)); second.Rested() != first.Rested() || second.Looks != first.Looks {
		t.Errorf("to the daemon itself it is idle for %s after %d looks, to the tool for %s after %d", second.Rested(), second.Looks, first.Rested(), first.Looks)
	}
}

// TestWhatTheDaemonCouldNotTellAtItsLastLookCanBeToldNow: from then on it has done nothing.
func TestWhatTheDaemonCouldNotTellAtItsLastLookCanBeToldNow(t *testing.T) {
	two := tree(ran(44, 5, 1000), since(60, at(-time.Minute)))
	doubted := usage.Activity{}.Next(tree(ran(44, 5, 1000)), at(0)).Next(two, at(30*time.Second))
	if doubted.Last != (usage.Use{Sign: usage.SignUnknown, PID: 60}) {
		t.Fatalf("the daemon does not doubt: %v", doubted.Last)
	}
	if got := handedOver(t, doubted).Recall(two, at(50*time.Second)).Next(two, at(51*time.Second)); got.Idle().Or(0) != 21*time.Second || !got.AtLeast {
		t.Errorf("idle for %v, at least %v", got.Idle(), got.AtLeast)
	}
}

func TestNothingIsTakenOver(t *testing.T) {
	quiet := tree(ran(44, 5, 1000))
	if _, known := (usage.Activity{}).Watched(); known {
		t.Error("nothing was watched, and is handed over")
	}
	if got := (usage.Watched{}).Recall(quiet, at(0)); got.Looks != 1 || !got.AtLeast {
		t.Errorf("nothing was handed over: %+v", got)
	}
	later := handedOver(t, usage.Activity{}.Next(quiet, at(0)).Next(quiet, at(time.Hour)))
	if got := later.Recall(quiet, at(time.Minute)); got.Looks != 1 || got.IdleSince != at(time.Minute) {
		t.Errorf("it is of a moment to come: %+v", got)
	}
}
