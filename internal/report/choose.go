package report

import (
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/word"
)

// choice selects the targets that names mean, as package word understands them. No names
// select everything.
type choice struct {
	names []string
	roots map[inventory.ID]*graph.Target // the targets by their root: some own others
}

func newChoice(in Input, names []string) choice {
	c := choice{names: names, roots: map[inventory.ID]*graph.Target{}}
	for i := range in.Verdicts {
		if t := in.Verdicts[i].Target; t.Root != nil {
			c.roots[t.Root.ID()] = t
		}
	}
	return c
}

// present are the names that mean something in a look; all of them if none does.
func (c choice) present(in Input) []string {
	present := slices.DeleteFunc(slices.Clone(c.names), func(name string) bool {
		one := choice{[]string{name}, c.roots}
		isShown := slices.ContainsFunc(in.Verdicts, func(v policy.Verdict) bool { return one.shows(v.Target) })
		return !isShown && (in.Graph == nil || len(word.Missing(in.Graph, one.names)) > 0)
	})
	if len(present) == 0 {
		return c.names
	}
	return present
}

// shows reports whether the names select a target: by itself, or by the PID or the name of
// what it belongs to.
func (c choice) shows(t *graph.Target) bool {
	return len(c.names) == 0 || word.AnyMeans(c.names, t) || c.belongs(t)
}

// mostOwners limits the owners above a target: a session, its gateway, and theirs.
const mostOwners = 8

// belongs reports whether a name means an owner of a target: its own, or that of the
// gateway above it.
func (c choice) belongs(t *graph.Target) bool {
	for range mostOwners {
		if t == nil {
			return false
		}
		if c.means(t.Owner) {
			return true
		}
		t = c.above(t)
	}
	return false
}

// above is the target that owns a target; nil if none does.
func (c choice) above(t *graph.Target) *graph.Target {
	if owner := c.roots[t.Owner.ID]; owner != t {
		return owner
	}
	return nil
}

func (c choice) means(o graph.Owner) bool {
	return slices.ContainsFunc(c.names, func(name string) bool { return word.IsOwner(name, o) })
}
