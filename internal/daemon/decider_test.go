package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/test/world"
)

// stage is a host that is written as text, with the loop of a decider of root's over it.
type stage struct {
	*decider
	mind *mind

	mu    sync.Mutex
	looks []*inventory.Snapshot
	at    int
	ends  []string // containers that were stopped
	slow  time.Duration
}

// The users of a stage.
var (
	alice = account.Reader{UID: 1001}
	bob   = account.Reader{UID: 1002}
	root  = account.Reader{UID: 0}
)

// reaches is a reader who may use the stage's engine.
func reaches(r account.Reader) account.Reader {
	r.Reaches = func(endpoint string) bool { return endpoint == engine }
	return r
}

// engine is the stage's.
const engine = "unix:///var/run/docker.sock"

// on sets a stage with looks, and has test play there. Time is the bubble's.
func on(t *testing.T, rules string, looks []string, test func(t *testing.T, s *stage)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(world.Noon))
		s := &stage{mind: newMind(newWakes(slog.New(slog.DiscardHandler)))}
		s.mind.names = catalogue.New()
		reader := world.New()
		for _, text := range looks {
			seen, err := reader.Look(0, text)
			if err != nil {
				t.Fatal(err)
			}
			s.looks = append(s.looks, seen)
		}
		s.decider = &decider{
			mind: s.mind, state: state.Dir(filepath.Join(dir, "state")), journal: filepath.Join(dir, "journal.jsonl"),
			log: slog.New(slog.DiscardHandler), settle: time.Second, within: lookWithin,
		}
		ctx, stop := context.WithCancel(t.Context())
		go func() { defer close(s.mind.ended); s.loop(t, rules).Run(ctx, s.sweeper(t, rules)) }()
		test(t, s)
		stop()
		<-s.mind.ended
	})
}

func (s *stage) loop(*testing.T, string) *sweep.Loop {
	var told acts
	told.add(policy.Outcome{ID: "a1", Target: "7085:1", Name: "planted", Cwd: "/home/bob/planted", Result: human.Exited, FreedBytes: 123456789, User: inventory.Known(1002), At: time.Now()},
		policy.Outcome{ID: "a2", Target: "7086:1", Name: "planted", Result: human.ResultFailed, At: time.Now()})
	return &sweep.Loop{
		Wakes: s.mind.wakes.triggers, Orders: s.mind.orders, Paused: func() bool { return isPaused(s.state) },
		Publish: func(round sweep.Round) {
			told.add(round.Told()...)
			s.mind.post(round, func(l account.Look) account.Look {
				l.Acts, l.Today = told.lately(time.Now())
				wishes, _ := s.state.Wishes("", time.Now())
				l.Pauses = pausesOf(wishes)
				l.Decider = account.Decider{Kind: account.ByDaemon, User: "root", PID: 1, Whole: true, Daemon: &account.Daemon{Faults: []string{"/root/bob-planted"}, Listen: "127.0.0.1:9723"}}
				return l
			})
		},
	}
}

func (s *stage) sweeper(t *testing.T, rules string) *sweep.Sweeper {
	builtin := policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()}
	p, err := policy.Load(policy.File{Name: "test.yaml", Data: []byte("version: 1\nextends: builtin\n" + rules)}, builtin)
	if err != nil {
		t.Fatal(err)
	}
	pinned := func(*inventory.Snapshot) func(*graph.Target) (graph.Pin, bool) {
		by, _ := s.state.Pinned("b0", time.Now())
		return by
	}
	return &sweep.Sweeper{
		Observer: s, Fresh: s, Catalogue: s.mind.names, Policy: p, Pinned: pinned, Reaper: &reap.Reaper{Containers: s},
		KeptNow: func(t *graph.Target) (string, bool) { pin, kept := pinned(nil)(t); return pin.Why, kept },
	}
}

func (s *stage) Look(context.Context, *graph.Graph) (*inventory.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := *s.looks[s.at]
	seen.TakenAt = time.Now()
	seen.Containers = slices.DeleteFunc(slices.Clone(seen.Containers), func(c inventory.Container) bool { return slices.Contains(s.ends, c.ID) })
	for i := range seen.Containers {
		seen.Containers[i].Engine = engine
	}
	return &seen, nil
}

// turn has the looks from now on see what comes next.
func (s *stage) turn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = min(s.at+1, len(s.looks)-1)
}

func (s *stage) Process(id inventory.ID) (inventory.Process, bool, error) {
	seen, err := s.Look(context.Background(), nil)
	i := slices.IndexFunc(seen.Processes, func(p inventory.Process) bool { return p.ID() == id })
	if i < 0 {
		return inventory.Process{}, false, err
	}
	return seen.Processes[i], true, err
}

func (s *stage) Container(_ context.Context, id string) (inventory.Container, bool, error) {
	seen, err := s.Look(context.Background(), nil)
	i := slices.IndexFunc(seen.Containers, func(c inventory.Container) bool { return c.ID == id })
	if i < 0 {
		return inventory.Container{}, false, err
	}
	return seen.Containers[i], true, err
}

func (s *stage) Stop(_ context.Context, id string, _ time.Duration) (human.Stop, error) {
	time.Sleep(s.slow)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends = append(s.ends, id)
	return human.StoppedByItself, nil
}

func (s *stage) Remove(context.Context, string, bool) error { return nil }

func (s *stage) Gone(ctx context.Context, id string) (bool, error) {
	_, there, err := s.Container(ctx, id)
	return !there, err
}

// twoUsers are alice and bob with a live session and what another left. All that is bob's has "planted" in a
// name, and a number that begins with 7.
const twoUsers = `
1 0 1 50d null null systemd
44 1 44 3h tty tty claude # user=alice cwd=/home/alice/web mem=180 cpu=1 io=1
45 44 44 3h p1@44 p2@44 /usr/bin/mcp-server-fetch # user=alice cwd=/home/alice/web mem=45
50 1 50 3h p3! p4! /usr/bin/mcp-server-git # user=alice cwd=/home/alice/old mem=46
7044 1 7044 3h tty tty codex planted-argument # user=bob cwd=/home/bob/planted mem=181 cpu=1 io=1 comm=planted-comm
7045 7044 7044 3h p5@7044 p6@7044 node /home/bob/planted/node_modules/.bin/mcp-server-planted # user=bob cwd=/home/bob/planted mem=47
7050 1 7050 3h p7! p8! node /home/bob/planted/node_modules/.bin/planted-mcp-server # user=bob cwd=/home/bob/planted mem=48
7060 7044 7044 3h p9@7044 p10@7044 docker run -i --rm --name planted-box planted/mcp-server # user=bob cwd=/home/bob/planted mem=20
7065 7044 7065 1h null null next planted-dev # user=bob cwd=/home/bob/planted mem=20
7070 1 7070 3h null null /home/bob/bin/planted-toiler # user=bob cwd=/home/bob/planted mem=40
7071 7070 7070 3h p11@7070 p12@7070 node /home/bob/planted/node_modules/.bin/mcp-server-planted # user=bob cwd=/home/bob/planted mem=40
container 7070707070707070707070707070707070707070707070707070707070707070 planted/mcp-server 3h name=planted-box pid=7900 stdin=open
source docker reached-by bob
`

// asks are all questions and orders of a reader, about what a word means.
func asks(ctx context.Context, a account.Asker, word string) map[string]func() (any, error) {
	order := account.Order{Words: []string{word}, Enforce: true}
	return map[string]func() (any, error){
		"account": func() (any, error) { return a.Account(ctx, true) },
		"explain": func() (any, error) { return a.Explain(ctx, word) },
		"history": func() (any, error) { return a.History(ctx, account.Period{Name: word, Now: time.Now()}) },
		"all the history": func() (any, error) {
			return a.History(ctx, account.Period{Now: time.Now()})
		},
		"record": func() (any, error) {
			within, stop := context.WithTimeout(ctx, time.Minute)
			defer stop()
			var all []journal.Entry
			err := a.Record(within, time.Time{}, func(e journal.Entry) { all = append(all, e) })
			return all, err
		},
		"pins":            func() (any, error) { return a.Pins(ctx) },
		"pin":             func() (any, error) { return a.Pin(ctx, word, time.Time{}, "") },
		"unpin":           func() (any, error) { return a.Unpin(ctx, []string{word}) },
		"pause":           func() (any, error) { return a.Pause(ctx, time.Now().Add(time.Second), "") },
		"resume":          func() (any, error) { return a.Resume(ctx) },
		"plan":            func() (any, error) { return a.Plan(ctx, order) },
		"a plan of all":   func() (any, error) { return a.Plan(ctx, account.Order{}) },
		"a plan of some":  func() (any, error) { return a.Plan(ctx, account.Order{Duplicates: true, IdleOver: time.Hour}) },
		"a plan by looks": func() (any, error) { return a.Plan(ctx, account.Order{Settle: 2 * time.Second}) },
		"act": func() (any, error) {
			return a.Act(ctx, &account.Plan{ID: "0123", Order: order})
		},
		"follow": func() (any, error) {
			within, stop := context.WithTimeout(ctx, time.Minute)
			defer stop()
			var all []*account.Account
			err := a.Follow(within, func(seen *account.Account) { all = append(all, seen) })
			return all, err
		},
	}
}

// TestNoAnswerHasAByteOfAnothers: names, folders, arguments, containers, numbers, pins, reasons and acts of bob's
// are planted everywhere, and alice asks everything about everything.
func TestNoAnswerHasAByteOfAnothers(t *testing.T) {
	left := `
gone 7044
set 7045 in=p5! out=p6!
set 7060 in=p9! out=p10!
container 7070707070707070707070707070707070707070707070707070707070707070 planted/mcp-server 3h name=planted-box pid=7900 stdin=closed
`
	on(t, "mode: report\n", []string{twoUsers, left}, func(t *testing.T, s *stage) {
		ctx, uid := t.Context(), 1002
		theirs := s.As(bob)
		if _, err := theirs.Pin(ctx, "7045", time.Time{}, "planted reason"); err != nil {
			t.Fatal(err)
		}
		record, err := journal.Open(s.journal)
		if err != nil {
			t.Fatal(err)
		}
		for id, name := range map[string]string{"7081:1": "planted-server", "7082:1": "mcp-server-fetch"} {
			entry := journal.Entry{ID: id, TargetID: id, Name: name, UID: &uid, Owner: "codex 7044:1", Cwd: "/home/bob/planted", Result: string(human.Exited), Detail: "planted detail", By: "bob"}
			if err := errors.Join(record.Intend(entry), record.Done(entry)); err != nil {
				t.Fatal(err)
			}
		}
		unowned := journal.Entry{ID: "planted-of-nobody", TargetID: "7083:1", Name: "planted"}
		if err := errors.Join(record.Intend(unowned), record.Done(unowned), record.Close()); err != nil {
			t.Fatal(err)
		}
		words := []string{"45", "50", "44", "claude", "mcp-server-*", "*", "mcp-server-fetch", "nothing-here"}
		words = append(words, "7044", "7045", "7050", "7060", "7070", "7071", "7900", "7081", "planted-box", "planted-toiler", "planted-comm", "mcp-server-planted", "codex", "70707070707070")
		for range s.looks { // before and after bob's session has ended
			for _, word := range words {
				for what, ask := range asks(ctx, s.As(alice), word) {
					value, err := ask()
					document, _ := json.Marshal(value)
					text := string(document)
					var advised *human.Error
					if errors.As(err, &advised) {
						text += advised.Error() + advised.Hint
					} else if err != nil {
						text += err.Error()
					}
					text = strings.ReplaceAll(text, word, "WORD") // she typed it
					for _, planted := range []string{"planted", "bob", "7044", "7045", "7050", "7060", "7070", "7071", "7900", "7081", "7082", "7083", "root/", "123456789"} {
						if strings.Contains(text, planted) {
							t.Errorf("%s about %s tells %s: %s", what, word, planted, text)
						}
					}
				}
			}
			all, err := s.As(root).Account(ctx, true)
			document, _ := json.Marshal(all)
			if err != nil || strings.Count(string(document), "planted") < 10 {
				t.Errorf("the test plants nothing: %s, %v", document, err)
			}
			s.turn()
			time.Sleep(time.Minute)
		}
	})
}

// isMisuse reports an error that says something, as of a mistake of who asked.
func isMisuse(err error, says string) bool {
	var advised *human.Error
	return errors.As(err, &advised) && advised.Misuse && strings.Contains(err.Error(), says)
}

// TestWhatHasEndedSinceALookIsNotExplainedByIt: within a second of a look its answer is not one about now.
func TestWhatHasEndedSinceALookIsNotExplainedByIt(t *testing.T) {
	on(t, "mode: report\n", []string{twoUsers, "gone 50"}, func(t *testing.T, s *stage) {
		ctx, a := t.Context(), s.As(alice)
		if e, err := a.Explain(ctx, "50"); err != nil || e.Thing == nil {
			t.Errorf("while it runs: %+v, %v", e, err)
		}
		s.turn()
		if e, err := a.Explain(ctx, "50"); err != nil || e.Thing != nil || e.Gone == nil {
			t.Errorf("after it: %+v, %v", e, err)
		}
	})
}

// TestAnOrderIsAboutOnesOwnThings: the number of another's process is refused as such, for everybody sees that
// it is there; a name of another's means nothing.
func TestAnOrderIsAboutOnesOwnThings(t *testing.T) {
	on(t, "", []string{twoUsers}, func(t *testing.T, s *stage) {
		ctx, hers := t.Context(), s.As(alice)
		for _, pid := range []string{"7044", "7045", "7050", "1"} {
			order := account.Order{Words: []string{pid}}
			_, plan := hers.Plan(ctx, order)
			_, pin := hers.Pin(ctx, pid, time.Time{}, "")
			_, why := hers.Explain(ctx, pid)
			for what, err := range map[string]error{"sweep": plan, "pin": pin, "explain": why} {
				if !isMisuse(err, "process "+pid+" is another user's") {
					t.Errorf("%s %s: %v", what, pid, err)
				}
			}
		}
		for _, word := range []string{"planted-mcp-server", "planted-box", "codex", "7900"} {
			_, plan := hers.Plan(ctx, account.Order{Words: []string{word}})
			_, pin := hers.Pin(ctx, word, time.Time{}, "")
			if plan == nil || pin == nil || isMisuse(plan, "") || isMisuse(pin, "") {
				t.Errorf("%s: %v, %v", word, plan, pin)
			}
		}
		if _, err := hers.Plan(ctx, account.Order{Words: []string{"50"}, Rules: []string{"orphaned-server"}}); !isMisuse(err, "no such rule; did you mean \"orphaned-servers\"?") {
			t.Errorf("a rule that is none: %v", err)
		}
		if _, err := hers.Plan(ctx, account.Order{Settle: 2 * time.Hour}); !isMisuse(err, "--settle 2h") {
			t.Errorf("hours between two looks: %v", err)
		}
		for reader, want := range map[*account.Reader][]string{&alice: {"50"}, &bob: {"7050"}, &root: {"50", "7050"}} {
			plan, err := s.As(*reader).Plan(ctx, account.Order{})
			var targets []string
			for _, id := range plan.Targets {
				pid, _, _ := strings.Cut(id, ":")
				targets = append(targets, pid)
			}
			if slices.Sort(targets); err != nil || !slices.Equal(targets, want) {
				t.Errorf("user %d would stop %q, want %q (%v)", reader.UID, targets, want, err)
			}
		}
	})
}

// TestATreeWithAnothersProcessIsNotOnesOwn: root's child of a server is ended by root alone.
func TestATreeWithAnothersProcessIsNotOnesOwn(t *testing.T) {
	const tree = "\n51 50 50 3h p3! p4! /usr/bin/helper # user=root cwd=/\n"
	on(t, "", []string{twoUsers + tree}, func(t *testing.T, s *stage) {
		plan, err := s.As(alice).Plan(t.Context(), account.Order{Words: []string{"50"}})
		if err != nil || len(plan.Targets) > 0 {
			t.Errorf("alice would stop %q (%v)", plan.Targets, err)
		}
		if plan, err = s.As(root).Plan(t.Context(), account.Order{Words: []string{"50"}}); err != nil || len(plan.Targets) != 1 {
			t.Errorf("root would stop %q (%v)", plan.Targets, err)
		}
	})
}

// TestAPinOfAUserIsHeededAndNobodyElses: it is shown to its user and to root, and ends with its time.
func TestAPinOfAUserIsHeededAndNobodyElses(t *testing.T) {
	on(t, "", []string{twoUsers}, func(t *testing.T, s *stage) {
		ctx, hers := t.Context(), s.As(alice)
		pins, err := hers.Pin(ctx, "mcp-server-git", time.Now().Add(time.Hour), "a demo")
		if err != nil || len(pins) != 1 || pins[0].UID != 1001 || pins[0].Why != "a demo" || !pins[0].There {
			t.Fatalf("%+v, %v", pins, err)
		}
		for reader, want := range map[*account.Reader]int{&alice: 1, &bob: 0, &root: 1} {
			if pins, err := s.As(*reader).Pins(ctx); err != nil || len(pins) != want {
				t.Errorf("user %d is told of %d pins, want %d (%v)", reader.UID, len(pins), want, err)
			}
		}
		if plan, err := s.As(root).Plan(ctx, account.Order{Words: []string{"50"}}); err != nil || len(plan.Targets) != 0 {
			t.Errorf("root's own sweep does not heed it: %q (%v)", plan.Targets, err)
		}
		if _, err := s.As(bob).Unpin(ctx, []string{"50"}); err == nil || !strings.Contains(err.Error(), "not pinned") {
			t.Errorf("bob ends it: %v", err)
		}
		if ended, err := s.As(bob).Unpin(ctx, nil); err != nil || len(ended) != 0 {
			t.Errorf("bob ends all of his: %+v, %v", ended, err)
		}
		time.Sleep(time.Hour)
		if plan, err := hers.Plan(ctx, account.Order{Words: []string{"50"}}); err != nil || len(plan.Targets) != 1 {
			t.Errorf("after its time: %q (%v)", plan.Targets, err)
		}
		if _, err := hers.Pin(ctx, "50", time.Time{}, ""); err != nil {
			t.Fatal(err)
		}
		if ended, err := s.As(root).Unpin(ctx, nil); err != nil || len(ended) != 0 {
			t.Errorf("root ends all of root's: %+v, %v", ended, err)
		}
		if ended, err := s.As(root).Unpin(ctx, []string{"50"}); err != nil || len(ended) != 1 || ended[0].UID != 1001 {
			t.Errorf("root ends it by its name: %+v, %v", ended, err)
		}
	})
}

// TestAPauseOfAUserHoldsForThatUsersThings, and root's for all.
func TestAPauseOfAUserHoldsForThatUsersThings(t *testing.T) {
	on(t, "", []string{twoUsers}, func(t *testing.T, s *stage) {
		ctx, hers := t.Context(), s.As(alice)
		if _, err := hers.Pause(ctx, time.Now().Add(time.Hour), "a demo"); err != nil {
			t.Fatal(err)
		}
		seen, err := hers.Account(ctx, true)
		if err != nil || seen.Decider.Rests != account.Paused || seen.Decider.PauseReason != "a demo" {
			t.Errorf("alice is told %+v, %v", seen.Decider, err)
		}
		theirs, err := s.As(bob).Account(ctx, true)
		if err != nil || theirs.Decider.Rests != "" {
			t.Errorf("bob is told %+v, %v", theirs.Decider, err)
		}
		if _, err := hers.Act(ctx, &account.Plan{}); err == nil || !strings.Contains(err.Error(), "nothing is reaped: paused until") {
			t.Errorf("alice sweeps meanwhile: %v", err)
		}
		if plan, err := s.As(root).Plan(ctx, account.Order{}); err != nil || len(plan.Targets) != 1 || !strings.HasPrefix(plan.Targets[0], "7050:") {
			t.Errorf("root would stop %q (%v)", plan.Targets, err)
		}
		if pause, err := s.As(bob).Resume(ctx); err != nil || pause != (account.Pause{}) {
			t.Errorf("bob resumes %+v, %v", pause, err)
		}
		if pause, err := hers.Resume(ctx); err != nil || pause.Why != "a demo" {
			t.Errorf("alice resumes %+v, %v", pause, err)
		}
		if _, err := s.As(root).Pause(ctx, time.Now().Add(time.Hour), ""); err != nil {
			t.Fatal(err)
		}
		if _, err := s.As(bob).Act(ctx, &account.Plan{}); err == nil || !strings.Contains(err.Error(), "nothing is reaped: paused until") {
			t.Errorf("bob sweeps while root pauses: %v", err)
		}
		if _, err := s.As(bob).Resume(ctx); err != nil {
			t.Fatal(err)
		}
		if all, err := s.As(root).Account(ctx, true); err != nil || all.Decider.PausedUntil.IsZero() && !isPaused(s.state) {
			t.Errorf("bob has ended root's pause: %+v, %v", all.Decider, err)
		}
	})
}

// left is a container of bob's whose docker run has ended, and one that goes on.
const left = `
1 0 1 50d null null systemd
source docker reached-by bob
7044 1 7044 3h tty tty codex # user=bob cwd=/home/bob/x mem=181 cpu=1 io=1
7060 7044 7044 3h p9@7044 p10@7044 docker run -i --rm --name box mcp/github # user=bob cwd=/home/bob/x mem=20
7061 7044 7044 3h p13@7044 p14@7044 docker run -i --rm --name other mcp/fetch # user=bob cwd=/home/bob/x mem=20
container abc1abc1abc1abc1abc1abc1abc1abc1abc1abc1abc1abc1abc1abc1abc1abc1 mcp/github 3h name=box pid=7900 stdin=open
container abc2abc2abc2abc2abc2abc2abc2abc2abc2abc2abc2abc2abc2abc2abc2abc2 mcp/fetch 3h name=other pid=7901 stdin=open
`

const leftOver = `
gone 7044 7060 7061
container abc1abc1abc1abc1abc1abc1abc1abc1abc1abc1abc1abc1abc1abc1abc1abc1 mcp/github 3h name=box pid=7900 stdin=closed
container abc2abc2abc2abc2abc2abc2abc2abc2abc2abc2abc2abc2abc2abc2abc2abc2 mcp/fetch 3h name=other pid=7901 stdin=closed
`

// swept runs a sweep: plan, then act.
func swept(t *testing.T, a account.Asker, order account.Order) (*account.Plan, *account.Result) {
	t.Helper()
	plan, err := a.Plan(t.Context(), order)
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Act(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	return plan, result
}

// TestASweepActsOnWhatWasShownAndStillHolds: by the daemon, under whoever's name.
func TestASweepActsOnWhatWasShownAndStillHolds(t *testing.T) {
	on(t, "schedule: \"@every 1h\"\nrules: [{name: orphaned-containers, for: 10h}]\n", []string{left, leftOver}, func(t *testing.T, s *stage) {
		hers := s.As(reaches(alice))
		if _, err := hers.Account(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		s.turn()
		time.Sleep(time.Minute)
		if plan, err := s.As(alice).Plan(t.Context(), account.Order{}); err != nil || len(plan.Targets) != 0 {
			t.Errorf("without the engine alice sees %q (%v)", plan.Targets, err)
		}
		plan, err := hers.Plan(t.Context(), account.Order{Words: []string{"box"}})
		if err != nil || len(plan.Targets) != 1 || plan.Question == "" {
			t.Fatalf("%q, %q (%v)", plan.Targets, plan.Question, err)
		}
		plan.Order.Words = nil // what was shown counts, and not what is said now
		result, err := hers.Act(t.Context(), plan)
		if err != nil || result.Stopped != 1 || len(result.Account.Outcomes) != 1 {
			t.Fatalf("%+v (%v)", result, err)
		}
		if told := result.Account.Outcomes[0]; told.Target != plan.Targets[0] || told.By != "1001" || told.ByHand != "sweep" || !told.Outcome.Gone() {
			t.Errorf("told %+v", told)
		}
		if len(s.ends) != 1 {
			t.Errorf("stopped %q", s.ends)
		}
		time.Sleep(2 * time.Second) // a look is forced once a second at the most
		seen, err := s.As(root).Account(t.Context(), true)
		if err != nil || len(seen.Acts) != 3 || seen.Acts[0].By != "1001" { // two are of the stage
			t.Errorf("root is told of %+v (%v)", seen.Acts, err)
		}
		plan, result = swept(t, hers, account.Order{Words: []string{"other"}})
		if len(plan.Targets) != 1 || result.Stopped != 1 || len(s.ends) != 2 {
			t.Errorf("the other: %q, %+v", plan.Targets, result)
		}
	})
}

// TestWhatDoesNotHoldAnyMoreStays: what was shown is in use again, or pinned, before the yes.
func TestWhatDoesNotHoldAnyMoreStays(t *testing.T) {
	for world, change := range map[string]func(*testing.T, *stage){
		"its session is back": func(_ *testing.T, s *stage) { s.turn() },
		"it was pinned": func(t *testing.T, s *stage) {
			if _, err := s.As(reaches(bob)).Pin(t.Context(), "box", time.Time{}, ""); err != nil {
				t.Fatal(err)
			}
		},
		"another plan is meant": nil,
	} {
		on(t, "schedule: \"@every 1h\"\nrules: [{name: orphaned-containers, for: 10h}]\n", []string{left, leftOver, left}, func(t *testing.T, s *stage) {
			hers := s.As(reaches(alice))
			if _, err := hers.Account(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			s.turn()
			time.Sleep(time.Minute)
			plan, err := hers.Plan(t.Context(), account.Order{Words: []string{"box"}})
			if err != nil || len(plan.Targets) != 1 {
				t.Fatalf("%q (%v)", plan.Targets, err)
			}
			if change == nil {
				plan.ID = "0000000000000000"
			} else {
				change(t, s)
			}
			result, err := hers.Act(t.Context(), plan)
			if err != nil || result.Stopped != 0 || len(s.ends) > 0 {
				t.Errorf("%s: %+v, stopped %q (%v)", world, result, s.ends, err)
			}
		})
	}
}

// TestASweepWaitsForAsLongAsItWants between two looks, and what is likely for ten minutes.
func TestASweepWaitsForAsLongAsItWants(t *testing.T) {
	const likely = `
1 0 1 50d null null systemd
50 1 50 3h p3! p4! /usr/bin/mcp-server-git # user=alice cwd=/home/alice/old mem=46 cpu=1 io=1
60 1 60 3h p5! p6! python3 /home/alice/mcp_chatbot.py # user=alice cwd=/home/alice/old mem=46 cpu=1 io=1
`
	on(t, "mode: report\nschedule: \"@every 1h\"\n", []string{likely}, func(t *testing.T, s *stage) {
		ctx, hers, began := t.Context(), s.As(alice), time.Now()
		plan, err := hers.Plan(ctx, account.Order{})
		if err != nil || len(plan.Targets) != 1 || time.Since(began) > time.Second {
			t.Errorf("after %s: %q (%v)", time.Since(began), plan.Targets, err)
		}
		if _, err := hers.Plan(ctx, account.Order{Settle: 10 * time.Second}); err != nil || time.Since(began) < 10*time.Second || time.Since(began) > 15*time.Second {
			t.Errorf("with a settle of 10s after %s (%v)", time.Since(began), err)
		}
		time.Sleep(10 * time.Minute)
		if plan, err = hers.Plan(ctx, account.Order{}); err != nil || len(plan.Targets) != 2 {
			t.Errorf("after ten minutes: %q (%v)", plan.Targets, err)
		}
		if _, err := hers.Act(ctx, plan); !isMisuse(err, "says mode: report, so a sweep may not act") {
			t.Errorf("under mode report: %v", err)
		}
	})
}

// TestWhatTheSecondLookSeesFirstGetsAnother: its session ended between the two, or the first could not tell.
func TestWhatTheSecondLookSeesFirstGetsAnother(t *testing.T) {
	const used = `
1 0 1 50d null null systemd
60 1 60 3h p5! p6! /usr/bin/mcp-server-time # user=alice cwd=/home/alice/old mem=46 cpu=1 io=1
40 1 40 3h tty tty claude # user=alice cwd=/home/alice/old mem=46 cpu=1 io=1
50 40 40 3h p3@40 p4@40 /usr/bin/mcp-server-git # user=alice cwd=/home/alice/old mem=46 cpu=1 io=1
`
	on(t, "schedule: \"@every 1h\"\n", []string{used, "gone 40"}, func(t *testing.T, s *stage) {
		began := time.Now()
		time.AfterFunc(time.Second, s.turn)
		plan, err := s.As(alice).Plan(t.Context(), account.Order{Settle: 10 * time.Second})
		if err != nil || len(plan.Targets) != 2 || time.Since(began) < 20*time.Second || time.Since(began) > 25*time.Second {
			t.Errorf("after %s: %q (%v)", time.Since(began), plan.Targets, err)
		}
	})
}

// TestQuestionsOfManyMakeOneLookASecond: who asks gets the look that another asked for.
func TestQuestionsOfManyMakeOneLookASecond(t *testing.T) {
	on(t, "schedule: \"@every 10m\"\n", []string{twoUsers}, func(t *testing.T, s *stage) {
		looks := map[time.Time]bool{}
		for range 10 * 4 { // ten seconds
			var asking sync.WaitGroup
			for uid := range 20 {
				asking.Go(func() {
					if _, err := s.As(account.Reader{UID: 1000 + uid}).Account(t.Context(), true); err != nil {
						t.Error(err)
					}
				})
			}
			asking.Wait()
			newest, _ := s.mind.newest()
			looks[newest.snapshot().TakenAt] = true
			time.Sleep(time.Second / 4)
		}
		if len(looks) > 13 {
			t.Errorf("%d looks in ten seconds of 800 questions", len(looks))
		}
	})
}

// TestTheDaysSumsAreEachUsersOwnAndEndAtMidnight.
func TestTheDaysSumsAreEachUsersOwnAndEndAtMidnight(t *testing.T) {
	noon := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.Local)
	var a acts
	ended := func(uid int, ago time.Duration, result human.Result) policy.Outcome {
		return policy.Outcome{Result: result, FreedBytes: 100, User: inventory.Known(uid), At: noon.Add(-ago)}
	}
	a.add(ended(1001, 13*time.Hour, human.Exited), ended(1001, time.Hour, human.Exited), ended(1002, time.Hour, human.Killed), ended(1001, time.Hour, human.ResultFailed), ended(1001, 0, human.Exited))
	list, today := a.lately(noon)
	if len(list) != 5 || !list[0].At.Equal(noon) || today[1001] != (account.Today{Stopped: 2, FreedBytes: 200}) || today[1002] != (account.Today{Stopped: 1, FreedBytes: 100}) {
		t.Errorf("%d acts, %+v", len(list), today)
	}
	if list, today = a.lately(noon.Add(12*time.Hour + time.Minute)); len(today) != 0 || len(list) != 4 {
		t.Errorf("after midnight: %d acts, %+v", len(list), today)
	}
}

// TestASweepByCommandAloneKnowsWhatWasReapedLately: the brake on what is started again counts it, also from the
// journal alone, and only below owners that are known.
func TestASweepByCommandAloneKnowsWhatWasReapedLately(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal.jsonl")
	record, err := journal.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range []journal.Entry{
		{ID: "1", TargetID: "60:1", Name: "fetch", Owner: "codex 44:1", Result: string(human.Exited)},
		{ID: "2", TargetID: "61:1", Name: "fetch", Owner: "codex 44:1", Result: string(human.ResultFailed)},
		{ID: "3", TargetID: "62:1", Name: "fetch", Result: string(human.Exited)},
	} {
		if err := errors.Join(record.Intend(entry), record.Done(entry)); err != nil {
			t.Fatal(err)
		}
	}
	if err := record.Close(); err != nil {
		t.Fatal(err)
	}
	if got := reapedLately(file); len(got) != 1 || got[0].Target != "60:1" || got[0].Owner.PID != 44 {
		t.Errorf("%+v", got)
	}
	if got := reapedLately(file + ".none"); len(got) != 0 {
		t.Errorf("without a journal: %+v", got)
	}
}
