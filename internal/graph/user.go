package graph

import "github.com/reaperd/reaperd/internal/inventory"

// UserOf is the user whose daemon looks after a target: that of its processes or, for a container,
// that of its runner or of the session that owns it.
func (g *Graph) UserOf(t *Target) inventory.Fact[int] {
	if t.Container == nil {
		return t.UID
	}
	if runner, seen := g.Target(t.Runner); seen && t.Runner != "" {
		return runner.UID
	}
	for _, session := range g.Sessions {
		if session.Process.ID() == t.Owner.ID {
			return session.Process.UID
		}
	}
	return inventory.Fact[int]{}
}
