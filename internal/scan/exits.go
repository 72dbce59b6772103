package scan

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// mostWatched is how many processes are watched at the same time.
const mostWatched = 1024

// errExited means that the process has exited. It is never a failure.
var errExited = errors.New("process has exited")

// Watcher reports the exits of a set of processes, so that a daemon that sleeps between
// its sweeps looks at once when a session dies. Each process has a descriptor that becomes
// readable when it exits: a pidfd on Linux, a kqueue on macOS. One goroutine polls all of
// them. A PID may be reused, so the start mark is read after the descriptor was opened: if
// it is equal, the descriptor is that process's for as long as it is open.
//
// A report is only a hint: its reader must look. Processes that are not watched are
// found by the next sweep ([Watcher.Left], [Watcher.Err]).
//
// It is safe for use by several goroutines.
type Watcher struct {
	exited chan inventory.ID
	err    error
	// wake and woken are a pipe by which Watch and Close interrupt the poll.
	wake, woken *os.File
	polling     sync.WaitGroup

	mu      sync.Mutex
	held    map[inventory.ID]int  // what is watched, and its descriptor
	dropped []int                 // descriptors that are watched no more, to be closed between two polls
	told    map[inventory.ID]bool // what has exited and is still in the set
	left    int
	waking  bool // the poll is interrupted already
	closed  bool
}

// NewWatcher returns a watcher of no process. If the system cannot watch any, the watcher is
// usable, watches nothing, and Err says why.
func NewWatcher() *Watcher {
	w := &Watcher{exited: make(chan inventory.ID, mostWatched), held: map[inventory.ID]int{}, told: map[inventory.ID]bool{}}
	err := canWatch()
	if err == nil {
		w.woken, w.wake, err = os.Pipe()
	}
	if err != nil {
		w.err = fmt.Errorf("watch processes: %w", err)
		return w
	}
	w.polling.Go(w.poll)
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
	if w.closed || w.err != nil {
		w.left = len(ids)
		return
	}
	w.forgetOthers(ids)
	w.left = 0
	for _, id := range ids {
		w.add(id)
	}
	w.interrupt()
}

// forgetOthers drops the processes that are no longer in the set.
func (w *Watcher) forgetOthers(ids []inventory.ID) {
	wanted := make(map[inventory.ID]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	for id := range w.held {
		if !wanted[id] {
			w.drop(id)
		}
	}
	for id := range w.told {
		if !wanted[id] {
			delete(w.told, id)
		}
	}
}

func (w *Watcher) drop(id inventory.ID) {
	w.dropped = append(w.dropped, w.held[id])
	delete(w.held, id)
}

func (w *Watcher) add(id inventory.ID) {
	if _, held := w.held[id]; held || w.told[id] {
		return
	}
	if len(w.held)+len(w.told) >= mostWatched {
		w.left++
		return
	}
	switch fd, err := openExit(id); {
	case err == nil:
		w.held[id] = fd
	case errors.Is(err, errExited):
		w.tell(id)
	default:
		w.left++
	}
}

// tell yields a process, and remembers that while it is in the set: a look that began
// earlier may name it again.
func (w *Watcher) tell(id inventory.ID) {
	w.told[id] = true
	select {
	case w.exited <- id:
	default:
	}
}

// interrupt has the poll begin anew, with the set as it is now.
func (w *Watcher) interrupt() {
	if !w.waking {
		w.waking = true
		_, _ = w.wake.Write([]byte{0})
	}
}

// poll yields the watched processes as they exit, until the watcher is closed.
func (w *Watcher) poll() {
	for fds, ids := w.watched(); fds != nil; fds, ids = w.watched() {
		if _, err := unix.Poll(fds, -1); err == nil {
			w.take(fds, ids)
		}
	}
	w.woken.Close()
	w.wake.Close()
	close(w.exited)
}

// watched are the descriptors to be polled and whose they are, the pipe first; nil once
// the watcher is closed. It closes those that are watched no more.
func (w *Watcher) watched() (fds []unix.PollFd, ids []inventory.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, fd := range w.dropped {
		unix.Close(fd)
	}
	w.dropped = nil
	if w.closed {
		return nil, nil
	}
	fds, ids = append(fds, unix.PollFd{Fd: int32(w.woken.Fd()), Events: unix.POLLIN}), append(ids, inventory.ID{})
	for id, fd := range w.held {
		fds, ids = append(fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}), append(ids, id)
	}
	return fds, ids
}

// take yields those of the polled processes that have exited and are still in the set.
func (w *Watcher) take(fds []unix.PollFd, ids []inventory.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waking && fds[0].Revents != 0 {
		_, _ = w.woken.Read(make([]byte, 1))
		w.waking = false
	}
	for i, id := range ids[1:] {
		if fd, held := w.held[id]; held && int32(fd) == fds[i+1].Fd && fds[i+1].Revents != 0 {
			w.drop(id)
			w.tell(id)
		}
	}
}

// Close drops the set and waits for the watcher's goroutine.
func (w *Watcher) Close() {
	w.mu.Lock()
	first := !w.closed
	w.closed = true
	for id := range w.held {
		w.drop(id)
	}
	switch {
	case first && w.err != nil:
		close(w.exited)
	case first:
		w.interrupt()
	}
	w.mu.Unlock()
	w.polling.Wait()
}
