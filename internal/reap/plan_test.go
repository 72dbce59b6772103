package reap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/test/eventually"
)

// holds is evidence that always holds, unless it says why not.
type holds string

func (h holds) StillHolds(context.Context, Act) (bool, string) { return h == "", string(h) }

// asks is evidence that calls a function first.
type asks func(Act)

func (f asks) StillHolds(_ context.Context, act Act) (bool, string) {
	f(act)
	return true, ""
}

// rows is a process table that never changes.
type rows []inventory.Row

func (r rows) Table() ([]inventory.Row, error) { return r, nil }

// engine is containers that end as the map says, and a log of what was asked.
type engine struct {
	mu     sync.Mutex
	ends   map[string]human.Stop // by id; none is exited
	broken map[string]error      // by id
	lives  map[string]bool       // after it was stopped
	onStop func(id string)
	log    []string
}

func (e *engine) note(what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.log = append(e.log, what)
}

func (e *engine) Stop(ctx context.Context, id string, grace time.Duration) (human.Stop, error) {
	e.note("stop " + id[:4])
	if e.onStop != nil {
		e.onStop(id)
	}
	if err := e.broken[id]; err != nil {
		return "", err
	}
	if how, ok := e.ends[id]; ok {
		return how, ctx.Err()
	}
	return human.StoppedByItself, ctx.Err()
}

func (e *engine) Remove(_ context.Context, id string, _ bool) error {
	e.note("remove " + id[:4])
	return nil
}

func (e *engine) Gone(_ context.Context, id string) (bool, error) {
	return e.broken[id] == nil && !e.lives[id], nil
}

// log is a journal in memory.
type log struct {
	mu      sync.Mutex
	entries []journal.Entry
	err     error
}

func (l *log) add(phase journal.Phase, entry journal.Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry.Phase = phase
	l.entries = append(l.entries, entry)
	return l.err
}

func (l *log) Ready() error                     { return l.err }
func (l *log) Intend(entry journal.Entry) error { return l.add(journal.PhaseIntend, entry) }
func (l *log) Done(entry journal.Entry) error   { return l.add(journal.PhaseOutcome, entry) }

func (l *log) String() string {
	var lines []string
	for _, entry := range l.entries {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", entry.Phase, entry.ID, entry.Result)))
	}
	return strings.Join(lines, "; ")
}

func containerID(letter string) string { return strings.Repeat(letter, 64) }

func container(letter string) Act {
	return Act{ID: letter, TargetID: containerID(letter), Kind: KindContainer, ContainerID: containerID(letter)}
}

func results(outcomes []Outcome) string {
	var all []string
	for _, outcome := range outcomes {
		all = append(all, outcome.ActID+"="+string(outcome.Result))
	}
	return strings.Join(all, " ")
}

func wantResults(t *testing.T, outcomes []Outcome, want string) {
	t.Helper()
	if got := results(outcomes); got != want {
		t.Errorf("got %s, want %s", got, want)
		for _, outcome := range outcomes {
			t.Logf("%s: %s: %s", outcome.ActID, outcome.Result, outcome.Detail)
		}
	}
}

func TestContainerResults(t *testing.T) {
	a := containerID("a")
	for _, row := range []struct {
		name   string
		engine *engine
		remove bool
		want   human.Result
		log    string
	}{
		{"it ends within its stop timeout", &engine{}, false, human.Exited, "stop aaaa"},
		{"it has to be killed, and is removed", &engine{ends: map[string]human.Stop{a: human.StoppedByKill}}, true, human.Killed, "stop aaaa remove aaaa"},
		{"it is not there any more", &engine{ends: map[string]human.Stop{a: human.StoppedAbsent}}, true, human.AlreadyGone, "stop aaaa"},
		{"it had stopped before", &engine{ends: map[string]human.Stop{a: human.StoppedBefore}}, false, human.AlreadyGone, "stop aaaa"},
		{"an exited leftover is removed", &engine{ends: map[string]human.Stop{a: human.StoppedBefore}}, true, human.Exited, "stop aaaa remove aaaa"},
		{"the engine says no", &engine{broken: map[string]error{a: errors.New("permission denied")}}, true, human.ResultFailed, "stop aaaa"},
		{"its restart policy brings it back", &engine{lives: map[string]bool{a: true}}, true, human.ResultFailed, "stop aaaa"},
		{"the engine answers what nobody knows", &engine{ends: map[string]human.Stop{a: "melted"}}, false, human.ResultFailed, "stop aaaa"},
	} {
		t.Run(row.name, func(t *testing.T) {
			act := container("a")
			act.Remove = row.remove
			reaper := Reaper{Evidence: holds(""), Containers: row.engine}
			got := reaper.Execute(t.Context(), []Act{act})
			if got[0].Result != row.want {
				t.Errorf("got %s (%s), want %s", got[0].Result, got[0].Detail, row.want)
			}
			if got := strings.Join(row.engine.log, " "); got != row.log {
				t.Errorf("the engine was asked %q, want %q", got, row.log)
			}
		})
	}
}

// TestTheRunnerThatEndsWithAContainerIsTold: its own act would come later, or never.
func TestTheRunnerThatEndsWithAContainerIsTold(t *testing.T) {
	runner := inventory.ID{PID: 50, Start: 7}
	for _, row := range []struct {
		world  string
		table  rows
		engine *engine
		want   string
	}{
		{"it has ended", nil, &engine{}, "it exited within its stop timeout; its docker run 50 ended with it"},
		{"nobody has waited for it", rows{{ID: runner, State: 'Z'}}, &engine{}, "it exited within its stop timeout; its docker run 50 ended with it"},
		{"its number is another's", rows{{ID: inventory.ID{PID: 50, Start: 8}, State: 'S'}}, &engine{}, "it exited within its stop timeout; its docker run 50 ended with it"},
		{"it goes on", rows{{ID: runner, State: 'S'}}, &engine{}, "it exited within its stop timeout"},
		{"the container was not there", nil, &engine{ends: map[string]human.Stop{containerID("a"): human.StoppedAbsent}}, "there is no such container any more"},
	} {
		act := container("a")
		act.Runner, act.RunnerBytes, act.Record.MemoryBytes = runner, 7, 3
		reaper := Reaper{Evidence: holds(""), Containers: row.engine, Processes: row.table, Options: Options{SettleContainers: 10 * time.Millisecond}}
		got := reaper.Execute(t.Context(), []Act{act})[0]
		if got.Detail != row.want {
			t.Errorf("%s: %q, want %q", row.world, got.Detail, row.want)
		}
		if want := strings.Contains(row.want, "docker run"); (got.FreedBytes == 10) != want {
			t.Errorf("%s: %d bytes freed", row.world, got.FreedBytes)
		}
	}
}

func TestContainersThatAreLeftAlone(t *testing.T) {
	short := container("a")
	short.ContainerID = "aaaaaaaaaaaa"
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, row := range []struct {
		name     string
		ctx      context.Context
		act      Act
		evidence Evidence
		want     human.Result
	}{
		{"the evidence no longer holds", t.Context(), container("a"), holds("its runner is back"), human.Changed},
		{"nobody looks at the evidence again", t.Context(), container("a"), nil, human.Refused},
		{"the id is not the full one", t.Context(), short, holds(""), human.Refused},
		{"it was interrupted before", cancelled, container("a"), holds(""), human.Refused},
		{"nothing is said at all", t.Context(), Act{Kind: KindContainer}, holds(""), human.Refused},
	} {
		t.Run(row.name, func(t *testing.T) {
			engine, journal := &engine{}, &log{}
			reaper := Reaper{Evidence: row.evidence, Containers: engine, Recorder: journal}
			got := reaper.Execute(row.ctx, []Act{row.act})
			if got[0].Result != row.want || len(engine.log) > 0 {
				t.Errorf("got %s (%s), engine asked %v; want %s and nothing asked", got[0].Result, got[0].Detail, engine.log, row.want)
			}
			if len(journal.entries) != 1 || journal.entries[0].Phase != "outcome" {
				t.Errorf("journal: got %s, want the outcome and no intention", journal)
			}
		})
	}
}

func TestContainersEndSideBySideUpToTheLimit(t *testing.T) {
	const limit = 3
	var mu sync.Mutex
	inside, most := 0, 0
	full := make(chan struct{})
	isFull := sync.OnceFunc(func() { close(full) })
	add := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		if inside += n; inside == limit {
			isFull()
		}
		most = max(most, inside)
	}
	engine := &engine{onStop: func(string) {
		add(1)
		<-full // the first ones wait until as many as may be are here
		add(-1)
	}}
	var acts []Act
	for _, letter := range strings.Fields("a b c d e f") {
		acts = append(acts, container(letter))
	}
	reaper := Reaper{Evidence: holds(""), Containers: engine, Options: Options{Concurrency: limit}}
	wantResults(t, reaper.Execute(t.Context(), acts), "a=exited b=exited c=exited d=exited e=exited f=exited")
	if most != limit {
		t.Errorf("at most %d at a time, want %d", most, limit)
	}
}

func TestPlansThatCannotBeCarriedOutAreRefusedAndHoldUpNobody(t *testing.T) {
	after := func(act Act, ids ...string) Act {
		act.After = ids
		return act
	}
	below := func(act Act, ids ...string) Act {
		act.Kind, act.Below = "gateway", ids
		return act
	}
	for _, row := range []struct {
		name string
		plan []Act
		want string
	}{
		{"two wait for each other", []Act{after(container("a"), "b"), after(container("b"), "a"), container("c")}, "a=refused b=refused c=exited"},
		{"one waits for itself", []Act{after(container("a"), "a")}, "a=refused"},
		{"one waits for what is not in the plan", []Act{after(container("a"), "z"), container("b")}, "a=refused b=exited"},
		{"one waits for a refused one", []Act{after(container("a"), "b"), after(container("b"), "z")}, "a=refused b=refused"},
		{"an act stands there twice", []Act{container("a"), container("a")}, "a=refused a=refused"},
		{"a gateway waits for what waits for it", []Act{below(Act{ID: "g"}, "a"), after(container("a"), "g")}, "g=refused a=refused"},
		{"a gateway without processes leaves what is below", []Act{below(Act{ID: "g"}, "a"), container("a")}, "g=refused a=refused"},
	} {
		t.Run(row.name, func(t *testing.T) {
			reaper := Reaper{Evidence: holds(""), Containers: &engine{}, Processes: rows{}}
			wantResults(t, reaper.Execute(t.Context(), row.plan), row.want)
		})
	}
}

func TestAZeroReaperDoesNoHarm(t *testing.T) {
	self := inventory.ID{PID: os.Getpid(), Start: 1}
	plan := []Act{container("a"), {ID: "p", Root: self}, {}}
	wantResults(t, (&Reaper{}).Execute(t.Context(), plan), "a=refused p=refused =refused")
}

func TestGuardsOfLastResort(t *testing.T) {
	self, parent := os.Getpid(), os.Getppid()
	table := rows{
		{ID: inventory.ID{PID: 1, Start: 1}}, {ID: inventory.ID{PID: 2, Start: 1}},
		{ID: inventory.ID{PID: parent, Start: 5}, PPID: 1}, {ID: inventory.ID{PID: self, Start: 9}, PPID: parent},
	}
	for _, row := range []struct {
		name string
		root inventory.ID
		want human.Result
	}{
		{"init", inventory.ID{PID: 1, Start: 1}, human.Refused},
		{"kthreadd", inventory.ID{PID: 2, Start: 1}, human.Refused},
		{"no process", inventory.ID{}, human.Refused},
		{"a negative number, which would be a group", inventory.ID{PID: -parent, Start: 5}, human.Refused},
		{"this process", inventory.ID{PID: self, Start: 9}, human.Refused},
		{"what this process runs below", inventory.ID{PID: parent, Start: 5}, human.Refused},
	} {
		t.Run(row.name, func(t *testing.T) {
			reaper := Reaper{Processes: table, Evidence: asks(func(Act) { t.Error("came as far as the evidence") })}
			got := reaper.Execute(t.Context(), []Act{{ID: "a", Root: row.root, Members: []inventory.ID{row.root}}})
			wantResults(t, got, "a="+string(row.want))
		})
	}
}

func TestTheJournalHasIntentionAndOutcomeWithOneID(t *testing.T) {
	act := container("a")
	act.Rule, act.Name = "orphaned-containers", "demo"
	act.Record = journal.Entry{Sweep: "s7", MemoryBytes: 4096}
	record := &log{}
	reaper := Reaper{Evidence: holds(""), Containers: &engine{}, Recorder: record}
	got := reaper.Execute(t.Context(), []Act{act})
	if got[0].Result != human.Exited || got[0].FreedBytes != 4096 || got[0].JournalError != nil {
		t.Errorf("got %+v", got[0])
	}
	if want := "intend s7-a; outcome s7-a exited"; record.String() != want {
		t.Errorf("journal: got %s, want %s", record, want)
	}
	if last := record.entries[1]; last.Rule != act.Rule || last.Name != "demo" || last.TargetID != act.TargetID {
		t.Errorf("journal: got %+v", last)
	}
}

func TestNothingIsActedOnThatTheJournalCannotTake(t *testing.T) {
	full := errors.New("no space left on device")
	record := &log{err: full}
	engine := &engine{onStop: func(string) { t.Error("a container was stopped without a record") }}
	reaper := Reaper{Evidence: holds(""), Containers: engine, Recorder: record}
	got := reaper.Execute(t.Context(), []Act{container("a")})
	if got[0].Result != human.Refused || !errors.Is(got[0].JournalError, full) || !strings.Contains(got[0].Detail, "no space left") {
		t.Errorf("got %+v", got[0])
	}
	if want := "intend a"; record.String() != want {
		t.Errorf("journal: got %s, want %s: a line that tells of nothing done is none", record, want)
	}
}

func TestAPanicIsOneActionsFailure(t *testing.T) {
	engine := &engine{onStop: func(id string) {
		if id == containerID("a") {
			panic("the engine's answer made no sense")
		}
	}}
	reaper := Reaper{Evidence: holds(""), Containers: engine, Options: Options{Concurrency: 1}}
	wantResults(t, reaper.Execute(t.Context(), []Act{container("a"), container("b")}), "a=failed b=exited")
}

// counted is a table that numbers its readings, in the PID of its one row, and
// lets a test hold one up.
type counted struct {
	begun   chan int
	release chan struct{}
	n       int
}

func (c *counted) Table() ([]inventory.Row, error) {
	c.n++
	n := c.n
	c.begun <- n
	<-c.release
	return []inventory.Row{{ID: inventory.ID{PID: n}}}, nil
}

func TestAReadingIsSharedOnlyByThoseWhoAskedBeforeItBegan(t *testing.T) {
	source := &counted{begun: make(chan int), release: make(chan struct{})}
	shared := &tables{source: source}
	got := make(chan int, 10)
	ask := func() {
		now, err := shared.fresh()
		if err != nil {
			t.Error(err)
		}
		for pid := range now.rows {
			got <- pid
		}
	}
	go ask()
	<-source.begun // the first reading is under way
	for range 5 {
		go ask()
	}
	shared.waitForNext(t)
	source.release <- struct{}{}
	if first := <-got; first != 1 {
		t.Errorf("who asked first got reading %d", first)
	}
	second := 1
	for second < 6 { // the others may need more than one, but none gets the first
		select {
		case <-source.begun:
			source.release <- struct{}{}
		case n := <-got:
			if second++; n == 1 {
				t.Error("who asked during the first reading got it")
			}
		}
	}
}

// waitForNext waits until somebody has asked for the next reading.
func (t *tables) waitForNext(test *testing.T) {
	eventually.Holds(test, "somebody waits for the next reading", func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.next != nil
	})
}

func TestAReadingThatPanicsIsAnErrorForAllWhoWait(t *testing.T) {
	shared := &tables{} // no source
	func() {
		defer func() { _ = recover() }()
		_, _ = shared.fresh()
	}()
	if shared.next != nil {
		t.Error("a reading that panicked is still waited for")
	}
}

func TestWhatTheKernelDoesNotEndIsPendingAndNotCalledKilled(t *testing.T) {
	x := (&Reaper{}).newRun(nil)
	tree := x.newTree(&Act{})
	tree.members = []*member{{id: inventory.ID{PID: 141, Start: 7}, verified: true}}
	result, detail, err := tree.remain(tree.living())
	if result != human.ResultFailed || !strings.HasPrefix(detail, "pending in the kernel") || err != nil {
		t.Errorf("got %s, %q, %v", result, detail, err)
	}
}

func TestAZombieIsNotCountedAmongWhatWasEnded(t *testing.T) {
	tree := (&Reaper{}).newRun(nil).newTree(&Act{})
	tree.members = []*member{
		{id: inventory.ID{PID: 141, Start: 7}, exited: true}, {id: inventory.ID{PID: 142, Start: 8}, exited: true, dead: true},
	}
	for killed, want := range map[int]string{0: "1 process exited within 20ms of being asked", 1: wereKilled(1) + " after 20ms"} {
		if _, got := tree.sum(killed, "20ms"); got != want {
			t.Errorf("%d killed: %q, want %q", killed, got, want)
		}
	}
}

// TestAnActBeginsOnceItIsOnRecord, and what stays never does.
func TestAnActBeginsOnceItIsOnRecord(t *testing.T) {
	for why, want := range map[string]string{"": "intend a; begun a", "it is pinned": ""} {
		var record log
		var begun string
		reaper := Reaper{Evidence: holds(why), Containers: &engine{}, Recorder: &record, Begun: func(id string) { begun = record.String() + "; begun " + id }}
		reaper.Execute(t.Context(), []Act{container("a")})
		if begun != want {
			t.Errorf("%q: %q, want %q", why, begun, want)
		}
	}
}
