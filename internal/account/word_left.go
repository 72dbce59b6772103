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
	return AnyMeans(words, t) || slices.ContainsFunc(words, func(word string) bool { return l.isLeft(g, word, t) })
}

// MissingIn are the words that mean nothing in a look.
func (l LeftBehind) Missing(g *graph.Graph, words []string) []string {
	return slices.DeleteFunc(MissingIn(g, words), func(word string) bool { return len(l.Of(g, word)) > 0 })
}

// SubjectOf are the targets of a look that a session left which a word means.
func (l LeftBehind) Of(g *graph.Graph, word string) []*graph.Target {
	if len(l) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(g.Targets), func(t *graph.Target) bool { return !l.isLeft(g, word, t) })
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
