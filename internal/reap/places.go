package reap

import (
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// places limits how many acts run at a time. Users get places in turn, however many
// acts each of them has. The zero value has no places.
type places struct {
	// kept means that places are held for a long time. A user then gets at most half of
	// those that the others leave, so that one is free for whoever comes next.
	kept bool

	mu      sync.Mutex
	number  int
	free    int                        // negative if a resize left fewer places than are taken
	held    map[string]int             // by user
	waiting map[string][]chan struct{} // by user, the first first
	turns   []string                   // users of whom somebody waits, the next first
}

// resize changes the number of places. Nobody loses a place.
func (p *places) resize(number int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free += number - p.number
	p.number = number
	p.handOut()
}

// keep is resize for places that are held through a grace.
func (p *places) keep(number int) {
	p.mu.Lock()
	p.kept = true
	p.mu.Unlock()
	p.resize(number)
}

// take waits for a place. With ahead set it comes before all others of its user.
func (p *places) take(user string, ahead bool) {
	if turn := p.enter(user, ahead); turn != nil {
		<-turn
	}
}

// enter takes a free place, or returns a channel that is closed when there is one.
func (p *places) enter(user string, ahead bool) (turn chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held == nil {
		p.held, p.waiting = map[string]int{}, map[string][]chan struct{}{}
	}
	if p.mayHave(user) {
		p.free--
		p.held[user]++
		return nil
	}
	turn = make(chan struct{})
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

// mayHave reports that the user may get one more place.
func (p *places) mayHave(user string) bool {
	if p.free <= 0 || !p.kept {
		return p.free > 0
	}
	left := p.free + p.held[user] // by the others
	return p.held[user] < (left+1)/2
}

// give takes a place back from a user.
func (p *places) give(user string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free++
	if p.held[user]--; p.held[user] == 0 {
		delete(p.held, user)
	}
	p.handOut()
}

// handOut gives the free places to the waiting users, in turn.
func (p *places) handOut() {
	for {
		next := slices.IndexFunc(p.turns, p.mayHave)
		if next < 0 {
			return
		}
		user := p.turns[next]
		p.turns = slices.Delete(p.turns, next, next+1)
		queue := p.waiting[user]
		p.free--
		p.held[user]++
		close(queue[0])
		if p.waiting[user] = queue[1:]; len(queue) > 1 {
			p.turns = append(p.turns, user)
		} else {
			delete(p.waiting, user)
		}
	}
}

// wanted reports that another user waits.
func (p *places) wanted(user string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.turns) > 1 || len(p.turns) == 1 && p.turns[0] != user
}

// seat is one user's place, taken or not.
type seat struct {
	places *places
	user   string
	taken  bool
}

func (s *seat) take() {
	s.places.take(s.user, false)
	s.taken = true
}

// again takes the place again, before acts of the same user that never had one.
func (s *seat) again() {
	s.places.take(s.user, true)
	s.taken = true
}

// leave gives the place back if it is taken.
func (s *seat) leave() {
	if s.taken {
		s.taken = false
		s.places.give(s.user)
	}
}

// yield lets waiting acts of other users go first.
func (s *seat) yield() {
	if s.taken && s.places.wanted(s.user) {
		s.leave()
		s.again()
	}
}

// waitsAfter is how long an act may wait for the kernel or an engine before it gives
// its place to others.
const waitsAfter = 500 * time.Millisecond

// asking is [seat.through] for a question that may fail.
func (s *seat) asking(ask func() error) (err error) {
	s.through(func() { err = ask() })
	return err
}

// through calls wait, which waits for something outside this program. If that takes
// long, the place is given back and taken again afterwards.
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

// mostBegun limits how many trees are open at a time: each keeps a descriptor for
// each of its processes, through its grace.
const mostBegun = 1024

// descriptorsEach is how many descriptors a tree is taken to need, and
// descriptorsElse how many the rest of the program does.
const (
	descriptorsEach = 8
	descriptorsElse = 64
)

// begunAtOnce is how many trees may be open at a time, given how many descriptors
// this process may have. If those are few, it is the number of trees that are worked
// on.
func begunAtOnce(concurrency int) int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur < descriptorsElse {
		return concurrency
	}
	room := (min(limit.Cur, mostBegun*descriptorsEach+descriptorsElse) - descriptorsElse) / descriptorsEach
	return max(concurrency, int(room))
}
