package graph

import (
	"cmp"
	"slices"
	"strings"
)

// This file is about pins: who has one, and what is kept for the sake of what is pinned.

// Pin is a person's pin of a target.
type Pin struct {
	Why string // in a sentence
	// Of is the id of its docker run or of its container, if that was pinned; else "".
	Of string
}

// keepPinned is the veto of a pin. One of a target's docker run, or of its container, is ended
// by the name of that.
func (t *Target) keepPinned(pin Pin) {
	switch {
	case pin.Of == "":
		t.veto(GuardPinned, "%s", pin.Why)
	case t.Container == nil:
		t.veto(GuardPinned, "its container is pinned: %s", pin.Why)
	default:
		t.veto(GuardPinned, "its docker run is pinned: %s", pin.Why)
	}
	t.Vetoes[len(t.Vetoes)-1].For = pin.Of
}

// keepMarked is the veto of a label or of the environment.
func (t *Target) keepMarked(why string) {
	t.veto(GuardPinned, "%s", why)
	t.Vetoes[len(t.Vetoes)-1].Marked = true
}

// pin is why the target is pinned; the zero value if it is not.
func (t *Target) pin() Veto {
	return first(t.Vetoes, func(v Veto) bool { return v.Guard == GuardPinned })
}

func (t *Target) isPinned() bool { return t.pin().Guard != "" }

// spreadPins extends pins to what belongs to a pinned target: the trees below it and those whose stdio
// it holds, its containers, and the containers that may be its. Whoever pins a gateway wants to keep
// its servers.
func (c *correlation) spreadPins() {
	for spread := true; spread; {
		spread = false
		for _, t := range c.trees {
			if by := c.pinnedOwner(t); by != nil && !t.target.isPinned() {
				t.target.keepAsPartOf(by)
				spread = true
			}
		}
	}
	pinned := map[string]*Target{}
	for _, t := range c.targets {
		if t.Container == nil && t.isPinned() {
			pinned[t.ID] = t
		}
	}
	for _, k := range c.held {
		if by := cmp.Or(pinned[k.target.Owner.ID.String()], pinned[k.target.Runner]); by != nil && !k.target.isPinned() {
			k.target.keepAsPartOf(by)
		}
	}
	c.keepContainersOfPinned()
}

// pinnedOwner is the nearest pinned target above a tree, else one at the other end of its stdio; nil
// is none.
func (c *correlation) pinnedOwner(t *tree) *Target {
	isPinned := func(n *node) bool { return n.target != nil && n.target != t.target && n.target.isPinned() }
	by := ancestor(t.root, isPinned)
	for _, a := range t.answers {
		by = cmp.Or(by, first(a.by, isPinned))
	}
	if by == nil {
		return nil
	}
	return by.target
}

// belongs begins the sentence of a target that belongs to a pinned one.
const belongs = "it belongs to "

// keepAsPartOf is the veto of a target that belongs to a pinned one, or to something that does: what is pinned is named.
func (t *Target) keepAsPartOf(by *Target) {
	pin, how := by.pin(), "pinned"
	if pin.Marked {
		how = "kept"
	}
	if strings.HasPrefix(pin.Text, belongs) {
		t.veto(GuardPinned, "%v", pin.Sentence())
	} else {
		t.veto(GuardPinned, belongs+"%s, which is "+how+": %v", by.named(), pin.Sentence())
	}
	t.keepFor(by)
}

// keepFor says of the last veto that it is for the sake of another target, which is pinned.
func (t *Target) keepFor(pinned *Target) {
	pin, last := pinned.pin(), &t.Vetoes[len(t.Vetoes)-1]
	last.Marked, last.For = pin.Marked, cmp.Or(pin.For, pinned.ID)
}

// keepContainersOfPinned keeps each orphaned container that could be that of a leaked and pinned
// `docker run`, which of several is its cannot be told, or of a pinned target that may be a
// `docker run`: it could have any container if its arguments are not known.
func (c *correlation) keepContainersOfPinned() {
	unread := first(c.trees, func(t *tree) bool { return t.target.isPinned() && slices.ContainsFunc(t.members, c.mayBeRunner) })
	for _, k := range c.held {
		if k.state != containerOrphaned || k.exact || k.target.isPinned() {
			continue
		}
		by := unread
		for _, r := range k.candidates {
			isKnown := r.container != nil && r.container.exact
			if unread == nil && r.gone && r.tree != nil && !isKnown && r.tree.target.isPinned() {
				by = r.tree
			}
		}
		if by != nil {
			k.target.veto(GuardPinned, "it may be that of %v, which is kept: %v", by.target.named(), by.target.pin().Sentence())
			k.target.keepFor(by.target)
		}
	}
}
