package top

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
)

// paper is a terminal that keeps the drawn frames.
type paper struct {
	keys            chan Message
	mu              sync.Mutex
	drawn           []string
	whole           int
	suspended, back int
}

func (p *paper) Messages() <-chan Message { return p.keys }
func (p *paper) Suspend() error           { p.suspended++; return nil }
func (p *paper) Resume() error            { p.back++; return nil }
func (p *paper) Draw(frame Frame, whole bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drawn = append(p.drawn, frame.String())
	if whole {
		p.whole++
	}
}

func (p *paper) frames() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.drawn)
}

func (p *paper) last() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.drawn[len(p.drawn)-1]
}

func (p *paper) types(keys ...Key) {
	for _, key := range keys {
		p.keys <- key
		synctest.Wait()
	}
}

// stage is a decider whose looks a test sends.
type stage struct {
	account.Asker
	looks    chan *account.Account
	last     *account.Account
	asked    int // for a look
	planned  []account.Order
	acted    int
	pinned   []string
	waits    bool // a plan takes until the reader gives up
	panics   bool
	isDaemon bool
}

func (s *stage) Follow(ctx context.Context, tell func(*account.Account)) error {
	for {
		select {
		case a := <-s.looks:
			s.last = a
			tell(a)
		case <-ctx.Done():
			return nil
		}
	}
}

func (s *stage) Account(context.Context, bool) (*account.Account, error) {
	s.asked++
	return s.last, nil
}

func (s *stage) Plan(ctx context.Context, order account.Order) (*account.Plan, error) {
	s.planned = append(s.planned, order)
	switch {
	case s.panics:
		panic("what a look")
	case s.waits:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &account.Plan{Account: s.last, Targets: []string{"7:1"}, Question: "Stop 1 MCP server?", Order: order}, nil
}

func (s *stage) Act(context.Context, *account.Plan) (*account.Result, error) {
	s.acted++
	return &account.Result{Account: s.last, Stopped: 1}, nil
}

func (s *stage) Pin(_ context.Context, word string, _ time.Time, _ string) ([]account.Pin, error) {
	s.pinned = append(s.pinned, word)
	return []account.Pin{{Target: word, Called: "lark-mcp"}}, nil
}

func (s *stage) host() Host {
	ask := func(context.Context) (Decider, error) { return Decider{s, func() {}, s.isDaemon}, nil }
	return Host{Ask: ask, Order: ask, Every: time.Hour}
}

// play runs the loop beside the test, in a synctest bubble.
func play(t *testing.T, s *stage, test func(l *loop, p *paper)) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{keys: make(chan Message)}
		s.looks, s.isDaemon = make(chan *account.Account), true
		l := newLoop(p, s.host(), New(Options{UTF8: true}, time.Now()))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.run(ctx) }()
		synctest.Wait()
		test(l, p)
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
	})
}

func (s *stage) shows(a *account.Account) {
	s.looks <- a
	synctest.Wait()
}

// seenAt has one server that a session left, due after so long. Zero means that it is in use, since so long.
func seenAt(at time.Time, due, age time.Duration) *account.Account {
	lark := account.Thing{
		ID: "7:1", Kind: graph.KindServer, Name: "lark-mcp", Handle: "7", PID: 7, Start: 1, Fate: account.InUse, Decision: "keep",
		Owner: account.Owner{Name: "codex", PID: 5, Start: 1, Liveness: graph.LivenessLive},
	}
	a := &account.Account{TakenAt: at, Decider: account.Decider{Kind: account.ByDaemon, PID: 9}, Sections: []account.Section{{Fate: account.InUse, Rows: []account.Row{{ID: "5:1", Title: "codex 5", Servers: 1, Things: []string{"7:1"}}}}}}
	if age > 0 {
		a.Sections[0].Rows[0].State = account.Text{{Since: at.Add(-age)}}
	}
	if due > 0 {
		lark.Fate, lark.Decision, lark.DueAt, lark.Owner.Liveness = account.Leaked, "pending", at.Add(due), graph.LivenessGone
		a.Sections[0].Fate, a.Summary.Leaked = account.Leaked, 1
	}
	a.Things = []account.Thing{lark}
	return a
}

func TestNothingIsDrawnAndNobodyWakesWhileNothingChanges(t *testing.T) {
	s := &stage{}
	play(t, s, func(l *loop, p *paper) {
		at := time.Now()
		s.shows(seenAt(at, 0, 0))
		drawn, turns := p.frames(), l.turns.Load()
		time.Sleep(24 * time.Hour)
		if p.frames() != drawn || l.turns.Load() != turns {
			t.Errorf("in a day it woke %d times and drew %d frames", l.turns.Load()-turns, p.frames()-drawn)
		}
		for range 100 { // the same look again, as a daemon sends it
			s.shows(seenAt(at, 0, 0))
		}
		p.types("tab", "up")
		if p.frames() != drawn {
			t.Errorf("it drew %d frames of the same", p.frames()-drawn)
		}
	})
}

func TestAnAgeIsDrawnWhenItChanges(t *testing.T) {
	s := &stage{}
	play(t, s, func(l *loop, p *paper) {
		s.shows(seenAt(time.Now(), 0, time.Hour-10*time.Second))
		drawn, turns := p.frames(), l.turns.Load()
		for _, row := range []struct {
			sleep time.Duration
			times int64
			shows string
		}{
			{10*time.Second + time.Millisecond, 10, " 1h "}, // seconds below an hour, then minutes
			{time.Hour, 70, " 2h "},
		} {
			time.Sleep(row.sleep)
			synctest.Wait()
			if woke := l.turns.Load() - turns; int64(p.frames()-drawn) != row.times || woke != row.times || !strings.Contains(p.last(), row.shows) {
				t.Errorf("it woke %d times and drew %d frames, the last of them\n%s", woke, p.frames()-drawn, p.last())
			}
		}
	})
}

func TestACountdownIsDrawnOnceASecond(t *testing.T) {
	s := &stage{}
	play(t, s, func(l *loop, p *paper) {
		s.shows(seenAt(time.Now(), 30*time.Second, 0))
		drawn, turns := p.frames(), l.turns.Load()
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		if p.frames()-drawn != 10 || l.turns.Load()-turns != 10 || !strings.Contains(p.last(), "stops in 20s") {
			t.Errorf("in ten seconds it woke %d times and drew %d frames, the last of them\n%s", l.turns.Load()-turns, p.frames()-drawn, p.last())
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if p.frames()-drawn != 30 || !strings.Contains(p.last(), "stops in 0s") {
			t.Errorf("in an hour it drew %d frames, the last of them\n%s", p.frames()-drawn, p.last())
		}
	})
}

func TestAStopAsksAndSaysWhatCameOfIt(t *testing.T) {
	for _, row := range []struct {
		key   Key
		want  string
		acted int
	}{{"y", "Stopped 1.", 1}, {"n", "Nothing stopped.", 0}, {"x", "y yes, n no", 0}, {"enter", "Nothing stopped.", 0}} {
		s := &stage{}
		play(t, s, func(_ *loop, p *paper) {
			s.shows(seenAt(time.Now(), time.Minute, 0))
			p.types("G", "x")
			if !strings.Contains(p.last(), "Stop 1 MCP server?") {
				t.Errorf("it asks\n%s", p.last())
			}
			p.types(row.key)
			if want := []account.Order{{Words: []string{"7"}, Enforce: true}}; !strings.Contains(p.last(), row.want) || s.acted != row.acted || !reflect.DeepEqual(s.planned, want) {
				t.Errorf("after %s it planned %v, acted %d times, and shows\n%s", row.key, s.planned, s.acted, p.last())
			}
		})
	}
}

func TestAQuestionThatNobodyAnswersIsANo(t *testing.T) {
	s := &stage{}
	play(t, s, func(_ *loop, p *paper) {
		s.shows(seenAt(time.Now(), time.Minute, 0))
		p.types("G", "x")
	})
	if s.acted > 0 {
		t.Error("it was a yes")
	}
}

func TestAStopIsGivenUpBeforeItAsks(t *testing.T) {
	s := &stage{waits: true}
	play(t, s, func(_ *loop, p *paper) {
		s.shows(seenAt(time.Now(), time.Minute, 0))
		p.types("G", "x")
		if !strings.Contains(p.last(), "esc gives up") {
			t.Errorf("it does not say how:\n%s", p.last())
		}
		p.types("y", "p")
		if s.acted > 0 || len(s.pinned) > 0 {
			t.Error("a key typed before the question did something")
		}
		p.types("esc")
		if !strings.Contains(p.last(), "Given up: nothing was stopped.") {
			t.Errorf("after escape:\n%s", p.last())
		}
	})
}

func TestAPinIsFollowedByALook(t *testing.T) {
	s := &stage{}
	play(t, s, func(_ *loop, p *paper) {
		s.shows(seenAt(time.Now(), time.Minute, 0))
		p.types("G", "p")
		if !reflect.DeepEqual(s.pinned, []string{"7:1"}) || s.asked != 1 || !strings.Contains(p.last(), "Pinned lark-mcp 7.") {
			t.Errorf("pinned %q, asked for %d looks:\n%s", s.pinned, s.asked, p.last())
		}
	})
}

func TestAfterASuspensionEverythingIsDrawn(t *testing.T) {
	s, stopped := &stage{}, 0
	play(t, s, func(l *loop, p *paper) {
		l.stop = func() { stopped++ }
		s.shows(seenAt(time.Now(), 0, 0))
		p.types("ctrl-z", "ctrl-l", "r")
		if p.suspended != 1 || p.back != 1 || stopped != 1 || p.whole != 3 || s.asked != 1 {
			t.Errorf("suspended %d, stopped %d, taken again %d, drawn whole %d times; asked for %d looks", p.suspended, stopped, p.back, p.whole, s.asked)
		}
	})
}

func TestTheLoopEnds(t *testing.T) {
	gone := errors.New("input/output error")
	for _, row := range []struct {
		name    string
		message Message
		want    error
	}{{"by q", Key("q"), nil}, {"when the terminal is gone", lost{gone}, gone}} {
		synctest.Test(t, func(t *testing.T) {
			p, s := &paper{keys: make(chan Message, 1)}, &stage{looks: make(chan *account.Account), isDaemon: true}
			p.keys <- row.message
			if err := newLoop(p, s.host(), New(Options{}, time.Now())).run(t.Context()); !errors.Is(err, row.want) {
				t.Errorf("%s: %v", row.name, err)
			}
		})
	}
}

func TestAPanicBesideTheLoopIsTheLoops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer func() {
			if value := recover(); value == nil || !strings.Contains(value.(string), "what a look") {
				t.Errorf("got %v", value)
			}
		}()
		s := &stage{panics: true, isDaemon: true, looks: make(chan *account.Account, 1)}
		p := &paper{keys: make(chan Message, 8)}
		s.looks <- seenAt(time.Now(), time.Minute, 0)
		go func() {
			synctest.Wait()
			p.keys <- Key("G")
			p.keys <- Key("x")
		}()
		_ = newLoop(p, s.host(), New(Options{}, time.Now())).run(t.Context())
	})
}
