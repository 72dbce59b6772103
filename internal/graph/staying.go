package graph

// staying are the containers that may belong to leaked runners and are not reaped.
type staying struct {
	*correlation
	ambiguous []int // by kind: the last container that is ambiguous; -1 is none
	uncertain rows
	last      [][]int         // by row and index of uncertain: the last container from there on
	named     map[*runner]int // the last that the runner names
}

func (c *correlation) staying() staying {
	s := staying{correlation: c, ambiguous: make([]int, c.kinds.containers), named: map[*runner]int{}}
	for kind := range s.ambiguous {
		s.ambiguous[kind] = -1
	}
	var uncertain []*container
	for _, k := range c.held {
		if k.state == containerAmbiguous {
			s.ambiguous[k.kind] = k.number
		}
		if k.isUncertain() {
			uncertain = append(uncertain, k)
		}
		if k.state == containerOrphaned {
			continue
		}
		for _, r := range k.named {
			s.named[r] = k.number
		}
	}
	s.uncertain = rowsOf(uncertain)
	for _, row := range s.uncertain {
		s.last = append(s.last, lastFrom(row))
	}
	return s
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

// maybeOf is the last container that may be a runner's; nil is none. ambiguous says that
// it may be another live runner's too.
func (s staying) maybeOf(r *runner) (k *container, ambiguous bool) {
	inDoubt := -1
	for kind, last := range s.ambiguous {
		if s.kinds.fit(r.kind, kind) {
			inDoubt = max(inDoubt, last)
		}
	}
	last := inDoubt
	for _, could := range s.choices([]*runner{r}, s.uncertain, couldRun)[0] {
		last = max(last, s.last[could.Row][could.From])
	}
	if number, named := s.named[r]; named {
		last = max(last, number)
	}
	if last < 0 {
		return nil, false
	}
	return s.held[last], last == inDoubt
}
