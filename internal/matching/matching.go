// Package matching assigns things to clients, at most one to each. It is pure and
// knows nothing but numbers: which client could have which thing.
package matching

import "slices"

// Matching is a largest assignment of things to clients: each thing has at most one
// client, each client at most one thing. Kuhn's algorithm finds it with one
// augmenting path for each client.
type Matching struct {
	fits    [][]int // by client: the things that could be its
	client  []int   // by thing: the client that has it, -1 for none
	thing   []int   // by client: the thing it has, -1 for none
	visited []bool
}

// Of finds a largest matching of clients 0…clients-1 with things 0…things-1.
// fits(client, thing) says who could have what.
func Of(clients, things int, fits func(client, thing int) bool) *Matching {
	m := &Matching{fits: make([][]int, clients), client: fill(things), thing: fill(clients)}
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

func (m *Matching) augment(cl int) bool {
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

// Spare says of each thing whether some largest matching leaves it without a client:
// no client has it, or its client could have another thing instead.
func (m *Matching) Spare() []bool {
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

// Candidates are the clients that could have a thing, by index.
func (m *Matching) Candidates(thing int) []int {
	var clients []int
	for cl, things := range m.fits {
		if slices.Contains(things, thing) {
			clients = append(clients, cl)
		}
	}
	return clients
}

// Satisfied reports that every client for which must is true has a thing.
func (m *Matching) Satisfied(must func(client int) bool) bool {
	for cl, thing := range m.thing {
		if thing < 0 && must(cl) {
			return false
		}
	}
	return true
}

// ThingOf is the thing of a client; -1 is none.
func (m *Matching) ThingOf(client int) int { return m.thing[client] }

// IsFull reports that every thing has a client.
func (m *Matching) IsFull() bool { return !slices.Contains(m.client, -1) }
