// Package patience asks what may never answer: a file system that hangs, a
// process whose memory is mapped from one. Nothing can interrupt such a read, so
// that it is left to a goroutine of its own, and who asked goes on without it.
//
// Many things are asked by one goroutine, which another replaces where one of them
// does not answer. How many may be left so is bounded: never two for the same thing,
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
	Each(a, []Question[K]{q}, func(int) T { return do() }, func(_ int, got T) { answer, answered = got, true })
	return answer, answered
}

// Each asks one question after the other, each as [Ask] would. do is called with the
// index of a question, take with that and the answer, in order; take is not called
// for what was not asked or did not return in time. One goroutine calls do for all
// of them as long as they answer, so that to ask many costs little more than do.
func Each[K comparable, T any](a *Asker[K], questions []Question[K], do func(i int) T, take func(i int, answer T)) {
	for next := 0; next < len(questions); {
		r := &round[K, T]{asker: a, questions: questions, at: next, since: time.Now(), over: make(chan struct{})}
		go r.run(do)
		next = r.await()
		for _, got := range r.answers {
			take(got.of, got.is)
		}
	}
}

// round is one goroutine that asks one question after the other. Its fields are
// guarded by the asker's mu while both it and who waits for it may use them.
type round[K comparable, T any] struct {
	asker     *Asker[K]
	questions []Question[K]
	at        int       // the question that is being asked
	since     time.Time // since when
	left      bool      // it has not answered in time: nobody waits for this round any more
	answers   []answer[T]
	over      chan struct{} // closed when all questions were asked
}

// answer is what the question of an index was answered.
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

// begin goes on to the next question that may be asked; false says that there is none.
func (r *round[K, T]) begin() bool {
	r.asker.mu.Lock()
	defer r.asker.mu.Unlock()
	for r.at < len(r.questions) && !r.asker.ready(r.questions[r.at]) {
		r.at++
	}
	r.since = time.Now()
	return r.at < len(r.questions)
}

// end notes that an answer came; false says that it came late.
func (r *round[K, T]) end(got T) bool {
	r.asker.mu.Lock()
	defer r.asker.mu.Unlock()
	if r.left {
		r.asker.endSilence(r.questions[r.at].Of)
		return false
	}
	r.answers = append(r.answers, answer[T]{r.at, got})
	r.at++
	r.since = time.Now()
	return true
}

// await waits until all questions were asked or one does not answer, and returns the
// one to go on with.
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

// leave gives up a question that was not answered in time. Where there is time left,
// rest is how much of it.
func (r *round[K, T]) leave() (left bool, rest time.Duration) {
	a := r.asker
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.at == len(r.questions) {
		return false, a.Within
	}
	if waited := time.Since(r.since); waited < a.Within {
		return false, a.Within - waited
	}
	r.left = true
	if a.silent == nil {
		a.silent = map[K]silence{}
	}
	q := r.questions[r.at]
	a.silent[q.Of] = silence{group: q.Group, since: time.Now()}
	return true, 0
}

// endSilence notes that an answer came late. mu is held.
func (a *Asker[K]) endSilence(of K) {
	if s, silent := a.silent[of]; silent {
		s.ended = true
		a.silent[of] = s
	}
}
