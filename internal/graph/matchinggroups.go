package graph

// groups numbers the takers by group: a thing that is not [matching.spare] has a taker of
// the same group in every largest matching. It is nil if some taker has no thing.
func (m *matching) groups() []int {
	if !m.satisfied(func(int) bool { return true }) {
		return nil
	}
	g := grouping{matching: m, met: make([]int, len(m.thing)), group: fill(len(m.thing))}
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
