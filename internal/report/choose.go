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
	names  []string
	roots  map[inventory.ID]*graph.Target // the targets by their root: some own others
	inside map[string]*graph.Target       // the gateway that a target ends with, the docker run of a container: by the target's id
}

func newChoice(in Input, names []string) choice {
	c := choice{names: names, roots: map[inventory.ID]*graph.Target{}, inside: map[string]*graph.Target{}}
	unseen := map[string]bool{}
	for i := range in.Verdicts {
		if t := in.Verdicts[i].Target; t.Owner.IsUnseen() {
			unseen[t.ID] = true
		}
	}
	for i := range in.Verdicts {
		verdict := &in.Verdicts[i]
		t := verdict.Target
		if t.Root != nil {
			c.roots[t.Root.ID()] = t
		}
		inside := t.Containers
		if t.Kind == graph.KindGateway { // what ends with one that stays, a sweep by its name leaves
			below := slices.DeleteFunc(slices.Clone(t.Below), func(id string) bool { return verdict.Decision == policy.Keep && !unseen[id] })
			inside = append(below, inside...)
		}
		for _, id := range inside {
			c.inside[id] = t
		}
	}
	return c
}

// present are the names that mean something in a look; all of them if none does.
func (c choice) present(in Input) []string {
	present := slices.DeleteFunc(slices.Clone(c.names), func(name string) bool {
		one := choice{[]string{name}, c.roots, c.inside}
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

// belongs reports whether a name means an owner of a target, its own or that of the gateway above it, or
// what the target ends with.
func (c choice) belongs(t *graph.Target) bool {
	for range mostOwners {
		if t == nil {
			return false
		}
		if c.means(t.Owner) {
			return true
		}
		if t = c.above(t); t != nil && word.AnyMeans(c.names, t) {
			return true
		}
	}
	return false
}

// above is the target that owns a target, or that it ends with; nil if none does.
func (c choice) above(t *graph.Target) *graph.Target {
	if owner := c.roots[t.Owner.ID]; owner != nil && owner != t {
		return owner
	}
	return c.inside[t.ID]
}

func (c choice) means(o graph.Owner) bool {
	return slices.ContainsFunc(c.names, func(name string) bool { return word.IsOwner(name, o) })
}
