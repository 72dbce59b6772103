package policy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// leastDigits is from how many digits on the beginning of a container's id means it.
const leastDigits = 8

// MatchesName reports whether a glob of a command line means a target of that
// name. Names have no case.
func MatchesName(glob, name string) bool { return anyName([]string{glob}, name) }

// Means reports whether a word of a command line means a target: its id, a PID of
// its tree, what its container is called, the beginning of the container's id, or a
// glob of its name.
func Means(word string, t *graph.Target) bool {
	switch {
	case word == t.ID:
		return true
	case t.Container != nil && (word == strings.TrimPrefix(t.Container.Name, "/") || word == t.Container.Name ||
		len(word) >= leastDigits && strings.HasPrefix(t.ID, word)):
		return true
	case slices.ContainsFunc(t.Members, func(p *inventory.Process) bool { return strconv.Itoa(p.PID) == word }):
		return true
	}
	return MatchesName(word, t.Name)
}
