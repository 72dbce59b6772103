// Package patience asks what may never answer: a file system that hangs, a
// process whose memory is mapped from one. Nothing can interrupt such a read, so
// that it is left to a goroutine of its own, and who asked goes on without it.
//
// How many goroutines may be left so is bounded: never two for the same thing,
// and no more than [Asker.Most] for the things of one group. What is not asked
// for that reason counts as unanswered.
package patience

import (
	"sync"
	"time"
)

// Asker asks things of type K. Within and Most are to be set before it is used.
type Asker[K comparable] struct {
	// Within is how long an answer may take.
	Within time.Duration
	// Most is how many things of one group may be unanswered.
	Most int

	mu     sync.Mutex
	silent map[K]int // the groups of what has not answered
}

// Question is about one thing of a group, such as one process of a user.
type Question[K comparable] struct {
	Of    K
	Group int
}

// Ready reports whether a question would be asked.
func (a *Asker[K]) Ready(q Question[K]) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, silent := a.silent[q.Of]; silent {
		return false
	}
	count := 0
	for _, group := range a.silent {
		if group == q.Group {
			count++
		}
	}
	return count < a.Most
}

// Silent are the things that have not answered, in no order.
func (a *Asker[K]) Silent() []K {
	a.mu.Lock()
	defer a.mu.Unlock()
	var things []K
	for thing := range a.silent {
		things = append(things, thing)
	}
	return things
}

// Ask returns what do returns, or false where it was not asked or did not return
// in time. do then goes on by itself: what it reads and writes must be its own.
func Ask[K comparable, T any](a *Asker[K], q Question[K], do func() T) (answer T, answered bool) {
	if !a.Ready(q) {
		return answer, false
	}
	return Await(a, q, do)
}

// Await is [Ask] of a thing that was [Asker.Ready].
func Await[K comparable, T any](a *Asker[K], q Question[K], do func() T) (answer T, answered bool) {
	answers := make(chan T, 1)
	w := &waiting[K]{Question: q}
	go func() {
		got := do()
		a.end(w)
		answers <- got
	}()
	timeout := time.NewTimer(a.Within)
	defer timeout.Stop()
	select {
	case got := <-answers:
		return got, true
	case <-timeout.C:
		a.giveUp(w)
		return answer, false
	}
}

// waiting is a question that was asked. ended is guarded by the asker's mu.
type waiting[K comparable] struct {
	Question[K]
	ended bool
}

// giveUp notes that there is no answer, unless it has just come.
func (a *Asker[K]) giveUp(w *waiting[K]) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if w.ended {
		return
	}
	if a.silent == nil {
		a.silent = map[K]int{}
	}
	a.silent[w.Of] = w.Group
}

// end notes that an answer came, however late.
func (a *Asker[K]) end(w *waiting[K]) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.ended = true
	delete(a.silent, w.Of)
}
