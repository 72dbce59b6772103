package ownfile

import (
	"sync"
	"time"
)

// Asker asks questions that may never be answered: it reads from file systems that hang, and from
// processes whose memory is mapped from one. Nothing can interrupt such a read, so a goroutine of its
// own does it, and the caller stops waiting after a time.
//
// The goroutines left behind are bounded: never two for one thing, at most
// [Asker.Most] for the things of one group. A thing that did not answer in time is
// not asked again for a while, even if it answered late: a busy machine may be late once,
// so the first thing of a group rests for a short time, and each that follows twice as
// long as the one before, up to [Asker.Rest]. A question that is not asked counts as
// unanswered. Things are of type K. Set Within, Most and Rest before using it.
type Asker[K comparable] struct {
	// Within is how long an answer may take.
	Within time.Duration
	// Most is how many things of one group may be unanswered.
	Most int
	// Rest is how long a thing that did not answer is not asked again at most; zero is
	// until it has answered late.
	Rest time.Duration

	mu     sync.Mutex
	silent map[K]silence
	last   map[int]silence // of each group of which one fell silent within two Rests
}

// silence is a thing that did not answer in time.
type silence struct {
	group int
	since time.Time
	rest  time.Duration // how long it is not asked again
	ended bool          // it answered late
}

// firstRest is the part of [Asker.Rest] for which the first of a group rests.
const firstRest = 32

// Question is about one thing of a group, such as one process of a user.
type Question[K comparable] struct {
	Of    K
	Group int
}

// Ready reports whether the question would be asked now.
func (a *Asker[K]) Ready(q Question[K]) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ready(q)
}

// ready is [Asker.Ready] while mu is held.
func (a *Asker[K]) ready(q Question[K]) bool {
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

// forget drops the things that have answered late and rested. mu is held.
func (a *Asker[K]) forget() {
	for thing, s := range a.silent {
		if s.ended && time.Since(s.since) >= s.rest {
			delete(a.silent, thing)
		}
	}
	for group, s := range a.last {
		if time.Since(s.since) >= 2*a.Rest { // one that is late after each rest stays at the longest
			delete(a.last, group)
		}
	}
}

// fallSilent notes that a thing did not answer in time. mu is held.
func (a *Asker[K]) fallSilent(q Question[K]) {
	if a.silent == nil {
		a.silent, a.last = map[K]silence{}, map[int]silence{}
	}
	a.forget()
	s := silence{group: q.Group, since: time.Now(), rest: a.Rest / firstRest}
	if before, known := a.last[q.Group]; known {
		s.rest = min(2*before.rest, a.Rest)
	}
	a.silent[q.Of], a.last[q.Group] = s, s
}

// IsSilent reports a thing that did not answer and is not asked at present.
func (a *Asker[K]) IsSilent(thing K) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forget()
	_, silent := a.silent[thing]
	return silent
}

// Silent lists these things, in no order.
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

// Ask returns the result of do; false if it was not asked, or did not return in time.
// do then runs on by itself, so it must own whatever it reads and writes.
func Ask[K comparable, T any](a *Asker[K], q Question[K], do func() T) (answer T, answered bool) {
	Each(a, []Question[K]{q}, func(int) T { return do() }, func(_ int, got T) { answer, answered = got, true })
	return answer, answered
}

// Each asks one question after the other, each as [Ask] would. It calls do with a
// question's index and, in order, take with that index and the answer; it does not
// call take for a question that was not asked or not answered in time. One goroutine
// asks all of them while answers come, so many questions cost little more than do
// itself.
func Each[K comparable, T any](a *Asker[K], questions []Question[K], do func(i int) T, take func(i int, answer T)) {
	for next := 0; next < len(questions); {
		r := &round[K, T]{asker: a, questions: questions, at: next, over: make(chan struct{})}
		go r.run(do)
		next = r.await()
		for _, got := range r.answers {
			take(got.of, got.is)
		}
	}
}

// round is one goroutine that asks one question after the other. The asker's mu
// guards its fields while both the goroutine and the caller may use them.
type round[K comparable, T any] struct {
	asker     *Asker[K]
	questions []Question[K]
	at        int       // the question that is being asked, or is next
	asking    bool      // it is being asked; else the goroutine has yet to get to it
	since     time.Time // since when it is being asked
	left      bool      // it has not answered in time: nobody waits for this round any more
	answers   []answer[T]
	over      chan struct{} // closed when all questions were asked
}

// answer is the answer to the question of that index.
type answer[T any] struct {
	of int
	is T
}

func (r *round[K, T]) run(do func(i int) T) {
	for r.begin() {
		if !r.end(do(r.at)) {
			return
		}
	}
	close(r.over)
}

// begin goes on to the next question that may be asked. It returns false if there is
// none.
func (r *round[K, T]) begin() bool {
	r.asker.mu.Lock()
	defer r.asker.mu.Unlock()
	for r.at < len(r.questions) && !r.asker.ready(r.questions[r.at]) {
		r.at++
	}
	r.asking, r.since = r.at < len(r.questions), time.Now()
	return r.asking
}

// end notes an answer. It returns false if the answer came late.
func (r *round[K, T]) end(got T) bool {
	r.asker.mu.Lock()
	defer r.asker.mu.Unlock()
	if r.left {
		r.asker.endSilence(r.questions[r.at].Of)
		return false
	}
	r.answers = append(r.answers, answer[T]{r.at, got})
	r.at++
	r.asking = false
	return true
}

// await waits until every question was asked or one is not answered in time. next is
// the question to go on with.
func (r *round[K, T]) await() (next int) {
	timer := time.NewTimer(r.asker.Within)
	defer timer.Stop()
	for {
		select {
		case <-r.over:
			return len(r.questions)
		case <-timer.C:
			left, rest := r.leave()
			if left {
				return r.at + 1
			}
			timer.Reset(rest)
		}
	}
}

// leave gives up the present question if its time is over; else rest is the time that
// is left. On a busy machine the goroutine may get no processor for longer than that: a
// question that it has not asked yet is waited for.
func (r *round[K, T]) leave() (left bool, rest time.Duration) {
	a := r.asker
	a.mu.Lock()
	defer a.mu.Unlock()
	if !r.asking {
		return false, a.Within
	}
	if waited := time.Since(r.since); waited < a.Within {
		return false, a.Within - waited
	}
	r.left = true
	a.fallSilent(r.questions[r.at])
	return true, 0
}

// endSilence notes that an answer came late. mu is held.
func (a *Asker[K]) endSilence(of K) {
	if s, silent := a.silent[of]; silent {
		s.ended = true
		a.silent[of] = s
	}
}
