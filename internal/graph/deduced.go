package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/matching"
)

// deduceOwners names the owner of containers that several live runners could have. Every
// runner has one, so what the others need is not theirs: of two sessions that began one
// after the other with the same image, the older one's docker run needs the older
// container, and the newer container is left for the newer session. Nothing is reaped by
// it: see [Target.Deduced].
//
// Nothing follows where somebody may have a container without a docker run to be seen, or
// where a runner of the class may have one of inUse, which took no part.
func (c *correlation) deduceOwners(of *class, inUse rows) {
	isOpen := func(k *container) bool { return k.fit.needed && k.fit.candidates > 1 && k.fit.owner == Owner{} }
	if !slices.ContainsFunc(of.containers, isOpen) || c.carrier != nil || c.unread != nil || len(c.strays) > 0 {
		return
	}
	live, in := of.live(), rowsOf(of.containers)
	hasChoice := func(choices []matching.Choice) bool { return len(choices) > 0 }
	if slices.ContainsFunc(c.choices(live, inUse, couldHave), hasChoice) {
		return
	}
	m := c.match(live, in, couldRun)
	groups := m.Groups()
	if groups == nil {
		return
	}
	owners := c.ownersOf(live, groups)
	for number, k := range in.all() {
		if isOpen(k) {
			k.fit.owner = owners[groups[m.TakerOf(number)]]
			k.fit.deduced = !k.fit.owner.ID.IsZero()
		}
	}
}

// ownersOf is by group the owner that all of its runners have; zero if they have several.
func (c *correlation) ownersOf(live []*runner, groups []int) map[int]Owner {
	owners := map[int]Owner{}
	for i, r := range live {
		owner := c.ownerOfRunner(r)
		if known, found := owners[groups[i]]; found && known.ID != owner.ID {
			owner = Owner{}
		}
		owners[groups[i]] = owner
	}
	return owners
}
