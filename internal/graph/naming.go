package graph

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// naming finds the containers that a word may name.
type naming struct {
	byName map[string][]*inventory.Container // without the slash in front
	byID   []*inventory.Container            // sorted
}

func newNaming(containers []inventory.Container) *naming {
	n := &naming{byName: map[string][]*inventory.Container{}}
	for i := range containers {
		name := containers[i].Called()
		n.byName[name] = append(n.byName[name], &containers[i])
		n.byID = append(n.byID, &containers[i])
	}
	slices.SortStableFunc(n.byID, func(a, b *inventory.Container) int { return strings.Compare(a.ID, b.ID) })
	return n
}

// beginning lists the containers whose id begins with a word.
func (n *naming) beginning(word string) []*inventory.Container {
	from, _ := slices.BinarySearchFunc(n.byID, word, func(k *inventory.Container, word string) int { return strings.Compare(k.ID, word) })
	to := from
	for to < len(n.byID) && strings.HasPrefix(n.byID[to].ID, word) {
		to++
	}
	return n.byID[from:to]
}

// namedBy lists the ids of the containers that a runner's arguments name: by the id in
// its --cidfile, else by --name or, for exec, start and attach, by the container
// argument, or by the service of Compose's exec.
func (n *naming) namedBy(r *runner) (ids []string) {
	if id := r.ContainerFile; id != "" {
		if begin := n.beginning(id); len(begin) > 0 && begin[0].ID == id {
			ids = append(ids, id)
		}
		return ids
	}
	if r.line.Service != "" && r.line.Command == "exec" {
		for _, k := range n.byID {
			if r.line.Labelled(k.Labels) {
				ids = append(ids, k.ID)
			}
		}
		return ids
	}
	for _, word := range []string{r.line.Name, r.line.Container} {
		if word == "" {
			continue
		}
		begin := n.beginning(word)
		isAnothers := func(id string) bool {
			return slices.ContainsFunc(begin, func(other *inventory.Container) bool { return other.ID != id }) ||
				slices.ContainsFunc(n.byName[word], func(other *inventory.Container) bool { return other.ID != id })
		}
		for _, k := range slices.Concat(n.byName[strings.TrimPrefix(word, "/")], begin) {
			if r.line.Names(k.ID, k.Name, func(string) bool { return isAnothers(k.ID) }) {
				ids = append(ids, k.ID)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
