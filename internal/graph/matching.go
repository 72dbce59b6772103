package graph

import "slices"

// matching is a largest assignment of things to clients, each thing to one
// client at most and each client to one thing at most (Kuhn's algorithm: an
// augmenting path a client).
type matching struct {
	fits    [][]int // by client: the things that could be its
	client  []int   // by thing: the client that has it, -1 for none
	thing   []int   // by client: the thing it has, -1 for none
	visited []bool
}

// match finds a largest matching; fits(client, thing) says what could be whose.
func match(clients, things int, fits func(client, thing int) bool) *matching {
	m := &matching{fits: make([][]int, clients), client: fill(things), thing: fill(clients)}
	for cl := range clients {
		for thing := range things {
			if fits(cl, thing) {
				m.fits[cl] = append(m.fits[cl], thing)
			}
		}
	}
	for cl := range clients {
		m.visited = make([]bool, things)
		m.augment(cl)
	}
	return m
}

func fill(n int) []int {
	none := make([]int, n)
	for i := range none {
		none[i] = -1
	}
	return none
}

func (m *matching) augment(cl int) bool {
	for _, thing := range m.fits[cl] {
		if m.visited[thing] {
			continue
		}
		m.visited[thing] = true
		if m.client[thing] < 0 || m.augment(m.client[thing]) {
			m.client[thing], m.thing[cl] = cl, thing
			return true
		}
	}
	return false
}

// spare reports by thing whether some largest matching does without it: what no
// client has, and what a client could give up for such a one.
func (m *matching) spare() []bool {
	spare := make([]bool, len(m.client))
	var queue []int
	for thing, cl := range m.client {
		if cl < 0 {
			spare[thing] = true
			queue = append(queue, thing)
		}
	}
	for len(queue) > 0 {
		free := queue[0]
		queue = queue[1:]
		for cl, things := range m.fits {
			if m.thing[cl] < 0 || !slices.Contains(things, free) || spare[m.thing[cl]] {
				continue
			}
			spare[m.thing[cl]] = true
			queue = append(queue, m.thing[cl])
		}
	}
	return spare
}

// candidates are the clients that could have a thing, by index.
func (m *matching) candidates(thing int) []int {
	var clients []int
	for cl, things := range m.fits {
		if slices.Contains(things, thing) {
			clients = append(clients, cl)
		}
	}
	return clients
}

// satisfied reports that every client that must have a thing has one.
func (m *matching) satisfied(must func(client int) bool) bool {
	for cl, thing := range m.thing {
		if thing < 0 && must(cl) {
			return false
		}
	}
	return true
}
