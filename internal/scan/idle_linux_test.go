package scan

import (
	"fmt"
	"os/exec"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

// spoil changes what is remembered of a process, so that it shows whether the
// next look goes by it.
func spoil(t *testing.T, s *Scanner, pid int) {
	t.Helper()
	at, ok := findSlot(s.slots, pid)
	if !ok || s.slots[at].record.idle.value.table == nil {
		t.Fatalf("nothing is remembered of %d", pid)
	}
	s.slots[at].record.idle.value.table.count = -1
}

func TestWhatHasNotRunStillHasWhatItHad(t *testing.T) {
	c := sleeper(t, nil, nil)
	s := scannerOf(t, c.pid())
	for ran := true; ran; { // it may still be starting
		before := processorTime(c.pid())
		lookAt(t, s)
		if !s.stable {
			t.Skip("processes cannot be told apart by inode here: nothing is remembered")
		}
		spoil(t, s, c.pid())
		reused := in(t, lookAt(t, s), c.pid()).OpenFDs.Or(0) == -1
		if ran = processorTime(c.pid()) != before; !ran && !reused {
			t.Error("it has not run, and its descriptors were read again")
		}
	}
	for range rolling {
		if in(t, lookAt(t, s), c.pid()).OpenFDs.Or(0) > 0 {
			return
		}
	}
	t.Errorf("%d looks later its descriptors have not been read again", rolling)
}

func TestWhatHasRunIsReadAgain(t *testing.T) {
	stdin, tell := pipe(t)
	c := player(t, "open", func(cmd *exec.Cmd) { cmd.Stdin = stdin })
	c.line(t)
	s := scannerOf(t, c.pid())
	before := in(t, lookAt(t, s), c.pid())
	for more := 1; more < 10; more++ {
		fmt.Fprintln(tell)
		c.line(t)
		now := in(t, lookAt(t, s), c.pid())
		if got, want := now.OpenFDs.Or(0), before.OpenFDs.Or(0)+2*more; got != want {
			t.Fatalf("%d descriptors, want %d", got, want)
		}
		if now.IOChars.Or(0) <= before.IOChars.Or(0) {
			t.Fatalf("%v characters, and before %v", now.IOChars, before.IOChars)
		}
	}
}

// TestTheOtherEndIsAskedForAtEveryLook: that it closes is not the process's doing.
func TestTheOtherEndIsAskedForAtEveryLook(t *testing.T) {
	for _, kind := range []inventory.Kind{inventory.KindPipe, inventory.KindSocket} {
		t.Run(string(kind), func(t *testing.T) {
			its, mine := pipe(t)
			if kind == inventory.KindSocket {
				mine, its = pair(t)
			}
			c := sleeper(t, its, nil)
			its.Close()
			s := scannerOf(t, c.pid())
			for range 3 {
				if stdin := in(t, lookAt(t, s), c.pid()).Stdin.Or(inventory.Stdio{}); stdin.Kind != kind || stdin.Peer != inventory.PeerOpen {
					t.Fatalf("while the other end is open: %+v", stdin)
				}
			}
			mine.Close()
			if stdin := in(t, lookAt(t, s), c.pid()).Stdin.Or(inventory.Stdio{}); stdin.Kind != kind || stdin.Peer != inventory.PeerClosed {
				t.Errorf("when it has been closed: %+v", stdin)
			}
		})
	}
}
