// Package patience asks what may never answer: a file system that hangs, a
// process whose memory is mapped from one. Nothing can interrupt such a read, so
// that it is left to a goroutine of its own, and who asked goes on without it.
//
// How many goroutines may be left so is bounded: never two for the same thing,
// and no more than [Asker.Most] for the things of one group. What did not answer in
// time is not asked again for [Asker.Rest], even if it answered late, so that what
// always answers late costs little too. What is not asked counts as unanswered.
package patience

import (
	"sync"
	"time"
)

// Asker asks things of type K. Within, Most and Rest are to be set before it is used.
type Asker[K comparable] struct {
	// Within is how long an answer may take.
	Within time.Duration
	// Most is how many things of one group may be unanswered.
	Most int
	// Rest is for how long what did not answer is left alone.
	Rest time.Duration

	mu     sync.Mutex
	silent map[K]silence
}

// silence is what did not answer in time.
type silence struct {
	group int
	since time.Time
	ended bool // it answered late
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
	a.forget()
	if _, silent := a.silent[q.Of]; silent {
		return false
	}
	count := 0
	for _, s := range a.silent {
		if s.group == q.Group {
			count++
		}
	}
	return count < a.Most
}

// forget forgets what has answered late and rested. mu is held.
func (a *Asker[K]) forget() {
	for thing, s := range a.silent {
		if s.ended && time.Since(s.since) >= a.Rest {
			delete(a.silent, thing)
		}
	}
}

// IsSilent reports whether a thing did not answer and is left alone.
func (a *Asker[K]) IsSilent(thing K) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forget()
	_, silent := a.silent[thing]
	return silent
}

// Silent are the things that did not answer and are left alone, in no order.
func (a *Asker[K]) Silent() []K {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forget()
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
		a.silent = map[K]silence{}
	}
	a.silent[w.Of] = silence{group: w.Group, since: time.Now()}
}

// end notes that an answer came, however late.
func (a *Asker[K]) end(w *waiting[K]) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.ended = true
	if s, silent := a.silent[w.Of]; silent {
		s.ended = true
		a.silent[w.Of] = s
	}
}
