package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
)

// engine is a container engine without containers of its own making: what a
// test puts in, and what the reaper took out. It is all the host there is.
type engine struct {
	mu         sync.Mutex
	containers []inventory.Container
	processes  []inventory.Process
	stopped    map[string]time.Time
	looks      int
	fails      error
	asleep     bool // the host's own clock stands still
	awake      time.Duration
	lastLook   time.Time
	takes      time.Duration              // for a container to stop
	of         func() []inventory.Process // the processes of a look, if they change
}

func (e *engine) put(c inventory.Container) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c.State, c.Image = "running", "ghcr.io/acme/thing-mcp-server"
	c.OpenStdin, c.StdinOnce, c.AutoRemove = inventory.Known(true), inventory.Known(true), inventory.Known(true)
	c.CreatedAt, c.StartedAt = time.Now(), time.Now()
	e.containers = append(e.containers, c)
}

func (e *engine) Look(context.Context, *graph.Graph) (*inventory.Snapshot, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.looks++
	if e.fails != nil {
		return nil, e.fails
	}
	now, processes := time.Now(), e.processes
	if e.of != nil {
		processes = e.of()
	}
	if !e.asleep && !e.lastLook.IsZero() {
		e.awake += now.Sub(e.lastLook)
	}
	e.lastLook = now
	return &inventory.Snapshot{
		Version: 1, TakenAt: now,
		Host: inventory.Host{OS: "linux", BootID: "b0", PIDNamespace: "init", UID: inventory.Known(0), AwakeSeconds: inventory.Known(e.awake.Seconds())},
		Sources: []inventory.Source{
			{Name: inventory.SourceProcesses, Status: inventory.StatusOK},
			{Name: inventory.SourceDocker, Endpoint: "unix:///e.sock", Status: inventory.StatusOK, Connections: inventory.Known([]inventory.Connection{})},
		},
		Processes: slices.Clone(processes), Containers: slices.Clone(e.containers),
	}, nil
}

func (e *engine) Process(inventory.ID) (inventory.Process, bool, error) {
	return inventory.Process{}, false, nil
}

func (e *engine) Container(_ context.Context, id string) (inventory.Container, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.IndexFunc(e.containers, func(c inventory.Container) bool { return c.ID == id })
	if i < 0 {
		return inventory.Container{}, false, nil
	}
	return e.containers[i], true, nil
}

func (e *engine) Stop(_ context.Context, id string, _ time.Duration) (human.Stop, error) {
	time.Sleep(e.takes)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped == nil {
		e.stopped = map[string]time.Time{}
	}
	e.stopped[id] = time.Now()
	e.containers = slices.DeleteFunc(e.containers, func(c inventory.Container) bool { return c.ID == id })
	return human.StoppedByItself, nil
}

func (e *engine) Remove(context.Context, string, bool) error { return nil }

func (e *engine) Gone(_ context.Context, id string) (bool, error) {
	_, found, err := e.Container(context.Background(), id)
	return !found, err
}

// looked is how often it was looked at.
func (e *engine) looked() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.looks
}

// ended is how many were stopped, and how many are left.
func (e *engine) ended() (stopped, left int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.stopped), len(e.containers)
}

func (e *engine) stoppedAt(id string) (time.Time, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	at, found := e.stopped[id]
	return at, found
}

// id is a full container id that ends in n.
func id(n int) string { return fmt.Sprintf("%064x", n) }

func load(t *testing.T, text string) *policy.Policy {
	t.Helper()
	builtin := policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()}
	p, err := policy.Load(policy.File{Name: "test.yaml", Data: []byte(text)}, builtin)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const quick = `
version: 1
extends: builtin
schedule: "@every 60s"
rules:
  - name: orphaned-containers
    for: 1s
`

func (e *engine) sweeper(p *policy.Policy) *Sweeper {
	return &Sweeper{
		Observer: e, Fresh: e, Catalogue: catalogue.New(), Policy: p,
		Reaper: &reap.Reaper{Containers: e},
	}
}

func newLoop() *Loop {
	return &Loop{}
}

func TestAWakeUpReapsWithinSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, wakes := &engine{}, make(chan human.Trigger)
		loop := newLoop()
		loop.Wakes = wakes
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go loop.Run(ctx, e.sweeper(load(t, quick)))

		time.Sleep(10 * time.Second)
		idle := e.looked()
		e.put(inventory.Container{ID: id(1)})
		orphaned := time.Now()
		wakes <- human.TriggerDocker
		time.Sleep(5 * time.Second)
		synctest.Wait()
		at, stopped := e.stoppedAt(id(1))
		if !stopped || at.Sub(orphaned) > 2*time.Second {
			t.Errorf("stopped %v after %v, want within 2s", stopped, at.Sub(orphaned))
		}
		if idle != 1 {
			t.Errorf("%d looks in 10 idle seconds of a 60s schedule, want the one at the start", idle)
		}
	})
}

func TestTheScheduleAloneReapsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{}
		e.put(inventory.Container{ID: id(1)})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go newLoop().Run(ctx, e.sweeper(load(t, "version: 1\nextends: builtin\nschedule: \"@every 30s\"\n")))
		time.Sleep(25 * time.Second)
		if _, stopped := e.stoppedAt(id(1)); stopped {
			t.Error("stopped before its for: of 30s had held")
		}
		time.Sleep(40 * time.Second)
		synctest.Wait()
		if _, stopped := e.stoppedAt(id(1)); !stopped {
			t.Error("not stopped after 65 seconds")
		}
	})
}

// TestAnIdleSessionIsLookedAtWhenItsRuleComes, and not at the next time of the schedule: people are told that time. One
// that works meanwhile costs that one look.
func TestAnIdleSessionIsLookedAtWhenItsRuleComes(t *testing.T) {
	for _, row := range []struct {
		world string
		works time.Duration // from when on; zero: never
		want  []string
	}{
		{"it goes on doing nothing", 0, []string{"0s start", "20s schedule", "30s due", "50s schedule"}},
		{"it works before that", 25 * time.Second, []string{"0s start", "20s schedule", "30s due", "50s schedule"}},
		{"it has worked all the time", time.Second, []string{"0s start", "20s schedule", "40s schedule"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, rounds := time.Now(), []string(nil)
			worker := inventory.Process{PID: 44, Start: 1, State: "S", PPID: inventory.Known(1), SID: inventory.Known(44), UID: inventory.Known(0), Comm: "codex", Exe: "/usr/bin/codex", Argv: []string{"codex"},
				RSSBytes: inventory.Known(uint64(1 << 20)), Listening: inventory.Known(false), Connections: inventory.Known(0), StartedAt: began.Add(-time.Hour)}
			used := func() inventory.Process {
				p, work := worker, time.Duration(0)
				if row.works > 0 {
					work = max(0, time.Since(began)-row.works)
				}
				p.CPUSeconds, p.IOChars = inventory.Known(work.Seconds()), inventory.Known(uint64(0))
				return p
			}
			e := &engine{of: func() []inventory.Process { return []inventory.Process{used()} }}
			loop := newLoop()
			loop.Publish = func(r Round) {
				rounds = append(rounds, fmt.Sprintf("%s %s", r.Started.Sub(began).Round(time.Second), r.Trigger))
			}
			ctx, cancel := context.WithCancel(t.Context())
			go loop.Run(ctx, e.sweeper(load(t, `
version: 1
extends: builtin
mode: report
schedule: "@every 20s"
rules: [{name: idle-sessions, for: 5s, match: {kind: session, idle_for: 30s}, action: terminate}]
`)))
			time.Sleep(55 * time.Second)
			synctest.Wait()
			cancel()
			if !slices.Equal(rounds, row.want) {
				t.Errorf("%s: looks at %q, want %q", row.world, rounds, row.want)
			}
		})
	}
}

func TestABurstOfWakeUpsIsOneSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, wakes := &engine{}, make(chan human.Trigger, 100)
		loop := newLoop()
		loop.Wakes = wakes
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go loop.Run(ctx, e.sweeper(load(t, quick)))
		time.Sleep(10 * time.Second)
		before := e.looked()
		for range 100 {
			wakes <- human.TriggerExit
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := e.looked() - before; got != 1 {
			t.Errorf("%d looks for one burst", got)
		}
	})
}

func TestNothingIsStopped(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy string
		change func(*engine, *Loop)
	}{
		{"under mode report", quick + "mode: report\n", func(*engine, *Loop) {}},
		{"while paused", quick, func(_ *engine, l *Loop) { l.Paused = func() bool { return true } }},
		{"when the host slept all the time", quick, func(e *engine, _ *Loop) { e.asleep = true }},
		{"when the host cannot be looked at", quick, func(e *engine, _ *Loop) { e.fails = errors.New("read /proc: gone") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &engine{}
				e.put(inventory.Container{ID: id(1)})
				loop := newLoop()
				c.change(e, loop)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go loop.Run(ctx, e.sweeper(load(t, c.policy)))
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if stopped, _ := e.ended(); stopped > 0 {
					t.Errorf("stopped %d", stopped)
				}
				if e.looked() < 10 {
					t.Errorf("%d looks in 10 minutes: the loop does not go on", e.looked())
				}
			})
		})
	}
}

// A plan may take minutes: what somebody says meanwhile holds for all of it that
// has not begun.
func TestWhatHasNotBegunIsSparedFromThenOn(t *testing.T) {
	for _, c := range []struct {
		name  string
		spare func(l *Loop, s *Sweeper, end func()) (speak func())
	}{
		{"paused", func(l *Loop, _ *Sweeper, _ func()) func() {
			var paused atomic.Bool
			l.Paused = paused.Load
			return func() { paused.Store(true) }
		}},
		{"pinned", func(_ *Loop, s *Sweeper, _ func()) func() {
			var pinned atomic.Bool
			s.KeptNow = func(*graph.Target) (string, bool) { return "it was pinned since", pinned.Load() }
			return func() { pinned.Store(true) }
		}},
		{"told to end", func(_ *Loop, _ *Sweeper, end func()) func() { return end }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &engine{takes: 4 * time.Second}
				for n := range 4 {
					e.put(inventory.Container{ID: id(n + 1)})
				}
				loop, sweeper := newLoop(), e.sweeper(load(t, quick+"limits: {concurrency: 1}\n"))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var outcomes []Outcome
				loop.Publish = func(r Round) { outcomes = append(outcomes, r.Outcomes...) }
				speak := c.spare(loop, sweeper, cancel)
				go loop.Run(ctx, sweeper)
				time.Sleep(1200 * time.Millisecond) // the first is being stopped, and has the place
				speak()
				time.Sleep(30 * time.Second)
				synctest.Wait()
				if stopped, left := e.ended(); stopped != 1 || left != 3 {
					t.Errorf("stopped %d, left %d, want the one that had begun", stopped, left)
				}
				spared := 0
				for _, o := range outcomes {
					if o.Result == human.Changed && o.Detail != "" {
						spared++
					}
				}
				if len(outcomes) < 4 || spared != len(outcomes)-1 {
					t.Errorf("%d outcomes, of which %d spared", len(outcomes), spared)
				}
			})
		})
	}
}

func TestAfterAnActItIsLookedAtAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{}
		for n := range 5 {
			e.put(inventory.Container{ID: id(n + 1)})
		}
		loop := newLoop()
		var left []int
		loop.Publish = func(r Round) { left = append(left, len(r.View.Verdicts)) }
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go loop.Run(ctx, e.sweeper(load(t, "version: 1\nextends: builtin\nschedule: \"0 3 1 1 *\"\nlimits: {max_actions: 2}\n")))
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if stopped, _ := e.ended(); stopped != 5 {
			t.Errorf("stopped %d: what the limit left waits for a yearly schedule", stopped)
		}
		if len(left) == 0 || left[len(left)-1] != 0 {
			t.Errorf("the last look told of %v things", left)
		}
		if looks := e.looked(); looks > 8 {
			t.Errorf("%d looks", looks)
		}
	})
}

func TestAClockThatWasSetBackDoesNotPutOffTheSchedule(t *testing.T) {
	for _, spec := range []string{"0 * * * *", "@every 30m"} {
		loop := newLoop()
		loop.use((&engine{}).sweeper(load(t, "version: 1\nschedule: \""+spec+"\"\n")))
		now := time.Date(2026, 11, 20, 11, 50, 0, 0, time.Local)
		loop.ended = now.Add(65 * time.Minute) // it was 12:55 then, and the hour was set back
		next := loop.next(now)
		if wait := next.Sub(now); wait <= 0 || wait > 30*time.Minute {
			t.Errorf("%s: next in %s", spec, wait)
		}
		if again := loop.next(now.Add(time.Minute)); !again.Equal(next) {
			t.Errorf("%s: a minute later the next sweep is at %s, and was at %s", spec, again, next)
		}
	}
}

func TestActsThatEndNothingAreNotTriedEverySecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{}
		e.put(inventory.Container{ID: id(1)})
		loop, sweeper := newLoop(), e.sweeper(load(t, quick))
		sweeper.KeptNow = func(*graph.Target) (string, bool) { return "never", true }
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go loop.Run(ctx, sweeper)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if looks := e.looked(); looks > 13 {
			t.Errorf("%d looks in ten minutes of a schedule of one a minute", looks)
		}
	})
}

func TestAPolicyThatIsReplacedHoldsFromTheNextSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, replace := &engine{}, make(chan *Sweeper)
		e.put(inventory.Container{ID: id(1)})
		loop := newLoop()
		loop.Replace = replace
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go loop.Run(ctx, e.sweeper(load(t, quick+"mode: report\n")))
		time.Sleep(5 * time.Minute)
		replace <- e.sweeper(load(t, quick))
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if _, stopped := e.stoppedAt(id(1)); !stopped {
			t.Error("the new policy enforces, and what was proven for minutes was not stopped")
		}
	})
}

func TestAWeekInMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{}
		loop := newLoop()
		var rounds, failures int
		loop.Publish = func(r Round) {
			rounds++
			for _, outcome := range r.Outcomes {
				if !outcome.Result.Gone() {
					failures++
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan struct{})
		go func() { defer close(done); loop.Run(ctx, e.sweeper(load(t, quick))) }()
		const week = 7 * 24 * time.Hour
		const every = 10 * time.Minute
		for n := range int(week / every) {
			e.put(inventory.Container{ID: id(n + 1)})
			time.Sleep(every)
		}
		cancel()
		<-done
		stopped, left := e.ended()
		if want := int(week / every); stopped != want {
			t.Errorf("%d of %d orphans stopped in a week", stopped, want)
		}
		if least := int(week / time.Minute); rounds < least || rounds > least+3*int(week/every) {
			t.Errorf("%d sweeps in a week of one a minute and one more or two an orphan", rounds)
		}
		if failures > 0 || len(loop.reaped) > 0 || left > 0 {
			t.Errorf("failures %d, remembered %d, containers left %d", failures, len(loop.reaped), left)
		}
	})
}

func TestItTellsThatItLivesHoweverLongManyActsTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{takes: 4 * time.Second}
		for n := range 100 {
			e.put(inventory.Container{ID: id(n + 1)})
		}
		var told []time.Time
		loop := newLoop()
		loop.Alive = func() { told = append(told, time.Now()) }
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		go loop.Run(ctx, e.sweeper(load(t, quick+"limits: {concurrency: 1}\n")))
		time.Sleep(8 * time.Minute)
		cancel()
		synctest.Wait()
		if stopped, left := e.ended(); stopped != 100 {
			t.Fatalf("stopped %d, left %d: it does not take as long as it is to", stopped, left)
		}
		for _, at := range told {
			if gap := at.Sub(began); gap > longestWait+time.Second {
				t.Errorf("nothing heard for %s", gap)
			}
			began = at
		}
	})
}

func TestItTellsThatItLivesAsOftenAsIsAskedFor(t *testing.T) {
	for _, row := range []struct{ every, atLeast time.Duration }{
		{0, longestWait}, {time.Second, time.Second}, {time.Hour, longestWait},
	} {
		synctest.Test(t, func(t *testing.T) {
			var told []time.Time
			loop := newLoop()
			loop.AliveEvery, loop.Alive = row.every, func() { told = append(told, time.Now()) }
			ctx, cancel := context.WithCancel(t.Context())
			began := time.Now()
			go loop.Run(ctx, (&engine{}).sweeper(load(t, "version: 1\nschedule: \"@every 1h\"\n")))
			time.Sleep(10 * time.Minute)
			cancel()
			synctest.Wait()
			for _, at := range told {
				if gap := at.Sub(began); gap > row.atLeast {
					t.Errorf("asked for every %s: nothing heard for %s", row.every, gap)
				}
				began = at
			}
			if want := int(10 * time.Minute / row.atLeast); len(told) < want-1 {
				t.Errorf("asked for every %s: told %d times in 10 minutes, want about %d", row.every, len(told), want)
			}
		})
	}
}

// hangs is a host whose looks wait for ever, as in a system call.
type hangs struct {
	*engine
	released chan struct{}
}

func (h hangs) Look(context.Context, *graph.Graph) (*inventory.Snapshot, error) {
	<-h.released
	return nil, errors.New("released")
}

func TestALookThatHangsDoesNotHoldUpTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := hangs{&engine{}, make(chan struct{})}
		defer close(host.released)
		sweeper := host.sweeper(load(t, quick))
		sweeper.Observer = host
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			newLoop().Run(ctx, sweeper)
			close(ended)
		}()
		synctest.Wait()
		told := time.Now()
		cancel()
		<-ended
		if took := time.Since(told); took > leaveLook {
			t.Errorf("it ended %s after it was told", took)
		}
	})
}

// full is a journal that takes nothing.
type full struct{ reap.Recorder }

func (full) Ready() error { return errors.New("no space left on device") }

func TestAJournalThatTakesNothingIsAPlanRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{}
		e.put(inventory.Container{ID: id(1)})
		sweeper := e.sweeper(load(t, quick))
		sweeper.Reaper.Recorder = full{}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		refused := 0
		loop := newLoop()
		loop.Publish = func(round Round) {
			var unrecorded *UnrecordedError
			if errors.As(round.Refused, &unrecorded) {
				refused++
			}
			if len(round.Plan.Acts) > 0 && round.Refused == nil || len(round.Outcomes) > 0 {
				t.Errorf("acted without a record: %+v", round.Outcomes)
			}
		}
		loop.Run(ctx, sweeper)
		if stopped, left := e.ended(); refused == 0 || stopped != 0 || left != 1 {
			t.Errorf("refused %d times, stopped %d, left %d", refused, stopped, left)
		}
	})
}
