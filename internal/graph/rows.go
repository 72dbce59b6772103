package graph

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/matching"
)

// rows are containers in rows, the oldest of each row first. Of what decides whether a
// container could be a runner's, those of one row differ only in when they were created.
// So a [rule] that holds for a runner and one container of a row holds for all behind it,
// and what a runner could have is one index for each row instead of a list of containers.
type rows [][]*container

// rowKey is equal for the containers of one row.
type rowKey struct {
	kind    int
	stdin   inventory.Peer
	unnamed bool
	clock   clock
	only    string // its id, where a runner names it
}

func rowsOf(containers []*container) rows {
	var all rows
	at := map[rowKey]int{}
	for _, k := range containers {
		key := rowKey{kind: k.kind, stdin: k.Stdin, unnamed: k.Name == "", clock: k.clock}
		if len(k.named) > 0 {
			key.only = k.ID
		}
		row, found := at[key]
		if !found {
			row = len(all)
			at[key] = row
			all = append(all, nil)
		}
		all[row] = append(all[row], k)
	}
	for _, row := range all {
		slices.SortStableFunc(row, olderContainerFirst)
	}
	return all
}

// olderContainerFirst compares two containers of one row, by their clock.
func olderContainerFirst(a, b *container) int {
	switch a.clock {
	case clockOfKernel:
		return cmp.Compare(a.first.Start, b.first.Start)
	case clockOfWall:
		return a.CreatedAt.Compare(b.CreatedAt)
	}
	return strings.Compare(a.ID, b.ID)
}

// choices is what each of these runners could have by a rule.
func (c *correlation) choices(runners []*runner, from rows, holds rule) [][]matching.Choice {
	choices := make([][]matching.Choice, len(runners))
	for i, r := range runners {
		for number, row := range from {
			if !holds(c, r, row[len(row)-1]) {
				continue
			}
			first := sort.Search(len(row)-1, func(at int) bool { return holds(c, r, row[at]) })
			choices[i] = append(choices[i], matching.Choice{Row: number, From: first})
		}
	}
	return choices
}

// match is a largest matching of runners with the containers in rows. The numbers of
// the containers are those of [rows.all].
func (c *correlation) match(runners []*runner, from rows, holds rule) *matching.Matching {
	return matching.InRows(from.numbers(), c.choices(runners, from, holds))
}

// all lists the containers row by row.
func (from rows) all() []*container { return slices.Concat(from...) }

// numbers are the places in all, by row.
func (from rows) numbers() [][]int {
	numbers, next := make([][]int, len(from)), 0
	for r, row := range from {
		for range row {
			numbers[r] = append(numbers[r], next)
			next++
		}
	}
	return numbers
}

// walk calls visit for each container with the runners that could have it and none in
// front of it in its row. Where a row begins, first is true.
func (from rows) walk(choices [][]matching.Choice, visit func(k *container, first bool, joining []int)) {
	joining := matching.Choosers(from.numbers(), choices)
	for r, row := range from {
		for at, k := range row {
			visit(k, at == 0, joining[r][at])
		}
	}
}
