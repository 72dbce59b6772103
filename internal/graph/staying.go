package graph

// staying are the containers that may belong to leaked runners and are not reaped.
type staying struct {
	*correlation
	ambiguous []int // by kind: the last container that is ambiguous; -1 is none
	uncertain lastRows
	unclaimed lastRows        // those of uncertain in use that no live `docker run` accounts for
	named     map[*runner]int // the last that the runner names
}

func (c *correlation) staying() staying {
	s := staying{correlation: c, ambiguous: make([]int, c.kinds.containers), named: map[*runner]int{}}
	for kind := range s.ambiguous {
		s.ambiguous[kind] = -1
	}
	var uncertain, unclaimed []*container
	for _, k := range c.held {
		if k.state == containerAmbiguous {
			s.ambiguous[k.kind] = k.number
		}
		if k.isUncertain() {
			uncertain = append(uncertain, k)
			if k.state == containerOwned && !k.isClaimed() {
				unclaimed = append(unclaimed, k)
			}
		}
		if k.state == containerOrphaned {
			continue
		}
		for _, r := range k.named {
			s.named[r] = k.number
		}
	}
	s.uncertain, s.unclaimed = lastRowsOf(uncertain), lastRowsOf(unclaimed)
	return s
}

// lastRows are containers in rows, and for each the last from there on in its row.
type lastRows struct {
	rows
	last [][]int
}

func lastRowsOf(containers []*container) lastRows {
	from := lastRows{rows: rowsOf(containers)}
	for _, row := range from.rows {
		from.last = append(from.last, lastFrom(row))
	}
	return from
}

// lastFrom is by index the highest number of the containers from there on.
func lastFrom(row []*container) []int {
	from, last := make([]int, len(row)), 0
	for i := len(row) - 1; i >= 0; i-- {
		last = max(last, row[i].number)
		from[i] = last
	}
	return from
}

// isUncertain reports a running container, started with -i as far as is known, that
// is kept although its owner is not certain.
func (k *container) isUncertain() bool {
	withStdin := k.OpenStdin.Or(true) && k.StdinOnce.Or(true)
	return k.Running() && withStdin && !k.managed && k.state != containerOrphaned && !k.exact
}

// isClaimed reports that a live `docker run` has the container, or that all those that
// could have it need one each.
func (k *container) isClaimed() bool {
	if k.runner != nil {
		return order(k.runner, k) <= 0
	}
	return k.fit != nil && k.fit.needed && !k.fit.disputed
}

// mayHaveUnclaimed reports that a leaked runner may be that of a container which stays
// because somebody attached to it, or uses it through the engine: that user would lose the
// container with the runner. The user may have closed its stdin, so the state of the stdins
// does not count here.
func (s staying) mayHaveUnclaimed(r *runner) bool {
	_, named := s.named[r]
	return named || s.lastOf(r, s.unclaimed, couldHave) >= 0
}

// maybeOf is the last container that may be a runner's; nil is none. ambiguous says that
// it may be another live runner's too.
func (s staying) maybeOf(r *runner) (k *container, ambiguous bool) {
	inDoubt := -1
	for kind, last := range s.ambiguous {
		if s.kinds.fit(r.kind, kind) {
			inDoubt = max(inDoubt, last)
		}
	}
	last := max(inDoubt, s.lastOf(r, s.uncertain, couldRun), s.lastOf(r, s.unclaimed, couldHave))
	if number, named := s.named[r]; named {
		last = max(last, number)
	}
	if last < 0 {
		return nil, false
	}
	return s.held[last], last == inDoubt
}

// lastOf is the number of the last container that may be a runner's by a rule; -1 is none.
func (s staying) lastOf(r *runner, from lastRows, holds rule) int {
	last := -1
	for _, could := range s.choices([]*runner{r}, from.rows, holds)[0] {
		last = max(last, from.last[could.Row][could.From])
	}
	return last
}
