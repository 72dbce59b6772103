package reap

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// slowEngine has containers that take so long to stop.
type slowEngine struct {
	takes time.Duration

	mu      sync.Mutex
	running int
	most    int // how many were being stopped at a time
	stopped map[string]time.Time
}

func (e *slowEngine) Stop(_ context.Context, id string, _ time.Duration) (human.Stop, error) {
	e.mu.Lock()
	e.running++
	e.most = max(e.most, e.running)
	e.mu.Unlock()
	time.Sleep(e.takes)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running--
	e.stopped[id] = time.Now()
	return human.StoppedByKill, nil
}

func (e *slowEngine) stoppedAt(id string) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.stopped[id]
}

func (e *slowEngine) Remove(context.Context, string, bool) error { return nil }
func (e *slowEngine) Gone(context.Context, string) (bool, error) { return true, nil }

// always is evidence that holds.
type always struct{}

func (always) StillHolds(context.Context, Act) (bool, string) { return true, "" }

// stops are acts on so many containers of one user.
func stops(user string, from, number int) []Act {
	acts := make([]Act, number)
	for i := range acts {
		id := fmt.Sprintf("%064x", from+i)
		acts[i] = Act{ID: id[60:], TargetID: id, Kind: KindContainer, ContainerID: id, User: user, Grace: 10 * time.Second}
	}
	return acts
}

func TestContainersThatTakeLongHoldNoPlace(t *testing.T) {
	for _, row := range []struct {
		name  string
		takes time.Duration
		// most is how many the engine may be stopping at a time, late how long another
		// user's has to wait for its turn.
		most int
		late time.Duration
	}{
		{"containers that end soon are stopped so many at a time", 100 * time.Millisecond, 8, 100 * time.Millisecond},
		{"those that ignore it give their place to others", 10 * time.Second, 400, waitsAfter},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				engine := &slowEngine{takes: row.takes, stopped: map[string]time.Time{}}
				r := &Reaper{Containers: engine, Evidence: always{}, Shared: &Shared{}, Options: Options{Concurrency: 8}}
				crowd := r.Begin(t.Context(), stops("crowd", 0, 400))
				time.Sleep(1250 * time.Millisecond)
				came, late := time.Now(), stops("lone", 1000, 1)
				r.Begin(t.Context(), late)()
				waited := engine.stoppedAt(late[0].ContainerID).Sub(came) - row.takes
				if waited > row.late {
					t.Errorf("another user's waited for %s, want at most %s", waited, row.late)
				}
				for _, outcome := range crowd() {
					if outcome.Result != human.Killed {
						t.Errorf("%s: %s: %s", outcome.ActID, outcome.Result, outcome.Detail)
					}
				}
				if engine.most > row.most {
					t.Errorf("%d were being stopped at a time", engine.most)
				}
			})
		})
	}
}

func TestWhatIsDeferredTakesItsRunnerAlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &slowEngine{takes: 300 * time.Millisecond, stopped: map[string]time.Time{}}
		r := &Reaper{Containers: engine, Evidence: always{}, Options: Options{Concurrency: 1, BeginWithin: 2 * time.Second}}
		acts := stops("one", 0, 20)
		runner := Act{ID: "runner", TargetID: "58:1", Kind: "server", Root: inventory.ID{PID: 58, Start: 1}}
		for _, act := range acts { // any of them may be among those that come too late
			runner.After = append(runner.After, act.ID)
		}
		outcomes := r.Execute(t.Context(), append(acts, runner))
		if last := outcomes[20]; last.Result != human.Deferred {
			t.Errorf("not all of its containers were stopped in time, and the runner: %s: %s", last.Result, last.Detail)
		}
		if n := len(engine.stopped); n < 6 || n > 8 {
			t.Errorf("%d were stopped one after another in 2 s of 300 ms each", n)
		}
	})
}

func TestNoProcessIsInTheHandsOfTwoActs(t *testing.T) {
	w := start(t, `trap "" TERM; sleep 60 & while :; do wait; done`, 1)
	shared := &Shared{}
	first := reaper(Options{Grace: time.Second, KillWait: 30 * time.Second})
	first.Shared = shared
	wait := first.Begin(t.Context(), []Act{w.act("first")})
	for _, id := range w.members() {
		if !shared.Holds(id) {
			t.Errorf("the first act does not have process %d", id.PID)
		}
	}
	second, record := reaper(Options{KillWait: 30 * time.Second}), &begun{}
	second.Shared, second.Recorder = shared, record
	if got := second.Execute(t.Context(), []Act{w.act("second")})[0]; got.Result != human.Deferred || len(record.order) > 0 {
		t.Errorf("the second act: %s: %s, journalled %q", got.Result, got.Detail, record.order)
	}
	if got := wait()[0]; got.Result != human.Killed {
		t.Errorf("the first act: %s: %s", got.Result, got.Detail)
	}
	wantGone(t, w.members())
	shared.Forget([]string{"second"})
	if !shared.Holds(w.members()[0]) {
		t.Error("forgotten with another act")
	}
	shared.Forget([]string{"first"})
	if shared.Holds(w.members()[0]) {
		t.Error("held after its act was forgotten")
	}
}

func TestPlacesMayBecomeFewerAndMore(t *testing.T) {
	p := &places{}
	p.resize(2)
	p.take("a", false)
	p.take("b", false)
	waits := p.enter("c", false)
	p.resize(1)
	p.give("a")
	select {
	case <-waits:
		t.Error("two were taken, there is one now, and it was given away")
	default:
	}
	p.resize(2)
	<-waits
}

// A place that is kept through a grace is not to be had again soon, so no user gets
// the last one as long as another may come.
func TestNoUserHasAllPlacesThatAreKept(t *testing.T) {
	for _, row := range []struct {
		number int
		users  string // who asks for one, in order
		have   string // who has got one
	}{
		{1, "aab", "a"},
		{2, "aaabbc", "ab"},
		{8, "aaaaaaaaa", "aaaa"},
		{8, "aaaaaaaaabbbbccccdd", "aaaabbcd"},
		{8, "abababababab", "ababab"},
	} {
		p, have := &places{kept: true}, ""
		p.resize(row.number)
		for _, user := range strings.Split(row.users, "") {
			if p.enter(user, false) == nil {
				have += user
			}
		}
		if have != row.have {
			t.Errorf("%d places, %s ask: %s have one, want %s", row.number, row.users, have, row.have)
		}
	}
}
