package sweep

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/policy"
)

// crowdsUID and lonesUID are two users of a street.
const (
	crowdsUID = 1234
	lonesUID  = 1235
)

// onStreet runs a loop on a street of its own until body returns, and checks then that
// nothing of it is left stopped.
func onStreet(t *testing.T, policies string, body func(t *testing.T, s *street, w *watched)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, w := &street{}, &watched{Loop: newLoop(), replace: make(chan *Sweeper), t: t}
		w.Replace, w.Publish = w.replace, w.publish
		ctx, cancel := context.WithCancel(t.Context())
		w.end = cancel
		w.start = func() {
			w.over = make(chan struct{})
			go func() {
				defer close(w.over)
				w.Run(ctx, s.sweeper(load(t, policies)))
			}()
		}
		body(t, s, w)
		cancel()
		<-w.over
		if stopped := s.stopped(); stopped > 0 {
			t.Errorf("%d are left stopped", stopped)
		}
	})
}

// watched is a loop and what it published.
type watched struct {
	*Loop
	t       *testing.T
	replace chan *Sweeper
	start   func()
	end     func()
	over    chan struct{}

	mu     sync.Mutex
	rounds []Round
}

// published are the rounds so far.
func (w *watched) published() []Round {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.rounds)
}

func (w *watched) publish(r Round) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rounds = append(w.rounds, r)
	begun := map[string]bool{}
	for _, act := range r.UnderWay {
		begun[act.TargetID] = true
	}
	for i := range r.View.Verdicts {
		v := &r.View.Verdicts[i]
		if begun[v.Target.ID] && v.Decision != policy.Reap {
			w.t.Errorf("%s is being reaped, and reported as %s: %s", v.Target.ID, v.Decision, v.Reason)
		}
	}
}

// results are the outcomes by result.
func (w *watched) results() map[done.Result]int {
	results := map[done.Result]int{}
	for _, r := range w.published() {
		for _, o := range r.Outcomes {
			results[o.Result]++
		}
	}
	return results
}

// What a crowd does costs others nothing: who comes while 400 stubborn ones are being
// ended goes as fast as if nobody else were there.
func TestACrowdBeingEndedDelaysNobody(t *testing.T) {
	alone := time.Duration(0)
	onStreet(t, crowdPolicy("20s", ""), func(t *testing.T, s *street, w *watched) {
		w.start()
		time.Sleep(5500 * time.Millisecond)
		late := s.comes(1, lonesUID, obeys)
		time.Sleep(10 * time.Second)
		alone = s.lived(t, late)
	})
	onStreet(t, crowdPolicy("20s", ""), func(t *testing.T, s *street, w *watched) {
		crowd := s.comes(400, crowdsUID, ignores)
		w.start()
		time.Sleep(5500 * time.Millisecond)
		rounds := w.published()
		if n := len(rounds[len(rounds)-1].UnderWay); n != 400 {
			t.Errorf("%d acts are under way, want the whole crowd", n)
		}
		late := s.comes(1, lonesUID, obeys)
		time.Sleep(10 * time.Second)
		if s.alive(crowd) != 400 {
			t.Error("the crowd's grace is over: the test shows nothing")
		}
		if beside := s.lived(t, late); beside > alone+100*time.Millisecond {
			t.Errorf("another user's orphan lived for %s beside the crowd, and for %s without it", beside, alone)
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		s.lived(t, crowd)
		s.wantOneActEach(t, crowd, "killed")
		s.wantOneActEach(t, late, "exited")
	})
}

func TestLooksGoOnWhileActsAreUnderWay(t *testing.T) {
	onStreet(t, crowdPolicy("60s", ""), func(t *testing.T, s *street, w *watched) {
		stubborn := s.comes(3, crowdsUID, ignores)
		w.start()
		time.Sleep(50 * time.Second)
		synctest.Wait()
		if s.looked() < 45 || s.alive(stubborn) != 3 {
			t.Errorf("%d looks in 50 s of a sweep each second, while %d wait out their grace", s.looked(), s.alive(stubborn))
		}
		planned := 0
		for _, round := range w.published() {
			if !round.Again { // else it has been counted
				planned += len(round.Plan.Acts) + len(round.Plan.Deferred)
			}
		}
		if planned != 3 {
			t.Errorf("planned %d acts on 3 orphans", planned)
		}
		time.Sleep(15 * time.Second)
		synctest.Wait()
		s.wantOneActEach(t, stubborn, "killed")
		if got := w.results(); got[done.Killed] != 3 || len(got) != 1 {
			t.Errorf("outcomes %v", got)
		}
	})
}

// What the limit bounds: the acts that a sweep begins, and what one user has under way.
func TestTheLimitHoldsOverSweepsThatOverlap(t *testing.T) {
	onStreet(t, crowdPolicy("10s", "limits: {max_actions: 4}\n"), func(t *testing.T, s *street, w *watched) {
		s.comes(10, crowdsUID, ignores)
		w.start()
		time.Sleep(5 * time.Second)
		lone := s.comes(1, lonesUID, obeys)
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if s.alive(lone) != 0 {
			t.Error("the crowd has filled the limit, and another user waits for it")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		for _, round := range w.published() {
			of := map[int]int{}
			for _, act := range round.UnderWay {
				of[act.User.Or(-1)]++
			}
			if len(round.Plan.Acts) > 4 || of[crowdsUID] > 4 {
				t.Fatalf("a sweep began %d, and %d of one user are under way", len(round.Plan.Acts), of[crowdsUID])
			}
		}
		if got := w.results(); got[done.Killed] != 10 || got[done.Exited] != 1 {
			t.Errorf("outcomes %v", got)
		}
	})
}

// A tree that was killed and stays in the kernel is waited for once, reported once,
// and left alone from then on.
func TestWhatStaysInTheKernelIsKilledOnceAndReportedOnce(t *testing.T) {
	onStreet(t, crowdPolicy("1s", ""), func(t *testing.T, s *street, w *watched) {
		stuck := s.comes(20, crowdsUID, inKernel)
		w.start()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := w.results(); got[done.Failed] != 20 || len(got) != 1 {
			t.Errorf("outcomes in a minute %v", got)
		}
		s.wantOneActEach(t, stuck, "failed")
		if kills := s.signalled(stuck[0], unix.SIGKILL); kills != 1 {
			t.Errorf("killed %d times", kills)
		}
		rounds := w.published()
		last := rounds[len(rounds)-1]
		if len(last.UnderWay) > 0 || len(last.View.Verdicts) != 20 || last.View.Verdicts[0].Reason == "" || !last.View.Verdicts[0].UnderWay() {
			t.Errorf("a minute later %d are under way, and the verdict is %+v", len(last.UnderWay), last.View.Verdicts[0])
		}
		late := s.comes(1, lonesUID, obeys)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if lived := s.lived(t, late); lived > 3*time.Second {
			t.Errorf("another's lived for %s", lived)
		}
	})
}

func TestWhatIsSaidWhileActsAreUnderWay(t *testing.T) {
	for _, row := range []struct {
		name string
		says func(t *testing.T, s *street, w *watched, paused *atomic.Bool)
		// late is whether what comes afterwards goes.
		late bool
	}{
		{"nothing", func(*testing.T, *street, *watched, *atomic.Bool) {}, true},
		{"a pause", func(_ *testing.T, _ *street, _ *watched, paused *atomic.Bool) { paused.Store(true) }, false},
		{"another policy, with another grace", func(t *testing.T, s *street, w *watched, _ *atomic.Bool) {
			w.replace <- s.sweeper(load(t, crowdPolicy("300s", "")))
		}, true},
		{"another policy, which only reports", func(t *testing.T, s *street, w *watched, _ *atomic.Bool) {
			w.replace <- s.sweeper(load(t, crowdPolicy("300s", "mode: report\n")))
		}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			onStreet(t, crowdPolicy("10s", ""), func(t *testing.T, s *street, w *watched) {
				var paused atomic.Bool
				w.Paused = paused.Load
				stubborn := s.comes(5, crowdsUID, ignores)
				w.start()
				time.Sleep(3 * time.Second) // they have been asked
				row.says(t, s, w, &paused)
				late := s.comes(1, lonesUID, obeys)
				time.Sleep(17 * time.Second)
				synctest.Wait()
				s.wantOneActEach(t, stubborn, "killed")
				if gone := s.alive(late) == 0; gone != row.late {
					t.Errorf("what came afterwards is gone: %v", gone)
				}
			})
		})
	}
}

func TestWhatHasBegunIsFinishedBeforeTheLoopEnds(t *testing.T) {
	for _, row := range []struct {
		name   string
		grace  string
		within time.Duration
		result done.Result
	}{
		{"a grace that ends in time", "10s", 16 * time.Second, done.Killed},
		{"a grace that is longer than the daemon has", "10m", mostFinish + time.Second, done.Failed},
	} {
		t.Run(row.name, func(t *testing.T) {
			onStreet(t, crowdPolicy(row.grace, ""), func(t *testing.T, s *street, w *watched) {
				s.comes(50, crowdsUID, ignores)
				var alive atomic.Pointer[time.Time]
				w.AliveEvery, w.Alive = time.Second, func() { alive.Store(new(time.Now())) }
				w.start()
				time.Sleep(3 * time.Second)
				told := time.Now()
				w.end()
				<-w.over
				if took := time.Since(told); took > row.within {
					t.Errorf("it ended %s after it was told", took)
				}
				if got := w.results(); got[row.result] != 50 || len(got) != 1 {
					t.Errorf("outcomes %v", got)
				}
				if silent := time.Since(*alive.Load()); silent > 2*time.Second {
					t.Errorf("nothing was heard of it for %s", silent)
				}
			})
		})
	}
}

// An act that never comes back is one that the service manager has to hear of.
func TestAnActThatHangsIsNoLife(t *testing.T) {
	onStreet(t, crowdPolicy("1s", ""), func(t *testing.T, s *street, w *watched) {
		s.comes(1, crowdsUID, obeys)
		s.hangs = make(chan struct{})
		var last atomic.Pointer[time.Time]
		w.Alive = func() { last.Store(new(time.Now())) }
		w.start()
		time.Sleep(actsWithin(policy.Plan{}))
		synctest.Wait()
		if silent := time.Since(*last.Load()); silent > longestWait {
			t.Errorf("nothing was heard of it for %s although the act may still end", silent)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if silent := time.Since(*last.Load()); silent < 50*time.Minute {
			t.Errorf("an act hangs, and the loop said %s ago that it lives", silent)
		}
		close(s.hangs)
	})
}
