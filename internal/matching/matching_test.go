package matching

import (
	"slices"
	"testing"
)

func TestWhoCouldHaveWhat(t *testing.T) {
	for _, c := range []struct {
		name     string
		fits     [][]int // by client
		things   int
		unserved []int  // clients without a thing
		spare    []bool // things that some largest matching does without
	}{
		{"one each", [][]int{{0}, {1}}, 2, nil, []bool{false, false}},
		{"two things, one client: either may be left over", [][]int{{0, 1}}, 2, nil, []bool{true, true}},
		{"a client that fits one only leaves the other its", [][]int{{0, 1}, {0}}, 2, nil, []bool{false, false}},
		{"more clients than things", [][]int{{0}, {0}}, 1, []int{1}, []bool{false}},
		{"what fits nobody is spare", [][]int{{0}}, 2, nil, []bool{false, true}},
		{"a chain of three", [][]int{{0, 1}, {1, 2}, {2}}, 3, nil, []bool{false, false, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := Of(len(c.fits), c.things, func(client, thing int) bool { return slices.Contains(c.fits[client], thing) })
			var unserved []int
			for client := range c.fits {
				if m.ThingOf(client) < 0 {
					unserved = append(unserved, client)
				}
			}
			if !slices.Equal(unserved, c.unserved) || !slices.Equal(m.Spare(), c.spare) {
				t.Errorf("without a thing %v, spare %v; want %v, %v", unserved, m.Spare(), c.unserved, c.spare)
			}
		})
	}
}
