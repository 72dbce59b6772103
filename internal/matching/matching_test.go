package matching

import (
	"slices"
	"testing"
)

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
			m := Of(len(c.fits), c.things, func(taker, thing int) bool { return slices.Contains(c.fits[taker], thing) })
			var unserved []int
			for taker := range c.fits {
				if m.ThingOf(taker) < 0 {
					unserved = append(unserved, taker)
				}
			}
			if !slices.Equal(unserved, c.unserved) || !slices.Equal(m.Spare(), c.spare) {
				t.Errorf("without a thing %v, spare %v; want %v, %v", unserved, m.Spare(), c.unserved, c.spare)
			}
		})
	}
}
