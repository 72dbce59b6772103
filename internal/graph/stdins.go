package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/matching"
)

// stdinHolders are the `docker run` runners, leaked or not, whose own stdin is open, and
// the containers whose stdin is held.
type stdinHolders struct {
	*correlation
	runners []*runner
	held    rows
}

func (c *correlation) stdinHolders() stdinHolders {
	runners := slices.DeleteFunc(slices.Clone(c.runners), func(r *runner) bool { return r.line.Command != "run" || !r.hasOpenStdin() })
	return stdinHolders{c, runners, rowsOf(withHeldStdin(c.held))}
}

func withHeldStdin(containers []*container) []*container {
	return slices.DeleteFunc(slices.Clone(containers), func(k *container) bool { return k.Stdin != inventory.PeerOpen })
}

// explain reports that every container of the class whose stdin is held can be matched
// with such a runner, although the runners may have other containers. A leaked gateway
// keeps its runners' stdins open, and they keep their containers'.
func (s stdinHolders) explain(of *class) bool {
	own := withHeldStdin(of.containers)
	runners := s.runnersOfAny(own)
	near := rows(slices.DeleteFunc(slices.Clone(s.held), func(row []*container) bool {
		return !slices.ContainsFunc(runners, func(r *runner) bool { return s.kinds.fit(r.kind, row[0].kind) })
	}))
	could := s.choices(runners, near, couldRun)
	m, number, reached := matching.InRows(near.numbers(), could), 0, false
	matched, unmatched := map[*container]bool{}, 0
	near.walk(could, func(k *container, first bool, joining []int) {
		reached = len(joining) > 0 || reached && !first
		switch {
		case m.TakerOf(number) >= 0:
			matched[k] = true
		case reached:
			unmatched++
		}
		number++
	})
	return unmatched == 0 && !slices.ContainsFunc(own, func(k *container) bool { return !matched[k] })
}

// runnersOfAny lists those that could have one of these containers.
func (s stdinHolders) runnersOfAny(containers []*container) (runners []*runner) {
	for i, could := range s.choices(s.runners, rowsOf(containers), couldRun) {
		if len(could) > 0 {
			runners = append(runners, s.runners[i])
		}
	}
	return runners
}
