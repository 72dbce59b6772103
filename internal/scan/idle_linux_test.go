package scan

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

// spoil changes what is remembered of a process, so that it shows whether the
// next look goes by it.
func spoil(t *testing.T, s *Scanner, pid int) {
	t.Helper()
	at, ok := findSlot(s.slots, pid)
	if !ok || s.slots[at].still == nil || s.slots[at].still.value.table == nil {
		t.Fatalf("nothing is remembered of %d", pid)
	}
	s.slots[at].still.value.table.count = -1
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

// TestAWalkSeesWhoOpensAnEndAndWhoClosesIt has strangers, which the scanner does not
// list, hold what a candidate reads from.
func TestAWalkSeesWhoOpensAnEndAndWhoClosesIt(t *testing.T) {
	its, mine := pipe(t)
	holder, tellHolder := keeper(t, mine)
	another, tellAnother := keeper(t, os.Stderr)
	c := sleeper(t, its, nil)
	its.Close()
	mine.Close()
	s := selecting(t, func(p *inventory.Process) bool { return p.PID == c.pid() }, selectAll(false))
	tell := func(who *child, where *os.File, what string) {
		t.Helper()
		fmt.Fprintln(where, what)
		if said := who.line(t); said != "done" {
			t.Fatalf("%d says %q", who.pid(), said)
		}
	}
	heldBy := func(want ...int) {
		t.Helper()
		for range 3 {
			got := in(t, lookAt(t, s), c.pid()).Stdin.Or(inventory.Stdio{}).Holders
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Fatalf("held by %v, want %v", got, want)
			}
		}
	}
	heldBy(holder.pid())
	tell(another, tellAnother, fmt.Sprintf("/proc/%d/fd/3", holder.pid()))
	heldBy(holder.pid(), another.pid())
	tell(holder, tellHolder, "")
	heldBy(another.pid())
}

// TestAFIFOThatIsRemovedIsHeldByWhoeverHadIt has a server that holds both ends of its stdin,
// and a client that writes to it and does nothing while somebody else removes the name.
func TestAFIFOThatIsRemovedIsHeldByWhoeverHadIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stdin")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no FIFOs here: %v", err)
	}
	fifo, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	client, tell := keeper(t, fifo)
	c := sleeper(t, fifo, nil)
	fifo.Close()
	s := selecting(t, func(p *inventory.Process) bool { return p.PID == c.pid() }, selectAll(false))
	expect := func(when string, named bool, want ...int) {
		t.Helper()
		for range 2 {
			stdin := stdio(t, in(t, lookAt(t, s), c.pid()).Stdin)
			if stdin.Peer == inventory.PeerUnknown {
				t.Skip("pidfd_getfd is not allowed here")
			}
			if slices.Sort(want); stdin.Peer != inventory.PeerOpen || stdin.Named != named || !slices.Equal(slices.Sorted(slices.Values(stdin.Holders)), want) {
				t.Errorf("%s: %+v, want it open, held by %v", when, stdin, want)
			}
		}
	}
	expect("with its name, anybody may come", true)
	os.Remove(path)
	expect("after its name was removed", false, client.pid(), c.pid())
	fmt.Fprintln(tell) // to close it
	client.line(t)
	expect("after the client has closed it", false, c.pid())
}

// TestAFIFOThatManyHaveOpenIsSearchedForOnce: each asked for each other's, a look
// at 400 of them took seconds.
func TestAFIFOThatManyHaveOpenIsSearchedForOnce(t *testing.T) {
	const count = 24
	path := filepath.Join(t.TempDir(), "a fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	fifo, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer fifo.Close()
	os.Remove(path)
	var pids []int
	for range count {
		pids = append(pids, sleeper(t, fifo, fifo).pid())
	}
	s := scannerOf(t, pids...)
	l := s.newLook()
	defer l.close()
	if err := s.fill(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	listed, _ := l.listed()
	for _, p := range listed {
		holders := p.Stdin.Or(inventory.Stdio{}).Holders
		if slices.Contains(pids, p.PID) && slices.ContainsFunc(pids, func(pid int) bool { return !slices.Contains(holders, pid) }) {
			t.Errorf("the FIFO is held by %v, want all of %v", holders, pids)
		}
	}
	fifos := 0
	for end := range l.links.ends {
		if end.kind == linkPath {
			fifos++
		}
	}
	if fifos > 2 {
		t.Errorf("%d ends of one FIFO were searched for", fifos)
	}
}

// keeper is a process that keeps a file as its descriptor 3; see keep.
func keeper(t *testing.T, file *os.File) (c *child, orders *os.File) {
	t.Helper()
	stdin, orders := pipe(t)
	c = player(t, "keep", func(cmd *exec.Cmd) { cmd.Stdin, cmd.ExtraFiles = stdin, []*os.File{file} })
	c.line(t)
	return c, orders
}

func TestWhatAWalkKeepsIsForgottenWhenNobodyWalks(t *testing.T) {
	its, mine := pipe(t)
	keeper(t, mine) // no ancestor, whose descriptors might make a walk needless
	mine.Close()
	c := sleeper(t, its, nil)
	its.Close()
	s := selecting(t, func(p *inventory.Process) bool { return p.PID == c.pid() }, selectAll(false))
	lookAt(t, s)
	if !s.stable || !s.clocked {
		t.Skip("here nothing of a process tells that it has not run: nothing is kept")
	}
	if s.keptLinks.Load() == 0 {
		t.Fatal("nothing is kept of a walk")
	}
	l := s.newLook()
	defer l.close()
	l.members = make([]*member, len(s.slots))
	s.looks = s.walked + rolling - 1
	if s.remember(l); s.keptLinks.Load() == 0 {
		t.Fatal("it is forgotten although somebody asked lately")
	}
	s.looks++
	s.remember(l)
	for i := range s.slots {
		if s.slots[i].still != nil {
			t.Fatalf("the table of process %d is kept although nobody asks for it", s.slots[i].pid)
		}
	}
	if got := s.keptLinks.Load(); got != 0 {
		t.Errorf("%d links are counted, none is kept", got)
	}
}
