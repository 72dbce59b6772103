package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/sentence"
)

// Pin is a person's pin of a target.
type Pin struct {
	Why string // in a sentence
	// Of is the id of its docker run or of its container, if that was pinned; else "".
	Of string
	// By is the name of the user who pinned it, if that is not the present one.
	By string
}

// keepPinned is the veto of a pin. One of a target's docker run, or of its container, is ended
// by the name of that.
func (c *correlation) keepPinned(t *Target, pin Pin) {
	switch {
	case pin.Of == "":
		t.veto(GuardPinned, "%s", pin.Why)
	case t.Container == nil:
		t.veto(GuardPinned, "its container %v is pinned: %s", c.containerNamed(pin.Of), pin.Why)
	default:
		t.veto(GuardPinned, "its docker run is pinned: %s", pin.Why)
	}
	last := &t.Vetoes[len(t.Vetoes)-1]
	last.For, last.By = pin.Of, pin.By
}

func (c *correlation) containerNamed(id string) sentence.Mark {
	if k := c.containers[id]; k != nil && k.Name != "" {
		return sentence.Mark(strings.TrimPrefix(k.Name, "/"))
	}
	return sentence.Mark(fmt.Sprintf("%.12s", id))
}

// nameKeepers fills in [Target.KeptFor].
func (c *correlation) nameKeepers() {
	pinned := c.pinnedTrees()
	for _, t := range c.targets {
		if hasVeto(t, GuardPinned) {
			t.KeptFor = others(t.ID, c.keepersOf(t, pinned, map[*Target]bool{}))
		}
	}
}

// keepersOf returns the ids of the pinned targets for whose sake a target is kept, the nearest first: that
// of its pin, and those of the pinned ones that have it and of what has these. asked are the targets that
// were asked already.
func (c *correlation) keepersOf(t *Target, pinned map[string]*Target, asked map[*Target]bool) (ids []string) {
	asked[t] = true
	if by := t.pin().For; by != "" {
		ids = append(ids, by)
	}
	for _, owner := range c.pinnedHolders(t, pinned) {
		if !asked[owner] {
			ids = append(append(ids, cmp.Or(owner.pin().For, owner.ID)), c.keepersOf(owner, pinned, asked)...)
		}
	}
	return ids
}

// pinnedHolders are the pinned targets that have a target: above it, at the other ends of its stdio, or a
// container's owner and docker run.
func (c *correlation) pinnedHolders(t *Target, pinned map[string]*Target) []*Target {
	if t.Container != nil {
		return slices.DeleteFunc([]*Target{pinned[t.Owner.ID.String()], pinned[t.Runner]}, func(by *Target) bool { return by == nil })
	}
	if tree := t.nodes[0].tree; tree != nil {
		return c.pinnedOwners(tree)
	}
	return nil
}

// others are the ids that are not a target's own, in their order, each once.
func others(own string, ids []string) (once []string) {
	for _, id := range ids {
		if id != own && !slices.Contains(once, id) {
			once = append(once, id)
		}
	}
	return once
}

// pinnedTrees are the pinned targets that are no containers, by id.
func (c *correlation) pinnedTrees() map[string]*Target {
	pinned := map[string]*Target{}
	for _, t := range c.targets {
		if t.Root != nil && t.Container == nil && hasVeto(t, GuardPinned) {
			pinned[t.ID] = t
		}
	}
	return pinned
}

// keepHeldContainers keeps the containers of pinned owners, and those of pinned docker runs.
func (c *correlation) keepHeldContainers() {
	pinned := c.pinnedTrees()
	for _, t := range c.targets {
		if t.Container == nil || hasVeto(t, GuardPinned) {
			continue
		}
		if by := cmp.Or(pinned[t.Owner.ID.String()], pinned[t.Runner]); by != nil {
			t.keepAsPartOf(by)
		}
	}
}

// keepContainersOfPinned keeps each orphaned container that could be that of a leaked and
// pinned `docker run`: which of several is its cannot be told.
func (c *correlation) keepContainersOfPinned() {
	if by := c.pinnedUnread(); by != nil {
		c.keepOrphans(func(string) *Target { return by })
		return
	}
	by := map[string]*Target{} // by the container's id
	for _, k := range c.orphans(func(k *container) bool { return !k.exact }) {
		for _, r := range k.candidates {
			isKnown := r.container != nil && r.container.exact
			if r.gone && r.tree != nil && !isKnown && hasVeto(r.tree.target, GuardPinned) {
				by[k.ID] = r.tree.target
			}
		}
	}
	c.keepOrphans(func(id string) *Target { return by[id] })
}

// pinnedUnread is a pinned target that may be a `docker run`, whose arguments are not known:
// it could have any container. nil is none.
func (c *correlation) pinnedUnread() *Target {
	for _, t := range c.trees {
		if hasVeto(t.target, GuardPinned) && slices.ContainsFunc(t.members, c.mayBeRunner) {
			return t.target
		}
	}
	return nil
}

// keepOrphans keeps each orphaned container for the pinned target that may have it; nil is
// none.
func (c *correlation) keepOrphans(of func(id string) *Target) {
	orphaned := map[string]bool{}
	for _, k := range c.orphans(func(k *container) bool { return !k.exact }) {
		orphaned[k.ID] = true
	}
	for _, target := range c.targets {
		if !orphaned[target.ID] || hasVeto(target, GuardPinned) {
			continue
		}
		if by := of(target.ID); by != nil {
			target.veto(GuardPinned, "it may be that of %v, which is kept: %v", sentence.Name{Name: by.Name, PID: by.Root.PID}, by.pin().Sentence())
			target.keepFor(by)
		}
	}
}
