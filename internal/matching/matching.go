// Package matching assigns things to takers, at most one to each. It is pure and
// knows nothing but numbers: which taker could have which thing.
package matching

import "slices"

// Matching is a largest assignment of things to takers: each thing has at most one
// taker, each taker at most one thing. Kuhn's algorithm finds it with one
// augmenting path for each taker.
type Matching struct {
	fits    [][]int // by taker: the things that could be its
	taker   []int   // by thing: the taker that has it, -1 for none
	thing   []int   // by taker: the thing it has, -1 for none
	visited []bool
}

// Of finds a largest matching of takers 0…takers-1 with things 0…things-1.
// fits(taker, thing) says who could have what.
func Of(takers, things int, fits func(taker, thing int) bool) *Matching {
	m := &Matching{fits: make([][]int, takers), taker: fill(things), thing: fill(takers)}
	for taker := range takers {
		for thing := range things {
			if fits(taker, thing) {
				m.fits[taker] = append(m.fits[taker], thing)
			}
		}
	}
	for taker := range takers {
		m.visited = make([]bool, things)
		m.augment(taker)
	}
	return m
}

func fill(n int) []int {
	none := make([]int, n)
	for i := range none {
		none[i] = -1
	}
	return none
}

func (m *Matching) augment(taker int) bool {
	for _, thing := range m.fits[taker] {
		if m.visited[thing] {
			continue
		}
		m.visited[thing] = true
		if m.taker[thing] < 0 || m.augment(m.taker[thing]) {
			m.taker[thing], m.thing[taker] = taker, thing
			return true
		}
	}
	return false
}

// Spare says of each thing whether some largest matching leaves it without a taker:
// no taker has it, or its taker could have another thing instead.
func (m *Matching) Spare() []bool {
	spare := make([]bool, len(m.taker))
	var queue []int
	for thing, taker := range m.taker {
		if taker < 0 {
			spare[thing] = true
			queue = append(queue, thing)
		}
	}
	for len(queue) > 0 {
		free := queue[0]
		queue = queue[1:]
		for taker, things := range m.fits {
			if m.thing[taker] < 0 || !slices.Contains(things, free) || spare[m.thing[taker]] {
				continue
			}
			spare[m.thing[taker]] = true
			queue = append(queue, m.thing[taker])
		}
	}
	return spare
}

// Candidates are the takers that could have a thing, by index.
func (m *Matching) Candidates(thing int) []int {
	var takers []int
	for taker, things := range m.fits {
		if slices.Contains(things, thing) {
			takers = append(takers, taker)
		}
	}
	return takers
}

// Satisfied reports that every taker for which must is true has a thing.
func (m *Matching) Satisfied(must func(taker int) bool) bool {
	for taker, thing := range m.thing {
		if thing < 0 && must(taker) {
			return false
		}
	}
	return true
}

// ThingOf is the thing of a taker; -1 is none.
func (m *Matching) ThingOf(taker int) int { return m.thing[taker] }

// IsFull reports that every thing has a taker.
func (m *Matching) IsFull() bool { return !slices.Contains(m.taker, -1) }
