package graph

import "slices"

// This file assigns things to takers, at most one to each. It knows nothing but numbers: which taker
// could have which thing.

// matching is a largest assignment of things to takers: each thing has at most one
// taker, each taker at most one thing. A taker that stands before another is never
// without a thing for the sake of the other.
type matching struct {
	lengths []int      // of the rows
	rows    [][]int    // the things of each row, numbered row by row
	choices [][]choice // by taker
	at      []place    // by thing
	taker   []int      // by thing: the taker that has it, -1 for none
	thing   []int      // by taker: the thing it has, -1 for none
}

// choice is what a taker could have of one row of things: that at index From and all
// behind it.
type choice struct{ Row, From int }

// place is where a thing stands.
type place struct{ row, index int }

// inRows finds a largest matching without a table of every pair. lengths are those of the rows in
// which the things 0, 1, … stand, such that a taker that could have one of a row could have
// all behind it too. choices lists for each taker what it could have.
//
// Its cost grows with the number of things and choices, as long as few takers have
// to give up a thing that they were given for another.
func inRows(lengths []int, choices [][]choice) *matching {
	m := &matching{lengths: lengths, rows: make([][]int, len(lengths)), choices: choices, thing: slices.Repeat([]int{-1}, len(choices))}
	for r, length := range lengths {
		for index := range length {
			m.rows[r] = append(m.rows[r], len(m.at))
			m.at = append(m.at, place{r, index})
		}
	}
	m.taker = slices.Repeat([]int{-1}, len(m.at))
	s := search{matching: m, free: gapsOf(m.rows), unseen: gapsOf(m.rows)}
	for taker := range choices {
		if !s.take(taker) && s.displace(taker) {
			s.unseen = gapsOf(m.rows)
		}
	}
	return m
}

// search is the finding of a matching: Kuhn's algorithm, with one augmenting path for
// each taker. A thing that a failed search has seen leads to no free thing, and is not
// looked at again until a path was found.
type search struct {
	*matching
	free   []gaps // by row: nobody has them
	unseen []gaps
}

// take gives a taker the first thing that nobody has.
func (s *search) take(taker int) bool {
	for _, choice := range s.choices[taker] {
		if index := s.free[choice.Row].next(choice.From); index < len(s.rows[choice.Row]) {
			s.free[choice.Row].close(index)
			s.give(s.rows[choice.Row][index], taker)
			return true
		}
	}
	return false
}

// displace gives a taker a thing whose taker can have another.
func (s *search) displace(taker int) bool {
	for _, choice := range s.choices[taker] {
		row, unseen := s.rows[choice.Row], s.unseen[choice.Row]
		for index := unseen.next(choice.From); index < len(row); index = unseen.next(index) {
			unseen.close(index)
			if other := s.taker[row[index]]; s.take(other) || s.displace(other) {
				s.give(row[index], taker)
				return true
			}
		}
	}
	return false
}

func (m *matching) give(thing, taker int) { m.taker[thing], m.thing[taker] = taker, thing }

// gapsOf are the places of rows, all of them open.
func gapsOf(rows [][]int) []gaps {
	all := make([]gaps, len(rows))
	for r, row := range rows {
		all[r] = newGaps(len(row))
	}
	return all
}

// gaps are the places of a row that are still open: by index, one from which to look on,
// which is the index itself where the place is open.
type gaps []int

func newGaps(n int) gaps {
	g := make(gaps, n+1)
	for index := range g {
		g[index] = index
	}
	return g
}

// next is the first open index from one on; the length of the row is none.
func (g gaps) next(from int) int {
	next := from
	for g[next] != next {
		next = g[next]
	}
	for from != next { // the next search takes one step
		from, g[from] = g[from], next
	}
	return next
}

func (g gaps) close(index int) { g[index] = index + 1 }

// choosers lists by row and index the takers whose choice begins there: they could
// have that thing and all behind it, and none before it.
func choosers(lengths []int, choices [][]choice) [][][]int {
	all := make([][][]int, len(lengths))
	for r, length := range lengths {
		all[r] = make([][]int, length)
	}
	for taker, its := range choices {
		for _, of := range its {
			all[of.Row][of.From] = append(all[of.Row][of.From], taker)
		}
	}
	return all
}

// spare says of each thing whether some largest matching leaves it without a taker:
// no taker has it, or its taker could have another thing instead.
func (m *matching) spare() []bool {
	spare, asking := make([]bool, len(m.taker)), choosers(m.lengths, m.choices)
	asked := make([]int, len(m.rows)) // by row: the choosers before this index were asked
	var queue []int
	for thing, taker := range m.taker {
		if taker < 0 {
			spare[thing] = true
			queue = append(queue, thing)
		}
	}
	for len(queue) > 0 {
		free := m.at[queue[0]]
		queue = queue[1:]
		for ; asked[free.row] <= free.index; asked[free.row]++ {
			for _, taker := range asking[free.row][asked[free.row]] {
				if thing := m.thing[taker]; thing >= 0 && !spare[thing] {
					spare[thing] = true
					queue = append(queue, thing)
				}
			}
		}
	}
	return spare
}

// satisfied reports that every taker for which must is true has a thing.
func (m *matching) satisfied(must func(taker int) bool) bool {
	for taker, thing := range m.thing {
		if thing < 0 && must(taker) {
			return false
		}
	}
	return true
}

// without counts the takers without a thing.
func (m *matching) without() int {
	n := 0
	for _, thing := range m.thing {
		if thing < 0 {
			n++
		}
	}
	return n
}

// takerOf is the taker of a thing; -1 is none.
func (m *matching) takerOf(thing int) int { return m.taker[thing] }

// groups numbers the takers by group: a thing that is not [matching.spare] has a taker of
// the same group in every largest matching. It is nil if some taker has no thing.
func (m *matching) groups() []int {
	if !m.satisfied(func(int) bool { return true }) {
		return nil
	}
	g := grouping{matching: m, met: make([]int, len(m.thing)), group: slices.Repeat([]int{-1}, len(m.thing))}
	for taker := range m.thing {
		if g.met[taker] == 0 {
			g.visit(taker)
		}
	}
	return g.group
}

// grouping finds the takers that can swap things in a circle: each takes what the next one
// has. They are the strongly connected components, by Tarjan's algorithm.
type grouping struct {
	*matching
	met    []int // by taker: when it was met, from 1; 0 is not yet
	group  []int // by taker; -1 is not known yet
	open   []int // met, and in no group yet
	count  int
	groups int
}

// visit groups a taker with those that it can swap with, and returns the first met of the
// open ones that it could take from.
func (g *grouping) visit(taker int) (first int) {
	g.count++
	g.met[taker], first = g.count, g.count
	at := len(g.open)
	g.open = append(g.open, taker)
	for _, choice := range g.choices[taker] {
		for _, thing := range g.rows[choice.Row][choice.From:] {
			switch other := g.taker[thing]; {
			case other < 0 || g.group[other] >= 0:
			case g.met[other] == 0:
				first = min(first, g.visit(other))
			default:
				first = min(first, g.met[other])
			}
		}
	}
	if first == g.met[taker] {
		for _, one := range g.open[at:] {
			g.group[one] = g.groups
		}
		g.open = g.open[:at]
		g.groups++
	}
	return first
}
