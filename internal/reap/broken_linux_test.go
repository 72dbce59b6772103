package reap

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/test/eventually"
)

// watching is this host's kernel; meet is called before each signal.
type watching struct {
	system
	meet func(unix.Signal)
}

func (w watching) Open(pid int) (Handle, error) {
	h, err := w.system.Open(pid)
	if err != nil {
		return nil, err
	}
	return watched{h.(handle), w.meet}, nil
}

func (w watching) Wait(handles []Handle, limit time.Duration) ([]int, error) {
	bare := make([]Handle, len(handles))
	for i, h := range handles {
		bare[i] = h.(watched).handle
	}
	return w.system.Wait(bare, limit)
}

type watched struct {
	handle
	meet func(unix.Signal)
}

func (w watched) Signal(signal unix.Signal) error {
	w.meet(signal)
	return w.handle.Signal(signal)
}

// dying is the child that reaps, and is killed right before it sends a signal for the so many'th
// time, or at its so many'th reading of the table if the signal is 0.
func dying(when string) int {
	var target inventory.ID
	var signal, number, sent int
	if _, err := fmt.Sscanf(strings.ReplaceAll(when, ":", " "), "%d %d %d %d", &target.PID, &target.Start, &signal, &number); err != nil {
		fmt.Println(err)
		return 1
	}
	r := reaper(Options{Grace: 300 * time.Millisecond})
	meet := func(now unix.Signal) {
		if now != unix.Signal(signal) {
			return
		}
		if sent++; sent == number {
			_ = unix.Kill(os.Getpid(), unix.SIGKILL)
		}
	}
	r.Kernel, r.Processes = watching{meet: meet}, telling(func() { meet(0) })
	r.Execute(context.Background(), []Act{{ID: "a", Root: target}})
	return 0
}

// telling is this host's table; it is called before each reading.
type telling func()

func (t telling) Table() ([]inventory.Row, error) {
	t()
	return host{}.Table()
}

// diesAt has another process reap the world, as a plan that names its root alone, and reports
// whether that was killed at the signal or reading; else it had finished before.
func (w *world) diesAt(signal unix.Signal, number int) bool {
	cmd := self("dying")
	cmd.Env = append(cmd.Env, fmt.Sprintf("REAP_TEST_TARGET=%s:%d:%d", w.root, signal, number))
	return cmd.Run() != nil
}

// TestWhatABrokenActLeftStoppedGoesOn kills the reaper right before each of the signals that it
// sends to a tree of which its plan, and so the journal, names the root alone.
func TestWhatABrokenActLeftStoppedGoesOn(t *testing.T) {
	for _, signal := range []unix.Signal{unix.SIGSTOP, unix.SIGTERM, unix.SIGCONT, unix.SIGKILL} {
		t.Run(unix.SignalName(signal), func(t *testing.T) {
			broken := true
			for number := 1; broken; number++ {
				ready, wait := readyFile(t)
				w := start(t, `trap "" TERM; sh -c 'trap "" TERM; sleep 60 & sleep 60; :' & setsid sleep 60 & `+ready+`while :; do wait; done`, 3)
				wait()
				all := w.members()
				broken = w.diesAt(signal, number)
				if _, err := reaper(quick).Continue([]inventory.ID{w.root}); err != nil {
					t.Fatal(err)
				}
				for _, id := range all {
					eventually.Holds(t, fmt.Sprintf("killed before signal %d: process %s runs, or has ended", number, id), func() bool { return state(t, id) != 'T' })
				}
				endAll(t, all)
			}
		})
	}
}
