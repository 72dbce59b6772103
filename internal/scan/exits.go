package scan

import (
	"errors"
	"fmt"
	"sync"

	"github.com/reaperd/reaperd/internal/inventory"
)

// mostWatched is how many processes are watched at the same time.
const mostWatched = 1024

// errExited means that the process has exited. It is never a failure.
var errExited = errors.New("process has exited")

// Watcher reports the exits of a set of processes, so that a daemon that sleeps between
// its sweeps looks at once when a session dies: on Linux through a pidfd for each (the
// runtime's poller wakes in about 0.2 ms), on macOS through one kqueue. A PID may be
// reused, so the start mark is read after the handle was opened: if it is equal, the
// handle refers to that process for as long as it is open.
//
// A report is only a hint: its reader must look. Processes that are not watched are
// found by the next sweep ([Watcher.Left], [Watcher.Err]).
//
// It is safe for use by several goroutines.
type Watcher struct {
	exited chan inventory.ID
	err    error

	mu     sync.Mutex
	kernel *kernel                // nil where nothing can be watched
	held   map[inventory.ID]watch // what is watched
	told   map[inventory.ID]bool  // what has exited and is still in the set
	left   int
	closed bool
}

// NewWatcher returns a watcher of no process. If the system cannot watch any, the watcher is
// usable, watches nothing, and Err says why.
func NewWatcher() *Watcher {
	w := &Watcher{exited: make(chan inventory.ID, mostWatched), held: map[inventory.ID]watch{}, told: map[inventory.ID]bool{}}
	k, err := openKernel(w.hasExited)
	if err != nil {
		w.err = fmt.Errorf("watch processes: %w", err)
		return w
	}
	w.kernel = k
	return w
}

// Err is why no process can be watched here; nil if they can.
func (w *Watcher) Err() error { return w.err }

// Exited yields each watched process once when it has exited, with all its threads,
// waited for or not. [Watcher.Close] closes the channel. It buffers as many as can be
// watched; a slow reader loses those beyond that.
func (w *Watcher) Exited() <-chan inventory.ID { return w.exited }

// Left is how many processes of the set are not watched.
func (w *Watcher) Left() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.left
}

// Watch replaces the set. A process that has exited already, or whose number is
// another's now, is yielded at once.
func (w *Watcher) Watch(ids []inventory.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.kernel == nil {
		w.left = len(ids)
		return
	}
	w.forgetOthers(ids)
	w.left = 0
	for _, id := range ids {
		w.add(id)
	}
}

// forgetOthers drops the processes that are no longer in the set. That must happen
// before others are added, which may have the same numbers.
func (w *Watcher) forgetOthers(ids []inventory.ID) {
	wanted := make(map[inventory.ID]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	for id, held := range w.held {
		if !wanted[id] {
			delete(w.held, id)
			w.kernel.forget(held)
		}
	}
	for id := range w.told {
		if !wanted[id] {
			delete(w.told, id)
		}
	}
}

func (w *Watcher) add(id inventory.ID) {
	if _, held := w.held[id]; held || w.told[id] {
		return
	}
	if len(w.held)+len(w.told) >= mostWatched {
		w.left++
		return
	}
	watched, err := w.kernel.watch(id)
	switch {
	case err == nil:
		w.held[id] = watched
	case errors.Is(err, errExited):
		w.tell(id)
	default:
		w.left++
	}
}

// hasExited is called by the kernel, at most once for each watch.
func (w *Watcher) hasExited(id inventory.ID, watched watch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now, held := w.held[id]; !held || now != watched {
		return
	}
	delete(w.held, id)
	w.tell(id)
}

// tell yields a process, and remembers that while it is in the set: a look that began
// earlier may name it again.
func (w *Watcher) tell(id inventory.ID) {
	if w.closed {
		return
	}
	w.told[id] = true
	select {
	case w.exited <- id:
	default:
	}
}

// Close drops the set and waits for every goroutine of the watcher.
func (w *Watcher) Close() {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return
	}
	w.closed = true
	if w.kernel != nil {
		for id, held := range w.held {
			delete(w.held, id)
			w.kernel.forget(held)
		}
	}
	close(w.exited)
	w.mu.Unlock()
	if w.kernel != nil {
		w.kernel.close()
	}
}
