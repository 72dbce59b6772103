package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

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
		m := inRows(rows, choices)
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
