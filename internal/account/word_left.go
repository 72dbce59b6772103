package account

import (
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// LeftBehind maps the id of a target to the ended session that left it. A word that names such a
// session means what it left:
//
//	NAME           also what sessions of that name left: a glob, in any case
//	PID            what the session of that number left, if no process has the number now
//	PID:START      the same
type LeftBehind map[string]graph.Owner

// Means reports whether one of the words means a target of a look, by itself or as what a
// session left.
func (l LeftBehind) Means(g *graph.Graph, words []string, t *graph.Target) bool {
	thing := SubjectOf(t)
	return slices.ContainsFunc(words, func(word string) bool { return thing.IsMeant(word) || l.isLeft(g, word, t) })
}

// Missing are the words that mean nothing in a look.
func (l LeftBehind) Missing(g *graph.Graph, words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return slices.ContainsFunc(g.Targets, func(t *graph.Target) bool { return l.Means(g, []string{word}, t) })
	})
}

func (l LeftBehind) isLeft(g *graph.Graph, word string, t *graph.Target) bool {
	owner, left := l[t.ID]
	if !left || !IsOwner(word, owner) {
		return false
	}
	return isCalled(word, owner) || ProcessMeant(g.Snapshot, word) == nil
}

// IsOwner reports that a word means an owner: its name, which may be a glob, in any case, or its
// PID.
func IsOwner(word string, o graph.Owner) bool {
	return isCalled(word, o) || !o.ID.IsZero() && Subject{ID: o.ID.String()}.Is(word)
}

func isCalled(word string, o graph.Owner) bool {
	return o.Name != "" && policy.MatchesName(word, o.Name)
}

// Strangers are the processes of a name, or of a PID, that are no known clients, but live and own
// something in a look.
func Strangers(g *graph.Graph, name string) (found []*inventory.Process) {
	for _, t := range g.Targets {
		if t.Owner.Liveness != graph.LivenessLive || t.Incidental || !IsOwner(name, t.Owner) {
			continue
		}
		if p := ProcessMeant(g.Snapshot, t.Owner.ID.String()); p != nil && !slices.Contains(found, p) {
			found = append(found, p)
		}
	}
	return found
}
