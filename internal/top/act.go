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

// looking is the note from the key r to the next look.
const looking = "looking"

// acts handles the keys that ask for an effect: r, p and x.
func (m Model) acts(k Key) (Model, Effect) {
	if m.busy != "" {
		m.note = note{text: "one thing after the other: " + m.busy}
		return m, Effect{}
	}
	if k == "r" {
		m.note = note{text: looking}
		return m, Effect{Do: Look}
	}
	c := m.chosen()
	switch {
	case len(c.targets) > 0 && k == "p":
		return m.pins(c)
	case len(c.targets) > 0:
		return m.stops(c)
	}
	text := "go to a session, a server or a container first"
	switch {
	case c.node != nil && c.node.Kind == overview.KindOwner:
		text = c.node.Title() + " is no client that reaperd knows: p and x are for what it holds"
	case c.late > 0 && c.isGroup():
		text = tooLateForAll
	case c.late > 0:
		text = tooLate
	}
	m.note = note{text: text, tone: overview.ToneWaits}
	return m, Effect{}
}

// stops asks for the plan about a choice. Until the plan arrives, keys do nothing but give
// up: a key meant for the tree must not answer the question.
func (m Model) stops(c choice) (Model, Effect) {
	if c.isGroup() && m.areAllPinned(c) {
		m.note = note{text: c.all("all of it") + " is pinned: x stops none of it" + m.endsPins(c), tone: overview.ToneWaits}
		return m, Effect{}
	}
	if c.isGroup() && m.allStay(c) {
		m.mode, m.page = paging, page{title: noQuestion, fixed: m.whyAllStay(c)}
		return m, Effect{}
	}
	if why := m.stays(c.node); why != "" {
		m.mode, m.page = paging, page{title: c.node.Title() + " stays", fixed: said(human.Lines(m.safe(why), m.width))}
		return m, Effect{}
	}
	m.waits, m.asksAt, m.busy = true, time.Time{}, "looking once more before the question is asked"
	if m.from == Daemon {
		m.asksAt = m.now.Add(m.options.Settle)
		m.busy = "looking twice, " + human.Exact(m.options.Settle) + " apart, before the question is asked"
	}
	return m, Effect{Do: Stop, Targets: m.meant(c), Ends: m.switches(c)}
}

// meant are the targets of a choice whose end the question is about: of a group those that a
// plan may end.
func (m Model) meant(c choice) []string {
	if !c.isGroup() {
		return c.targets
	}
	var targets []string
	ends, _ := m.part(c)
	for _, n := range ends {
		targets = append(targets, n.Target)
	}
	return targets
}

// allStay reports a choice of which a plan ends nothing, as of the last look.
func (m Model) allStay(c choice) bool { return m.mayEnd(c) == 0 }

// mayEnd counts the targets of a choice that a plan may end, as of the last look.
func (m Model) mayEnd(c choice) int {
	ends, _ := m.part(c)
	return len(ends)
}

// part parts the targets of a choice into those that a plan may end, as of the last look, and
// those that stay.
func (m Model) part(c choice) (ends, stay []*overview.Node) {
	for _, target := range c.targets {
		n := m.tree.OfTarget(target)
		if head := m.goesWith(n); head != nil && slices.Contains(c.targets, head.Target) || m.stays(n) == "" {
			ends = append(ends, n)
		} else {
			stay = append(stay, n)
		}
	}
	return ends, stay
}

// The notes about a thing whose end has begun, and about a group of such things.
const (
	tooLate       = "too late: its end has begun, and neither p nor x changes that"
	tooLateForAll = "too late: the end of all of it has begun"
)

// switches returns the switches that a sweep of a choice needs.
func (m Model) switches(c choice) policy.Switches {
	if c.isGroup() {
		return policy.Switches{}
	}
	return m.switchesOf(c.node)
}

// switchesOf returns the switches that let a sweep end what the policy may only report, or
// not yet: a duplicate, a session that stays idle for as long as now, or that counts as idle by now if it
// has gone on doing nothing since the look, and what is pending and nobody's.
func (m Model) switchesOf(n *overview.Node) policy.Switches {
	switch idle := m.tree.IdleOver(n); {
	case n.Finding == graph.FindingDuplicate:
		return policy.Switches{Duplicates: true}
	case m.mayIdle(n):
		return policy.Switches{IdleOver: m.tree.IdleTime()}
	case n.Kind == overview.KindSession:
		return policy.Switches{IdleOver: idle}
	}
	return policy.Switches{}
}

// mayIdle reports a session that was seen to do nothing, and that counts as idle by now if it has gone on
// so since the look.
func (m Model) mayIdle(n *overview.Node) bool {
	at := m.idlesAt(n)
	return !at.IsZero() && !at.After(m.now)
}

// idlesAt is when a session that does nothing counts as idle; zero for any other node.
func (m Model) idlesAt(n *overview.Node) time.Time {
	if n == nil || m.tree.IdleFrom(n) == "" {
		return time.Time{}
	}
	return n.IdleSince.Add(m.tree.IdleTime())
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
	if at := m.untilAsked(); m.waits && !at.IsZero() {
		text += " " + m.countdown(at)
	}
	if m.waits {
		text += "  esc gives up"
	}
	return text
}

// untilAsked is about when the question comes; zero if that is now, or not known.
func (m Model) untilAsked() time.Time {
	if !m.asksAt.After(m.now) {
		return time.Time{}
	}
	return m.asksAt
}

// pins pins a choice, except for what is pinned already. If all of it is pinned, it ends
// the pins: of a single thing whichever pin that is, of several those that p has begun.
func (m Model) pins(c choice) (Model, Effect) {
	if !m.areAllPinned(c) {
		m.busy = "pinning"
		without := slices.DeleteFunc(slices.Clone(c.targets), func(target string) bool { return m.mine[target] })
		return m, Effect{Do: Pin, Targets: without}
	}
	ends := m.endable(c)
	if len(ends) == 0 {
		m.note = note{text: "pinned before: p on one row ends its pin", tone: overview.ToneWaits}
		return m, Effect{}
	}
	m.busy = "ending the pin"
	return m, Effect{Do: Unpin, Targets: ends}
}

// areAllPinned reports whether the reader has pinned all of a choice.
func (m Model) areAllPinned(c choice) bool {
	return !slices.ContainsFunc(c.targets, func(target string) bool { return !m.mine[target] })
}

// endable are the targets of a choice whose pins p ends: of several those that p has begun.
func (m Model) endable(c choice) []string {
	if len(c.targets) == 1 {
		return c.targets
	}
	return slices.DeleteFunc(slices.Clone(c.targets), func(target string) bool { return !m.begun[target] })
}

// isPinned reports whether the reader has pinned a node itself. Other nodes are kept with
// it, or by a variable of their environment: those have no pin to end.
func (m Model) isPinned(n *overview.Node) bool { return n != nil && m.mine[n.Target] }

// pinned takes over pins, or their end, before the next look shows them.
func (m Model) pinned(effect Effect) Model {
	m.mine, m.begun = changed(m.mine, effect), changed(m.begun, effect)
	return m
}

// changed returns a set of pinned targets after a pin or its end.
func changed(pins map[string]bool, effect Effect) map[string]bool {
	all := maps.Clone(pins)
	if all == nil {
		all = map[string]bool{}
	}
	for _, target := range effect.Targets {
		switch effect.Do {
		case Pin:
			all[target] = true
		case Unpin:
			delete(all, target)
		}
	}
	return all
}

// withSession returns the lines about a pin of one thing: of a session, that the pin ends with it, and
// of a thing that is pinned with its session, that.
func (m Model) withSession(what Said) []string {
	if what.Do != Pin || len(what.Targets) != 1 || len(what.Lines) == 0 {
		return what.Lines
	}
	n := m.tree.OfTarget(what.Targets[0])
	if n == nil {
		return what.Lines
	}
	above := m.tree.Top(n.Key)
	if alone := "Pinned " + n.Title(); n.Kind == overview.KindSession && n.Held().Things() > 0 && what.Lines[0] == alone+"." { // else its end has begun
		return append([]string{alone + ", and while it lives its " + n.Held().String() + "."}, what.Lines[1:]...)
	}
	if above == n || above.Kind != overview.KindSession || !m.isPinned(above) {
		return what.Lines
	}
	lines := slices.Clone(what.Lines)
	lines[0] += " It is pinned with " + above.Title() + " too."
	return lines
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
	return m.scrolled(k), Effect{}
}
