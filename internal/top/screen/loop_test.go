package screen

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/top"
)

// paper is a terminal that keeps the drawn frames.
type paper struct {
	keys            chan top.Message
	mu              sync.Mutex
	drawn           []string
	whole           int
	suspended, back int
}

func (p *paper) Messages() <-chan top.Message { return p.keys }
func (p *paper) Suspend() error               { p.suspended++; return nil }
func (p *paper) Resume() error                { p.back++; return nil }
func (p *paper) Draw(frame top.Frame, whole bool) {
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

// stage is a world whose looks a test sends.
type stage struct {
	looks   chan top.Seen
	hurried int
	asked   int // for a look
	did     []top.Effect
	does    func(ask func(top.Question) bool) ([]string, error)
	waits   bool // Do takes until the reader gives up
}

func (s *stage) Next(ctx context.Context) top.Seen {
	select {
	case seen := <-s.looks:
		return seen
	case <-ctx.Done():
		return top.Seen{Err: ctx.Err()}
	}
}

func (s *stage) Hurry() { s.hurried++ }

func (s *stage) Look() { s.asked++ }

func (s *stage) Do(ctx context.Context, effect top.Effect, ask func(top.Question) bool) top.Said {
	s.did = append(s.did, effect)
	if s.waits {
		<-ctx.Done()
		return top.Said{Effect: effect, Err: ctx.Err()}
	}
	lines, err := s.does(ask)
	return top.Said{Effect: effect, Lines: lines, Err: err}
}

// play runs the loop beside the test, in a synctest bubble.
func play(t *testing.T, s *stage, test func(l *loop, p *paper)) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{keys: make(chan top.Message)}
		s.looks = make(chan top.Seen)
		l := newLoop(p, s, top.New(top.Options{UTF8: true}, time.Now()))
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

func (s *stage) shows(tree overview.Tree) {
	s.looks <- top.Seen{Tree: tree, From: top.Daemon}
	synctest.Wait()
}

func (p *paper) types(keys ...top.Key) {
	for _, key := range keys {
		p.keys <- key
		synctest.Wait()
	}
}

// treeAt has one server that a session left, due after so long. Zero means that the
// server is in use.
func treeAt(at time.Time, due time.Duration) overview.Tree {
	return treeOf(at, due, &inventory.Process{PID: 7, Start: 1, Argv: []string{"lark-mcp"}})
}

// treeOf is [treeAt] with that process.
func treeOf(at time.Time, due time.Duration, p *inventory.Process) overview.Tree {
	target := &graph.Target{ID: "7:1", Kind: graph.KindServer, Name: "lark-mcp", Root: p, Members: []*inventory.Process{p},
		Owner: graph.Owner{Name: "codex", ID: inventory.ID{PID: 5, Start: 1}, Kind: graph.OwnerProcess, Liveness: graph.LivenessLive}}
	verdict := policy.Verdict{Target: target}
	if due > 0 {
		target.Owner.Liveness, target.Finding = graph.LivenessGone, graph.FindingOrphaned
		verdict.Decision, verdict.DueAt, verdict.Rule = policy.Pending, at.Add(due), "orphaned-servers"
	}
	return overview.Make(overview.Input{
		Graph: &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: at}}, Mode: policy.ModeEnforce, Verdicts: []policy.Verdict{verdict},
	})
}

func TestNothingIsDrawnAndNobodyWakesWhileNothingChanges(t *testing.T) {
	s := &stage{}
	play(t, s, func(l *loop, p *paper) {
		at := time.Now()
		s.shows(treeAt(at, 0))
		drawn, turns := p.frames(), l.turns.Load()
		time.Sleep(24 * time.Hour)
		if p.frames() != drawn || l.turns.Load() != turns {
			t.Errorf("in a day it woke %d times and drew %d frames", l.turns.Load()-turns, p.frames()-drawn)
		}
		for range 100 { // the same look again, as a daemon sends it
			s.shows(treeAt(at, 0))
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
		at := time.Now()
		s.shows(treeOf(at, 0, &inventory.Process{PID: 7, Start: 1, StartedAt: at.Add(-time.Hour + 10*time.Second), Argv: []string{"lark-mcp"}}))
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
		s.shows(treeAt(time.Now(), 30*time.Second))
		drawn, turns := p.frames(), l.turns.Load()
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		if p.frames()-drawn != 10 || l.turns.Load()-turns != 10 || !strings.Contains(p.last(), "stops in 20s") {
			t.Errorf("in ten seconds it woke %d times and drew %d frames, the last of them\n%s", l.turns.Load()-turns, p.frames()-drawn, p.last())
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if p.frames()-drawn != 30 || !strings.Contains(p.last(), "stops now") {
			t.Errorf("in an hour it drew %d frames, the last of them\n%s", p.frames()-drawn, p.last())
		}
	})
}

func TestAStopAsksAndSaysWhatCameOfIt(t *testing.T) {
	for _, row := range []struct {
		key  top.Key
		want string
	}{{"y", "Stopped 1."}, {"n", "Nothing stopped."}} {
		s := &stage{does: func(ask func(top.Question) bool) ([]string, error) {
			if ask(top.Question{Plan: []string{"Would stop lark-mcp 7."}, Asks: "Stop this?"}) {
				return []string{"Stopped 1."}, nil
			}
			return []string{"Nothing stopped."}, nil
		}}
		play(t, s, func(_ *loop, p *paper) {
			s.shows(treeAt(time.Now(), time.Minute))
			p.types("G", "x")
			if !strings.Contains(p.last(), "Would stop lark-mcp 7.") || !strings.Contains(p.last(), "Stop this?") {
				t.Errorf("it asks\n%s", p.last())
			}
			p.types(row.key)
			if !strings.Contains(p.last(), row.want) || !reflect.DeepEqual(s.did, []top.Effect{{Do: top.Stop, Targets: []string{"7:1"}}}) || s.hurried != 1 {
				t.Errorf("after %s, did %v:\n%s", row.key, s.did, p.last())
			}
		})
	}
}

func TestAQuestionThatNobodyAnswersIsANo(t *testing.T) {
	said := make(chan bool, 1)
	s := &stage{does: func(ask func(top.Question) bool) ([]string, error) {
		said <- ask(top.Question{})
		return nil, nil
	}}
	play(t, s, func(_ *loop, p *paper) {
		s.shows(treeAt(time.Now(), time.Minute))
		p.types("G", "x")
	})
	if <-said {
		t.Error("it was a yes")
	}
}

func TestAStopIsGivenUpBeforeItAsks(t *testing.T) {
	s := &stage{}
	s.waits = true
	play(t, s, func(_ *loop, p *paper) {
		s.shows(treeAt(time.Now(), time.Minute))
		p.types("G", "x")
		if !strings.Contains(p.last(), "esc gives up") {
			t.Errorf("it does not say how:\n%s", p.last())
		}
		p.types("esc")
		if !strings.Contains(p.last(), "Given up: nothing was stopped.") {
			t.Errorf("after escape:\n%s", p.last())
		}
	})
}

// TestAnAnswerToAStopThatIsOverWaitsForNobody: the stop was given up, or failed, before
// the key arrived.
func TestAnAnswerToAStopThatIsOverWaitsForNobody(t *testing.T) {
	s := &stage{does: func(func(top.Question) bool) ([]string, error) { return []string{"Nothing here."}, nil }}
	play(t, s, func(l *loop, p *paper) {
		s.shows(treeAt(time.Now(), time.Minute))
		p.types("G", "x")
		l.perform(context.Background(), new(sync.WaitGroup), top.Effect{Do: top.Yes})
		p.types("s")
		if !strings.Contains(p.last(), "by memory") {
			t.Errorf("it hangs:\n%s", p.last())
		}
	})
}

func TestAfterASuspensionEverythingIsDrawn(t *testing.T) {
	s, stopped := &stage{}, 0
	play(t, s, func(l *loop, p *paper) {
		l.stop = func() { stopped++ }
		s.shows(treeAt(time.Now(), 0))
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
		message top.Message
		want    error
	}{{"by q", top.Key("q"), nil}, {"when the terminal is gone", lost{gone}, gone}} {
		synctest.Test(t, func(t *testing.T) {
			p, s := &paper{keys: make(chan top.Message, 1)}, &stage{looks: make(chan top.Seen)}
			p.keys <- row.message
			if err := newLoop(p, s, top.New(top.Options{}, time.Now())).run(t.Context()); !errors.Is(err, row.want) {
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
		s := &stage{does: func(func(top.Question) bool) ([]string, error) { panic("what a look") }, looks: make(chan top.Seen, 1)}
		p := &paper{keys: make(chan top.Message, 8)}
		s.looks <- top.Seen{Tree: treeAt(time.Now(), time.Minute)}
		go func() {
			synctest.Wait()
			p.keys <- top.Key("G")
			p.keys <- top.Key("x")
		}()
		_ = newLoop(p, s, top.New(top.Options{}, time.Now())).run(t.Context())
	})
}
