package top

import (
	"maps"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// acts is what the keys do that want something done.
func (m Model) acts(k Key) (Model, Effect) {
	if m.busy != "" {
		m.note = note{text: "one thing after the other: " + m.busy}
		return m, Effect{}
	}
	if k == "r" {
		m.note = note{text: "looking"}
		return m, Effect{Do: Look}
	}
	n := m.chosen()
	if n == nil || n.Target == "" {
		m.note = note{text: "go to a server or a container first", tone: overview.ToneWaits}
		return m, Effect{}
	}
	if k == "p" {
		return m.pins(n)
	}
	return m.stops(n)
}

// stops asks for the plan about a node. Until it is there nothing else is done by a
// key, so that nobody answers a question with a key that was meant for the tree.
func (m Model) stops(n *overview.Node) (Model, Effect) {
	m.waits, m.asksAt, m.busy = true, time.Time{}, "looking once more before the question is asked"
	if m.from == Daemon {
		m.asksAt = m.now.Add(m.options.Settle)
		m.busy = "looking twice, " + human.Exact(m.options.Settle) + " apart, before the question is asked"
	}
	return m, Effect{Do: Stop, Target: n.Target, Ends: m.switches(n)}
}

// switches are what lets a sweep end what the policy may only report: a duplicate, and
// a session that stays as idle as it is.
func (m Model) switches(n *overview.Node) policy.Switches {
	switch idle := m.tree.At.Sub(n.IdleSince).Truncate(time.Minute); {
	case n.Finding == graph.FindingDuplicate:
		return policy.Switches{Duplicates: true}
	case n.Kind == overview.KindSession && n.State == overview.StateIdle && !n.IdleSince.IsZero() && idle > 0:
		return policy.Switches{IdleOver: idle}
	}
	return policy.Switches{}
}

// keyWaiting is what keys do until a plan is there.
func (m Model) keyWaiting(k Key) (Model, Effect) {
	switch k {
	case "esc", "q", "ctrl-c":
		m.waits, m.busy = false, "giving up"
		return m, Effect{Do: GiveUp}
	}
	m.note = note{text: "first the question; esc gives it up", tone: overview.ToneWaits}
	return m, Effect{}
}

// progress is what is being done, and for how long it will be.
func (m Model) progress() string {
	text := m.busy + m.ellipsis()
	if at := m.ahead(m.asksAt); m.waits && !at.IsZero() {
		text += " " + m.countdown(at)
	}
	if m.waits {
		text += "  esc gives up"
	}
	return text
}

// chosen is the node that the reader is at, in the tree or on its page; nil for
// none.
func (m Model) chosen() *overview.Node {
	if m.mode == paging {
		return m.tree.Find(m.page.about)
	}
	r, _ := m.row()
	return r.node
}

// pins keeps a node, or ends that.
func (m Model) pins(n *overview.Node) (Model, Effect) {
	do := Pin
	if m.isPinned(n) {
		do = Unpin
	}
	m.busy = map[Deed]string{Pin: "pinning it", Unpin: "ending its pin"}[do]
	return m, Effect{Do: do, Target: n.Target}
}

// isPinned reports whether a node is pinned: as the look says, or by a key since.
func (m Model) isPinned(n *overview.Node) bool {
	if at, set := m.keeps[n.Target]; set && !m.tree.At.After(at) {
		return true
	}
	return slices.ContainsFunc(n.Guards, func(v graph.Veto) bool { return v.Guard == graph.GuardPinned })
}

// pinned remembers a pin until a look shows it.
func (m Model) pinned(effect Effect) Model {
	kept := maps.Clone(m.keeps)
	switch effect.Do {
	case Pin:
		if kept == nil {
			kept = map[string]time.Time{}
		}
		kept[effect.Target] = m.now
	case Unpin:
		delete(kept, effect.Target)
	}
	m.keeps = kept
	return m
}

// keyAsking is what keys do while a plan waits for an answer: only a y is a yes.
func (m Model) keyAsking(k Key) (Model, Effect) {
	switch k {
	case "y", "Y":
		m.mode, m.busy = browsing, "stopping"
		return m, Effect{Do: Yes}
	case "n", "N", "esc", "enter", "q", "ctrl-c":
		m.mode = browsing
		return m, Effect{Do: No}
	}
	m.page = m.page.scrolled(k, m.pageRoom())
	return m, Effect{}
}
