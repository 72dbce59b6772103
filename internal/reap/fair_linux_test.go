package reap

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
)

func TestPlacesGoToUsersInTurn(t *testing.T) {
	p := &places{}
	p.resize(1)
	p.take("first", false)
	type waiter struct {
		name string
		turn chan struct{}
	}
	var waiting []waiter
	for i := range 3 {
		waiting = append(waiting, waiter{fmt.Sprint("crowd ", i), p.enter("crowd", false)})
	}
	waiting = append(waiting,
		waiter{"lone", p.enter("lone", false)},
		waiter{"crowd once more", p.enter("crowd", true)})
	var got []string
	for last := "first"; len(got) < len(waiting); last = strings.Fields(got[len(got)-1])[0] {
		p.give(last)
		for _, w := range waiting {
			select {
			case <-w.turn:
				if !slices.Contains(got, w.name) {
					got = append(got, w.name)
				}
			default:
			}
		}
	}
	want := []string{"crowd once more", "lone", "crowd 0", "crowd 1", "crowd 2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if p.give("crowd"); p.enter("any", false) != nil {
		t.Error("a place that nobody waits for is free")
	}
}

// begun notes the order in which acts are journalled.
type begun struct {
	mu    sync.Mutex
	order []string
	at    map[int]func() // called once so many lines are journalled
}

func (b *begun) note(what string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.order = append(b.order, what)
	if reached := b.at[len(b.order)]; reached != nil {
		reached()
	}
	return nil
}

func (b *begun) Ready() error                 { return nil }
func (b *begun) Intend(e journal.Entry) error { return b.note("began " + e.ID) }
func (b *begun) Done(e journal.Entry) error   { return b.note("ended " + e.ID) }

// ignoring are trees of one user that ignore TERM.
func ignoring(t *testing.T, user string, number int) (acts []Act, all []inventory.ID) {
	t.Helper()
	for i := range number {
		w := start(t, `trap "" TERM; sleep 60 & while :; do wait; done`, 1)
		act := w.act(fmt.Sprint(user, i))
		act.User = user
		acts, all = append(acts, act), append(all, w.members()...)
	}
	return acts, all
}

// TestATreeThatWaitsOutItsGraceHoldsNoPlace has trees that ignore TERM and end by
// themselves when the last of them has been acted on.
func TestATreeThatWaitsOutItsGraceHoldsNoPlace(t *testing.T) {
	const trees = 8
	all := filepath.Join(t.TempDir(), "all have begun")
	var acts []Act
	var members []inventory.ID
	for i := range trees {
		w := start(t, `trap "" TERM; while ! [ -e "`+all+`" ]; do sleep 0.1; done`, 1)
		act := w.act(fmt.Sprint("crowd", i))
		act.User = "crowd"
		acts, members = append(acts, act), append(members, act.Members...)
	}
	record := &begun{at: map[int]func(){trees: func() { _ = os.WriteFile(all, nil, 0o600) }}}
	r := reaper(Options{Grace: time.Minute, KillWait: 30 * time.Second, Concurrency: 1})
	r.Recorder = record
	for _, outcome := range r.Execute(t.Context(), acts) {
		if outcome.Result != human.Exited {
			t.Errorf("%s: %s: %s", outcome.ActID, outcome.Result, outcome.Detail)
		}
	}
	wantGone(t, members)
	for i, what := range record.order {
		if begins := what[:5] == "began"; begins != (i < trees) {
			t.Fatalf("with one place, all are to begin before the first grace is over: got %q", record.order)
		}
	}
}

func TestWithFewDescriptorsTreesWaitForEachOther(t *testing.T) {
	if n := begunAtOnce(8); n < 8 || n > mostBegun {
		t.Errorf("%d trees at once", n)
	}
	acts, all := ignoring(t, "crowd", 3)
	r := reaper(Options{Grace: 50 * time.Millisecond, KillWait: 30 * time.Second, Concurrency: 1})
	x := r.newRun(acts)
	x.shared.begun.resize(1)
	var together sync.WaitGroup
	for _, s := range x.steps {
		together.Go(func() { x.carryOut(t.Context(), s) })
	}
	together.Wait()
	wantGone(t, all)
}

func TestWhatDoesNotComeUpInTimeIsDeferred(t *testing.T) {
	acts, all := ignoring(t, "crowd", 3)
	record := &begun{}
	r := reaper(Options{Grace: time.Second, KillWait: 30 * time.Second, Concurrency: 1, BeginWithin: time.Nanosecond})
	r.Recorder = record
	for _, outcome := range r.Execute(t.Context(), acts) {
		if outcome.Result != human.Deferred {
			t.Errorf("%s: %s: %s", outcome.ActID, outcome.Result, outcome.Detail)
		}
	}
	wantUntouched(t, all)
	if len(record.order) > 0 {
		t.Errorf("journalled: %q", record.order)
	}
}
