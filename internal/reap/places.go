package reap

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// places are a number of places, shared out among users: who waits for one gets
// it in turn with the other users, however many wait of each. The zero value has none.
type places struct {
	mu      sync.Mutex
	number  int
	free    int                        // less than none where more are taken than there are by now
	waiting map[string][]chan struct{} // by user, the first first
	turns   []string                   // users of whom somebody waits, the next first
}

// resize changes how many places there are. Where they become fewer, nobody who has
// one loses it.
func (p *places) resize(number int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free += number - p.number
	p.number = number
	for p.free > 0 && len(p.turns) > 0 {
		p.free--
		p.handOn()
	}
}

// take waits for a place. One that is ahead goes before all others of its user.
func (p *places) take(user string, ahead bool) {
	if turn := p.enter(user, ahead); turn != nil {
		<-turn
	}
}

// enter takes a free place, or returns what is closed when it has got one.
func (p *places) enter(user string, ahead bool) (turn chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free > 0 {
		p.free--
		return nil
	}
	turn = make(chan struct{})
	if p.waiting == nil {
		p.waiting = map[string][]chan struct{}{}
	}
	queue := p.waiting[user]
	if len(queue) == 0 {
		p.turns = append(p.turns, user)
	}
	if ahead {
		p.waiting[user] = append([]chan struct{}{turn}, queue...)
	} else {
		p.waiting[user] = append(queue, turn)
	}
	return turn
}

// give hands a place to the next user's first.
func (p *places) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.turns) == 0 || p.free < 0 {
		p.free++
		return
	}
	p.handOn()
}

// handOn gives a place to the first of the user whose turn it is.
func (p *places) handOn() {
	user := p.turns[0]
	p.turns = p.turns[1:]
	queue := p.waiting[user]
	close(queue[0])
	if len(queue) == 1 {
		delete(p.waiting, user)
		return
	}
	p.waiting[user] = queue[1:]
	p.turns = append(p.turns, user)
}

// wanted reports whether somebody of another user waits.
func (p *places) wanted(user string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.turns) > 1 || len(p.turns) == 1 && p.turns[0] != user
}

// seat is one user's claim to a place: taken or not.
type seat struct {
	places *places
	user   string
	taken  bool
}

func (s *seat) take() {
	s.places.take(s.user, false)
	s.taken = true
}

// again takes a place once more, ahead of those of the same user who had none.
func (s *seat) again() {
	s.places.take(s.user, true)
	s.taken = true
}

// leave gives the place back, if it is taken.
func (s *seat) leave() {
	if s.taken {
		s.taken = false
		s.places.give()
	}
}

// yield lets those of other users go first, if any wait.
func (s *seat) yield() {
	if s.taken && s.places.wanted(s.user) {
		s.leave()
		s.again()
	}
}

// waitsAfter is after how long one who has a place, and waits for the kernel or for an
// engine, gives it to others.
const waitsAfter = 500 * time.Millisecond

// through calls wait, which waits for another's doing. Where that takes long the place
// is given back meanwhile, and taken again afterwards.
func (s *seat) through(wait func()) {
	left := make(chan struct{})
	timer := time.AfterFunc(waitsAfter, func() {
		s.leave()
		close(left)
	})
	defer func() {
		if !timer.Stop() {
			<-left
			s.again()
		}
	}()
	wait()
}

// mostBegun bounds how many trees may be open at a time: one that waits out its
// grace keeps a descriptor for each of its processes.
const mostBegun = 1024

// descriptorsEach is how many descriptors a tree is taken to need, and
// descriptorsElse how many the rest of the program does.
const (
	descriptorsEach = 8
	descriptorsElse = 64
)

// begunAtOnce is how many trees may be open at a time, by how many descriptors this
// process may have: as many as are worked on where there are few.
func begunAtOnce(concurrency int) int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur < descriptorsElse {
		return concurrency
	}
	room := (min(limit.Cur, mostBegun*descriptorsEach+descriptorsElse) - descriptorsElse) / descriptorsEach
	return max(concurrency, int(room))
}
