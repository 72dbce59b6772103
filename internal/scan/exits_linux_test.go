package scan

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/procstat"
	"github.com/reaperd/reaperd/test/eventually"
)

// waitAtMost is how long anything is waited for: only a broken test takes it.
const waitAtMost = 30 * time.Second

func newWatcher(t *testing.T) *Watcher {
	t.Helper()
	w := NewWatcher()
	t.Cleanup(w.Close)
	if err := w.Err(); err != nil {
		t.Skip("this system has no pidfd: ", err)
	}
	return w
}

// napper is a child that does nothing until it is killed.
type napper struct {
	*exec.Cmd
	id inventory.ID
}

func startNapper(t *testing.T) napper {
	t.Helper()
	child := exec.Command("sleep", "600")
	if err := child.Start(); err != nil {
		t.Skip("no sleep program: ", err)
	}
	s := napper{child, identityOf(t, child.Process.Pid)}
	t.Cleanup(func() { s.end(); _ = child.Wait() })
	return s
}

func (s napper) end() { _ = s.Process.Kill() }

func identityOf(t *testing.T, pid int) inventory.ID {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	process, err := procstat.Parse(stat)
	if err != nil {
		t.Fatal(err)
	}
	return inventory.ID{PID: pid, Start: process.Start}
}

func next(t *testing.T, w *Watcher) inventory.ID {
	t.Helper()
	select {
	case id := <-w.Exited():
		return id
	case <-time.After(waitAtMost):
		t.Fatal("nothing was yielded")
		return inventory.ID{}
	}
}

func nothingElse(t *testing.T, w *Watcher) {
	t.Helper()
	select {
	case id := <-w.Exited():
		t.Errorf("%v was yielded", id)
	default:
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestAProcessIsYieldedWhenItEnds(t *testing.T) {
	w := newWatcher(t)
	dies, lives := startNapper(t), startNapper(t)
	w.Watch([]inventory.ID{dies.id, lives.id})
	nothingElse(t, w)
	dies.end()
	if got := next(t, w); got != dies.id {
		t.Errorf("got %v, want %v", got, dies.id)
	}
	nothingElse(t, w)
}

func TestWhatHasEndedIsYieldedAtOnceAndOnce(t *testing.T) {
	w := newWatcher(t)
	gone, zombie, lives := startNapper(t), startNapper(t), startNapper(t)
	gone.end()
	_ = gone.Wait()
	zombie.end()
	another := inventory.ID{PID: lives.id.PID, Start: lives.id.Start + 1} // its number belongs to lives now
	set := []inventory.ID{gone.id, zombie.id, another, lives.id}
	w.Watch(set)
	got := map[inventory.ID]int{}
	for range 3 {
		got[next(t, w)]++
	}
	for _, id := range set[:3] {
		if got[id] != 1 {
			t.Errorf("%v was yielded %d times", id, got[id])
		}
	}
	w.Watch(set)
	nothingElse(t, w)
	w.Watch(set[3:])
	w.Watch(set[:1])
	if id := next(t, w); id != gone.id {
		t.Errorf("in a set made anew: %v", id)
	}
}

func TestWhatIsDroppedFromTheSetIsNotYielded(t *testing.T) {
	w := newWatcher(t)
	dropped, kept := startNapper(t), startNapper(t)
	w.Watch([]inventory.ID{dropped.id, kept.id})
	w.Watch([]inventory.ID{kept.id})
	dropped.end()
	_ = dropped.Wait()
	kept.end()
	if got := next(t, w); got != kept.id {
		t.Errorf("got %v, want %v", got, kept.id)
	}
	nothingElse(t, w)
}

func TestMoreThanCanBeWatchedIsLeftToTheSchedule(t *testing.T) {
	w := newWatcher(t)
	ids := make([]inventory.ID, mostWatched+5)
	for i := range ids { // numbers above any PID: all of them have exited
		ids[i] = inventory.ID{PID: 1<<22 + 1 + i, Start: 1}
	}
	w.Watch(ids)
	if got := w.Left(); got != 5 {
		t.Errorf("%d are left, want 5", got)
	}
	for i := range mostWatched {
		if got := next(t, w); got != ids[i] {
			t.Fatalf("%d: got %v, want %v", i, got, ids[i])
		}
	}
	w.Watch(ids[:1])
	if got := w.Left(); got != 0 {
		t.Errorf("%d are left of one", got)
	}
}

// Processes come and go, enter and leave the set, in every round.
func TestChurnLosesNothingAndLeavesNothingBehind(t *testing.T) {
	w := newWatcher(t)
	files, goroutines := openFiles(t), runtime.NumGoroutine()
	yielded := map[inventory.ID]bool{}
	var living []napper
	for round := range 60 {
		living = append(living, startNapper(t), startNapper(t))
		ids := []inventory.ID{}
		for _, s := range living {
			ids = append(ids, s.id)
		}
		w.Watch(ids)
		dies := living[round%len(living)]
		dies.end()
		for !yielded[dies.id] {
			yielded[next(t, w)] = true
		}
		_ = dies.Wait()
		living = append(living[:round%len(living)], living[round%len(living)+1:]...)
		if round%10 == 9 {
			w.Watch(nil)
		}
	}
	for _, s := range living {
		if yielded[s.id] {
			t.Errorf("%v lives and was yielded", s.id)
		}
		s.end()
		_ = s.Wait()
	}
	w.Watch(nil)
	eventually.Holds(t, "files are left open", func() bool { return openFiles(t) <= files })
	w.Close()
	eventually.Holds(t, "goroutines are left", func() bool { return runtime.NumGoroutine() < goroutines })
	if _, open := <-w.Exited(); open {
		for range w.Exited() {
		}
	}
}

func TestClosingTwiceAndWatchingAfterwardsDoesNothing(t *testing.T) {
	w := newWatcher(t)
	child := startNapper(t)
	w.Watch([]inventory.ID{child.id})
	w.Close()
	w.Close()
	w.Watch([]inventory.ID{child.id})
	if _, open := <-w.Exited(); open {
		t.Error("something was yielded after closing")
	}
	if got := w.Left(); got != 1 {
		t.Errorf("%d are left, want 1", got)
	}
}

// A reader that never comes must not hold up who watches, nor who closes.
func TestASlowReaderHoldsUpNobody(t *testing.T) {
	w := newWatcher(t)
	for round := range 3 {
		ids := make([]inventory.ID, mostWatched)
		for i := range ids {
			ids[i] = inventory.ID{PID: 1<<22 + 1 + i, Start: uint64(round)}
		}
		w.Watch(ids)
	}
	w.Close()
}

// insideMarker tells the test binary that it was run again in a namespace.
const insideMarker = "EXITS_TEST_INSIDE"

// inNamespace runs the present test once more in a PID namespace of its own.
func inNamespace(t *testing.T, options ...string) {
	t.Helper()
	options = append(options, "--pid", "--fork", "--kill-child")
	if os.Geteuid() != 0 {
		options = append(options, "--user", "--map-root-user")
	}
	unshare := func(command ...string) *exec.Cmd {
		return exec.Command("unshare", append(append([]string{}, options...), command...)...)
	}
	if err := unshare("true").Run(); err != nil {
		t.Skip("no PID namespace can be made here: ", err)
	}
	again := unshare(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	again.Env = append(os.Environ(), insideMarker+"=1")
	if out, err := again.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestANamespaceOfItsOwn(t *testing.T) {
	w := newWatcher(t)
	if os.Getenv(insideMarker) == "" {
		inNamespace(t, "--mount-proc")
		return
	}
	if os.Getpid() > 10 {
		t.Fatalf("pid %d: this is no namespace of its own", os.Getpid())
	}
	child := startNapper(t)
	w.Watch([]inventory.ID{child.id})
	child.end()
	if got := next(t, w); got != child.id {
		t.Errorf("got %v, want %v", got, child.id)
	}
}

// A process table of another namespace names other processes: nothing is watched.
func TestATableOfAnotherNamespaceIsNotBelieved(t *testing.T) {
	if os.Getenv(insideMarker) == "" {
		newWatcher(t)
		inNamespace(t)
		return
	}
	w := NewWatcher()
	defer w.Close()
	if w.Err() == nil {
		t.Error("the table of the namespace outside was taken for the own one")
	}
	w.Watch([]inventory.ID{{PID: 1, Start: 1}})
	nothingElse(t, w)
	if got := w.Left(); got != 1 {
		t.Errorf("%d are left, want 1", got)
	}
}
