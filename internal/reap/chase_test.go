package reap

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// leaver is a world of one process that starts another whenever it, or what it has
// started, is ended, up to a number. The first process of the world adopts all of them,
// and a reading takes long.
type leaver struct {
	mu      sync.Mutex
	reading time.Duration
	births  int
	born    byte // the state of who is born
	next    int
	rows    map[int]byte // the state of each process by PID
	ended   map[int]time.Time
}

func (l *leaver) Table() ([]inventory.Row, error) {
	time.Sleep(l.reading)
	l.mu.Lock()
	defer l.mu.Unlock()
	rows := []inventory.Row{{ID: inventory.ID{PID: 1, Start: 1}, State: 'S'}}
	for pid, state := range l.rows {
		rows = append(rows, inventory.Row{ID: inventory.ID{PID: pid, Start: uint64(pid)}, PPID: 1, State: state, SID: pid})
	}
	return rows, nil
}

func (l *leaver) Open(pid int) (Handle, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rows[pid] == 0 {
		return nil, ErrExited
	}
	return grip{l, pid}, nil
}

func (l *leaver) Wait(handles []Handle, _ time.Duration) (ended []int, err error) {
	for i, handle := range handles {
		if handle.Exited() {
			ended = append(ended, i)
		}
	}
	return ended, nil
}

// end ends a process; another is born.
func (l *leaver) end(pid int) {
	delete(l.rows, pid)
	l.ended[pid] = time.Now()
	if l.births > 0 {
		l.births--
		l.next++
		l.rows[l.next] = l.born
	}
}

type grip struct {
	world *leaver
	pid   int
}

func (g grip) Exited() bool {
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	return g.world.rows[g.pid] == 0
}

func (g grip) Signal(signal unix.Signal) error {
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	switch {
	case g.world.rows[g.pid] == 0:
		return ErrExited
	case signal == unix.SIGSTOP:
		g.world.rows[g.pid] = 'T'
	case signal == unix.SIGCONT:
		g.world.rows[g.pid] = 'S'
	default:
		g.world.end(g.pid)
	}
	return nil
}

func (grip) Close() {}

func TestStraysAreEndedHoweverLongTheReadingsTake(t *testing.T) {
	for _, row := range []struct {
		name    string
		reading time.Duration
		births  int
		born    byte          // the state of who is born
		unread  time.Duration // how long nothing can be read of a process
		want    human.Result
		left    int
		says    string
	}{
		{"one after the other, on a machine where a reading takes ten seconds", 10 * time.Second, 20, 'S', 0, human.Killed, 0, "died with it"},
		{"what is on its way and cannot be read for ten seconds is waited for", time.Millisecond, 3, 'R', 10 * time.Second, human.Killed, 0, "died with it"},
		{"what the kernel holds is waited for as well", time.Millisecond, 3, 'D', 10 * time.Second, human.Killed, 0, "died with it"},
		{"what is on its way for ever and cannot be read is said, and left", time.Millisecond, 1, 'R', time.Hour, human.Escaped, 1, "1 process that may have left the tree could not be read"},
		{"what sleeps and can be read half a second later comes from it", time.Millisecond, 3, 'S', 500 * time.Millisecond, human.Killed, 0, "died with it"},
		{"they never end, and that is said", time.Millisecond, 1 << 20, 'S', 0, human.Escaped, 1, "some may have left it"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := &leaver{reading: row.reading, births: row.births, born: row.born, next: 100, rows: map[int]byte{100: 'S'}, ended: map[int]time.Time{}}
				root := inventory.ID{PID: 100, Start: 100}
				reaper := Reaper{Processes: world, Kernel: world, Evidence: holds(""), Options: Options{FreezeWait: 2 * time.Minute, KillWait: time.Hour, Grace: time.Minute}}
				born := map[inventory.ID]time.Time{}
				reaper.Kin = func(_ context.Context, _ Act, id inventory.ID) Kinship {
					if born[id].IsZero() {
						born[id] = time.Now()
					}
					if time.Since(born[id]) < row.unread {
						return Unread
					}
					return Proven
				}
				got := reaper.Execute(t.Context(), []Act{{ID: "a", Root: root, Members: []inventory.ID{root}}})
				if len(got) != 1 || got[0].Result != row.want {
					t.Fatalf("got %+v, want %s", got, row.want)
				}
				if len(world.rows) != row.left {
					t.Errorf("%d live, want %d", len(world.rows), row.left)
				}
				if !strings.Contains(got[0].Detail, row.says) || len(got[0].Survivors) > row.left {
					t.Errorf("it says %q, and names %v", got[0].Detail, got[0].Survivors)
				}
			})
		})
	}
}

// brood is a world whose only process has started another whenever somebody looks, up to a
// number: forks that were under way when it was stopped.
type brood struct {
	*leaver
	forks *int
}

func (b brood) Table() ([]inventory.Row, error) {
	rows, err := b.leaver.Table()
	b.mu.Lock()
	defer b.mu.Unlock()
	if *b.forks > 0 && b.rows[100] != 0 {
		*b.forks--
		b.next++
		b.rows[b.next] = 'S'
	}
	for i := range rows {
		if rows[i].ID.PID > 100 && b.rows[100] != 0 {
			rows[i].PPID = 100
		}
	}
	return rows, err
}

// TestATreeHasAsManyReadingsToHoldStillAsItNeedsOnABusyMachine: there a reading takes seconds,
// and the time alone says nothing of the tree.
func TestATreeHasAsManyReadingsToHoldStillAsItNeedsOnABusyMachine(t *testing.T) {
	for _, row := range []struct {
		world   string
		reading time.Duration
		forks   int
	}{
		{"a quick machine", time.Millisecond, 20},
		{"a reading takes two seconds", 2 * time.Second, 20},
	} {
		t.Run(row.world, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := brood{&leaver{reading: row.reading, next: 100, rows: map[int]byte{100: 'S'}, ended: map[int]time.Time{}}, &row.forks}
				root := inventory.ID{PID: 100, Start: 100}
				reaper := Reaper{Processes: world, Kernel: world, Evidence: holds("")}
				reaper.Kin = func(context.Context, Act, inventory.ID) Kinship { return Stranger }
				got := reaper.Execute(t.Context(), []Act{{ID: "a", Root: root, Members: []inventory.ID{root}}})
				if len(got) != 1 || got[0].Result != human.Exited || len(world.rows) > 0 {
					t.Errorf("got %+v, want %s; %d live, want 0", got, human.Exited, len(world.rows))
				}
			})
		})
	}
}

// handover is a world whose only process starts another by way of a third when it is asked
// to end. The third takes some time to die: it has no files, and still has its child.
type handover struct {
	*leaver
	dies time.Duration
}

func (h handover) Table() ([]inventory.Row, error) {
	rows, err := h.leaver.Table()
	h.mu.Lock()
	defer h.mu.Unlock()
	if since := h.ended[100]; !since.IsZero() && time.Since(since) < h.dies {
		between := inventory.ID{PID: 150, Start: 150}
		for i := range rows {
			if rows[i].ID.PID == 101 {
				rows[i].PPID = between.PID
			}
		}
		rows = append(rows, inventory.Row{ID: between, PPID: 1, State: 'R', SID: 150, Ending: true})
	}
	return rows, err
}

// TestWhoIsEndingIsWaitedForSinceItsChildrenAreNotAdoptedYet: a tree may let something go
// by way of a process that ends at once, which takes seconds on a busy machine.
func TestWhoIsEndingIsWaitedForSinceItsChildrenAreNotAdoptedYet(t *testing.T) {
	for _, row := range []struct {
		world string
		dies  time.Duration
		want  human.Result
		left  int
	}{
		{"it has ended before anybody looks", 0, human.Killed, 0},
		{"it takes a moment", 30 * time.Millisecond, human.Killed, 0},
		{"it takes seconds", 10 * time.Second, human.Killed, 0},
		{"the kernel keeps it for ever: it says nothing of the tree", time.Hour, human.Exited, 1},
	} {
		t.Run(row.world, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := handover{&leaver{reading: time.Millisecond, births: 1, born: 'S', next: 100, rows: map[int]byte{100: 'S'}, ended: map[int]time.Time{}}, row.dies}
				root := inventory.ID{PID: 100, Start: 100}
				reaper := Reaper{Processes: world, Kernel: world, Evidence: holds(""), Options: Options{Grace: time.Minute}}
				reaper.Kin = func(_ context.Context, _ Act, id inventory.ID) Kinship {
					if id.PID == 150 {
						return Stranger
					}
					return Proven
				}
				got := reaper.Execute(t.Context(), []Act{{ID: "a", Root: root, Members: []inventory.ID{root}}})
				if len(got) != 1 || got[0].Result != row.want || len(world.rows) != row.left {
					t.Errorf("got %+v, want %s; %d live, want %d", got, row.want, len(world.rows), row.left)
				}
			})
		})
	}
}

// TestWhatStaysUnreadableHoldsUpNobody: a process of the same user that hides its
// descriptors, such as an ssh-agent, begins while a tree is asked to end. Whether it
// comes from the tree is told by nothing.
func TestWhatStaysUnreadableHoldsUpNobody(t *testing.T) {
	for _, row := range []struct {
		name   string
		born   byte
		want   human.Result
		within time.Duration // the first act
		says   string
	}{
		{"it sleeps: the tree is gone, and the process is named", 'S', human.Exited, 2 * time.Second, "; process 301 began meanwhile and cannot be read, so whether it comes from it cannot be told"},
		{"it is stopped", 'T', human.Exited, 2 * time.Second, "process 301 began meanwhile"},
		{"it runs on and on: the tree may have left something", 'R', human.Escaped, 17 * time.Second, "1 process that may have left the tree could not be read"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				world := &leaver{reading: time.Millisecond, births: 1, born: row.born, next: 300, rows: map[int]byte{100: 'S', 200: 'S'}, ended: map[int]time.Time{}}
				reaper := Reaper{Processes: world, Kernel: world, Evidence: holds(""), Options: Options{Concurrency: 1}}
				reaper.Kin = func(context.Context, Act, inventory.ID) Kinship { return Unread }
				var acts []Act
				for _, pid := range []int{100, 200} {
					id := inventory.ID{PID: pid, Start: uint64(pid)}
					acts = append(acts, Act{ID: fmt.Sprint(pid), Root: id, Members: []inventory.ID{id}})
				}
				got := reaper.Execute(t.Context(), acts)
				first := got[0]
				if !world.ended[100].Before(world.ended[200]) {
					first = got[1]
				}
				if first.Result != row.want || !strings.Contains(first.Detail, row.says) || first.Took > row.within {
					t.Errorf("after %s %s: %q", first.Took, first.Result, first.Detail)
				}
				if row.want == human.Exited && len(first.Survivors) > 0 {
					t.Errorf("a process of whom it is not known is told as one of its own: %v", first.Survivors)
				}
				if last := max(world.ended[100].Sub(began), world.ended[200].Sub(began)); last > time.Second {
					t.Errorf("the second act was held up: it ended its tree after %s", last)
				}
				if len(world.rows) != 1 {
					t.Errorf("%d live, want the process that could not be read", len(world.rows))
				}
			})
		})
	}
}
