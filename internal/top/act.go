package top

import (
	"maps"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/report"
)

// acts handles the keys that ask for an effect: r, p and x.
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

// stops asks for the plan about a node. Until the plan arrives, keys do nothing but give
// up: a key meant for the tree must not answer the question.
func (m Model) stops(n *overview.Node) (Model, Effect) {
	if why := m.stays(n); why != "" {
		m.mode, m.page = paging, page{title: n.Title() + " stays", lines: said(report.Wrap(m.safe(why), m.width))}
		return m, Effect{}
	}
	m.waits, m.asksAt, m.busy = true, time.Time{}, "looking once more before the question is asked"
	if m.from == Daemon {
		m.asksAt = m.now.Add(m.options.Settle)
		m.busy = "looking twice, " + human.Exact(m.options.Settle) + " apart, before the question is asked"
	}
	return m, Effect{Do: Stop, Target: n.Target, Ends: m.switches(n)}
}

// stays says why a live session that no rule names stays; empty for everything else. No
// plan could end it, so no look is needed.
func (m Model) stays(n *overview.Node) string {
	switch {
	case n.Kind != overview.KindSession || n.Next.Rule != "" || n.Finding != "" || m.switches(n) != policy.Switches{}:
		return ""
	case m.isPinned(n):
		return n.Title() + " is pinned. p ends the pin."
	}
	where := "where it runs"
	if n.TTY != "" {
		where = "on " + n.TTY
	}
	return n.Title() + " is a live session and in use: x does not end it. Quit it " + where + " instead, and its servers end with it. " +
		"Once it is idle, x ends it as reaperd sweep --idle-over does, after its question."
}

// switches returns the switches that let a sweep end what the policy may only report: a
// duplicate, or a session that stays idle for as long as now.
func (m Model) switches(n *overview.Node) policy.Switches {
	switch idle := m.tree.At.Sub(n.IdleSince).Truncate(time.Minute); {
	case n.Finding == graph.FindingDuplicate:
		return policy.Switches{Duplicates: true}
	case n.Kind == overview.KindSession && n.State == overview.StateIdle && !n.IdleSince.IsZero() && idle > 0:
		return policy.Switches{IdleOver: idle}
	}
	return policy.Switches{}
}

// keyWaiting handles keys until the plan arrives.
func (m Model) keyWaiting(k Key) (Model, Effect) {
	switch k {
	case "esc", "q", "ctrl-c":
		m.waits, m.busy = false, "giving up"
		return m, Effect{Do: GiveUp}
	}
	m.note = note{text: "first the question; esc gives it up", tone: overview.ToneWaits}
	return m, Effect{}
}

// progress tells what is being done, with a countdown to the question.
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

// chosen returns the node under the cursor, or the one whose page is open; nil if there
// is none.
func (m Model) chosen() *overview.Node {
	if m.mode == paging {
		return m.tree.Find(m.page.about)
	}
	r, _ := m.row()
	return r.node
}

// pins pins a node, or unpins it.
func (m Model) pins(n *overview.Node) (Model, Effect) {
	do := Pin
	if m.isPinned(n) {
		do = Unpin
	}
	m.busy = map[Deed]string{Pin: "pinning it", Unpin: "ending its pin"}[do]
	return m, Effect{Do: do, Target: n.Target}
}

// isPinned reports whether the reader has pinned a node itself. Other nodes are kept with
// it, or by a variable of their environment: those have no pin to end.
func (m Model) isPinned(n *overview.Node) bool { return m.mine[n.Target] }

// pinned takes over a pin, or its end, before the next look shows it.
func (m Model) pinned(effect Effect) Model {
	pins := maps.Clone(m.mine)
	switch effect.Do {
	case Pin:
		if pins == nil {
			pins = map[string]bool{}
		}
		pins[effect.Target] = true
	case Unpin:
		delete(pins, effect.Target)
	}
	m.mine = pins
	return m
}

// keyAsking handles keys while a plan waits for an answer: only y means yes.
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
