package scan

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// kernel watches all processes through one kqueue. A thread waits on a second kqueue,
// whose sources are the first one and the request to stop. So events are taken and
// PIDs registered under one lock, and an event is never read as that of a later
// process with the same PID.
type kernel struct {
	exited    func(inventory.ID, watch)
	processes int // EVFILT_PROC of each process
	outer     int // readable when processes is, or when told to stop
	waiting   sync.WaitGroup

	mu    sync.Mutex
	byPID map[int]watch
}

// watch is one registration.
type watch = *registration

type registration struct{ id inventory.ID }

func openKernel(exited func(inventory.ID, watch)) (*kernel, error) {
	k := &kernel{exited: exited, processes: -1, outer: -1, byPID: map[int]watch{}}
	err := k.open()
	if err != nil {
		k.closeQueues()
		return nil, err
	}
	k.waiting.Go(k.wait)
	return k, nil
}

func (k *kernel) open() (err error) {
	if k.processes, err = newQueue(); err != nil {
		return err
	}
	if k.outer, err = newQueue(); err != nil {
		return err
	}
	var sources [2]unix.Kevent_t
	unix.SetKevent(&sources[0], k.processes, unix.EVFILT_READ, unix.EV_ADD)
	unix.SetKevent(&sources[1], 0, unix.EVFILT_USER, unix.EV_ADD|unix.EV_CLEAR)
	return change(k.outer, sources[:]...)
}

func newQueue() (int, error) {
	queue, err := unix.Kqueue()
	if err != nil {
		return -1, fmt.Errorf("open kqueue: %w", err)
	}
	unix.CloseOnExec(queue)
	return queue, nil
}

// change registers without taking events.
func change(queue int, changes ...unix.Kevent_t) error {
	for {
		_, err := unix.Kevent(queue, changes, nil, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// watch registers the number first and compares the identity second.
func (k *kernel) watch(id inventory.ID) (watch, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.deregister(id.PID) // of an earlier process with that number
	var exit unix.Kevent_t
	unix.SetKevent(&exit, id.PID, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	exit.Fflags = unix.NOTE_EXIT
	err := change(k.processes, exit)
	if errors.Is(err, unix.ESRCH) {
		return nil, errExited
	}
	if err != nil {
		return nil, fmt.Errorf("watch process %d: %w", id.PID, err)
	}
	if err := verify(id); err != nil {
		k.deregister(id.PID)
		return nil, err
	}
	registered := &registration{id}
	k.byPID[id.PID] = registered
	return registered, nil
}

// verify compares the start mark: microseconds since 1970, recorded at the fork. If
// no process has the number, the answer is empty, which is EIO here.
func verify(id inventory.ID) error {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", id.PID)
	if errors.Is(err, unix.EIO) || errors.Is(err, unix.ESRCH) {
		return errExited
	}
	if err != nil {
		return fmt.Errorf("read process %d: %w", id.PID, err)
	}
	if uint64(time.Unix(info.Proc.P_starttime.Unix()).UnixMicro()) != id.Start {
		return errExited
	}
	return nil
}

// deregister needs the lock. It is no fault if nothing was registered.
func (k *kernel) deregister(pid int) {
	delete(k.byPID, pid)
	var exit unix.Kevent_t
	unix.SetKevent(&exit, pid, unix.EVFILT_PROC, unix.EV_DELETE)
	_ = change(k.processes, exit)
}

func (k *kernel) forget(registered watch) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byPID[registered.id.PID] == registered {
		k.deregister(registered.id.PID)
	}
}

// wait takes exits until it is stopped.
func (k *kernel) wait() {
	events := make([]unix.Kevent_t, 2)
	for {
		n, err := unix.Kevent(k.outer, nil, events, nil)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		for _, event := range events[:max(0, n)] {
			if event.Filter == unix.EVFILT_USER {
				return
			}
		}
		for _, registered := range k.take() {
			k.exited(registered.id, registered)
		}
	}
}

// take are the processes that have exited since its last call.
func (k *kernel) take() []watch {
	k.mu.Lock()
	defer k.mu.Unlock()
	var exited []watch
	events := make([]unix.Kevent_t, 64)
	for {
		n, err := unix.Kevent(k.processes, nil, events, &unix.Timespec{})
		if errors.Is(err, unix.EINTR) {
			continue
		}
		for _, event := range events[:max(0, n)] {
			if registered := k.byPID[int(event.Ident)]; registered != nil {
				delete(k.byPID, int(event.Ident))
				exited = append(exited, registered)
			}
		}
		if err != nil || n < len(events) {
			return exited
		}
	}
}

// close stops the thread and waits for it.
func (k *kernel) close() {
	var stop unix.Kevent_t
	unix.SetKevent(&stop, 0, unix.EVFILT_USER, 0)
	stop.Fflags = unix.NOTE_TRIGGER
	if change(k.outer, stop) == nil {
		k.waiting.Wait()
	}
	k.closeQueues()
}

func (k *kernel) closeQueues() {
	for _, queue := range []int{k.processes, k.outer} {
		if queue >= 0 {
			unix.Close(queue)
		}
	}
}
