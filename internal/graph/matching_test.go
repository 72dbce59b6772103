package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// of is a matching where fits(taker, thing) says who could have what.
func of(takers, things int, fits func(taker, thing int) bool) *matching {
	rows, choices := make([]int, things), make([][]choice, takers)
	for thing := range things {
		rows[thing] = 1
		for taker := range takers {
			if fits(taker, thing) {
				choices[taker] = append(choices[taker], choice{Row: thing})
			}
		}
	}
	return inRows(rows, choices)
}

func TestWhoCouldHaveWhat(t *testing.T) {
	for _, c := range []struct {
		name     string
		fits     [][]int // by taker
		things   int
		unserved []int  // takers without a thing
		spare    []bool // things that some largest matching does without
	}{
		{"one each", [][]int{{0}, {1}}, 2, nil, []bool{false, false}},
		{"two things, one taker: either may be left over", [][]int{{0, 1}}, 2, nil, []bool{true, true}},
		{"a taker that fits one only leaves the other its", [][]int{{0, 1}, {0}}, 2, nil, []bool{false, false}},
		{"more takers than things", [][]int{{0}, {0}}, 1, []int{1}, []bool{false}},
		{"what fits nobody is spare", [][]int{{0}}, 2, nil, []bool{false, true}},
		{"a chain of three", [][]int{{0, 1}, {1, 2}, {2}}, 3, nil, []bool{false, false, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := of(len(c.fits), c.things, func(taker, thing int) bool { return slices.Contains(c.fits[taker], thing) })
			var unserved []int
			for taker := range c.fits {
				if m.thing[taker] < 0 {
					unserved = append(unserved, taker)
				}
			}
			if !slices.Equal(unserved, c.unserved) || !slices.Equal(m.spare(), c.spare) {
				t.Errorf("without a thing %v, spare %v; want %v, %v", unserved, m.spare(), c.unserved, c.spare)
			}
		})
	}
}

// largest is the size of the largest matching without one thing, -1 for none, found by
// trying everything.
func largest(choices [][]int, taker int, taken []bool, noThing int) int {
	if taker == len(choices) {
		return 0
	}
	best := largest(choices, taker+1, taken, noThing)
	for _, thing := range choices[taker] {
		if taken[thing] || thing == noThing {
			continue
		}
		taken[thing] = true
		best = max(best, 1+largest(choices, taker+1, taken, noThing))
		taken[thing] = false
	}
	return best
}

// randomRows are up to three rows of up to three things each.
func randomRows(r *rand.Rand) (rows [][]int, things int) {
	rows = make([][]int, 1+r.IntN(3))
	for row := range rows {
		for range r.IntN(4) {
			rows[row] = append(rows[row], things)
			things++
		}
	}
	return rows, things
}

func lengthsOf(rows [][]int) (lengths []int) {
	for _, row := range rows {
		lengths = append(lengths, len(row))
	}
	return lengths
}

func randomChoices(r *rand.Rand, rows [][]int) (choices [][]choice, fits [][]int) {
	for range 1 + r.IntN(6) {
		var of []choice
		var things []int
		for row := range rows {
			if len(rows[row]) > 0 && r.IntN(2) == 0 {
				choice := choice{Row: row, From: r.IntN(len(rows[row]))}
				of, things = append(of, choice), append(things, rows[row][choice.From:]...)
			}
		}
		choices, fits = append(choices, of), append(fits, things)
	}
	return choices, fits
}

func TestRowsComeToWhatEveryPairComesTo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		rows, things := randomRows(r)
		choices, fits := randomChoices(r, rows)
		m, taken := inRows(lengthsOf(rows), choices), make([]bool, things)
		size, served := largest(fits, 0, taken, -1), 0
		for taker := range fits {
			thing := m.thing[taker]
			if thing >= 0 && (m.takerOf(thing) != taker || !slices.Contains(fits[taker], thing)) {
				t.Fatalf("%v in %v: taker %d got %d", choices, rows, taker, thing)
			}
			if thing >= 0 {
				served++
			}
			if before := largest(fits[:taker+1], 0, taken, -1) > largest(fits[:taker], 0, taken, -1); before != (thing >= 0) {
				t.Fatalf("%v in %v: taker %d has a thing: %v, want %v", choices, rows, taker, thing >= 0, before)
			}
		}
		if served != size {
			t.Fatalf("%v in %v: %d takers have a thing, want %d", choices, rows, served, size)
		}
		for thing, spare := range m.spare() {
			if want := largest(fits, 0, taken, thing) == size; spare != want {
				t.Fatalf("%v in %v: thing %d is spare: %v, want %v", choices, rows, thing, spare, want)
			}
		}
	}
}

func TestWhoCanSwap(t *testing.T) {
	for _, c := range []struct {
		name   string
		fits   [][]int // by taker
		things int
		alone  []bool // takers that have the same thing in every largest matching
	}{
		{"each could have one", [][]int{{0}, {1}}, 2, []bool{true, true}},
		{"either could have either", [][]int{{0, 1}, {0, 1}}, 2, []bool{false, false}},
		{"one could have either, the other one only", [][]int{{0, 1}, {1}}, 2, []bool{true, true}},
		{"a chain", [][]int{{0, 1, 2}, {1, 2}, {2}}, 3, []bool{true, true, true}},
		{"two that could have either, and one that came later", [][]int{{0, 1, 2}, {0, 1, 2}, {2}}, 3, []bool{false, false, true}},
		{"in a circle", [][]int{{0, 1}, {1, 2}, {2, 0}}, 3, []bool{false, false, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			groups := of(len(c.fits), c.things, func(taker, thing int) bool { return slices.Contains(c.fits[taker], thing) }).groups()
			for taker, alone := range c.alone {
				if members := membersOf(groups, groups[taker]); (members == 1) != alone {
					t.Errorf("taker %d is in a group of %d: %v", taker, members, groups)
				}
			}
		})
	}
	if groups := of(2, 1, func(int, int) bool { return true }).groups(); groups != nil {
		t.Errorf("of two takers one has nothing, and yet they have groups: %v", groups)
	}
}

func membersOf(groups []int, group int) (members int) {
	for _, one := range groups {
		if one == group {
			members++
		}
	}
	return members
}

// everyMatching calls visit with each assignment in which every taker has a thing.
func everyMatching(fits [][]int, has []int, visit func(has []int)) {
	if len(has) == len(fits) {
		visit(has)
		return
	}
	for _, thing := range fits[len(has)] {
		if !slices.Contains(has, thing) {
			everyMatching(fits, append(slices.Clip(has), thing), visit)
		}
	}
}

func TestGroupsAreWhatEveryMatchingShows(t *testing.T) {
	r, asked := rand.New(rand.NewPCG(2, 2)), 0
	for range 3000 {
		rows, _ := randomRows(r)
		choices, fits := randomChoices(r, rows)
		m := inRows(lengthsOf(rows), choices)
		groups := m.groups()
		if groups == nil {
			continue
		}
		asked++
		spare, changes := m.spare(), make([]bool, len(fits))
		everyMatching(fits, nil, func(has []int) {
			for taker, thing := range has {
				changes[taker] = changes[taker] || thing != m.thing[taker]
				if is := m.takerOf(thing); !spare[thing] && groups[is] != groups[taker] {
					t.Fatalf("%v in %v: thing %d can be that of %d and of %d, in groups %v", choices, rows, thing, is, taker, groups)
				}
			}
		})
		for taker := range fits {
			if alone := membersOf(groups, groups[taker]) == 1; !alone && !changes[taker] {
				t.Fatalf("%v in %v: taker %d never swaps, and is in a group of several: %v", choices, rows, taker, groups)
			}
		}
	}
	if asked < 100 {
		t.Errorf("only %d of these have groups", asked)
	}
}
