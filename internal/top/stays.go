package top

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// whyAllStay lists a group of which x stops nothing, each with its state.
func (m Model) whyAllStay(c choice) text {
	s := &sheet{model: m}
	about := "stays"
	for _, target := range c.targets {
		n := m.tree.OfTarget(target)
		state, tone := m.state(m.rowOf(n))
		s.tell(about, n.Title()+": "+state, tone)
		about = ""
	}
	s.gap()
	more := "x on one of them says why."
	if slices.ContainsFunc(c.targets, func(target string) bool { return m.isPinned(m.tree.OfTarget(target)) }) {
		more = "p on a pinned row ends its pin."
	}
	s.say("", "x stops none of it. "+more)
	return s.text
}

// stays says why nothing that top does ends a node, as of the last look; empty if a plan
// may end it.
func (m Model) stays(n *overview.Node) string {
	switch {
	case n == nil || n.Target == "":
		return ""
	case m.goesWith(n) != nil:
		head := m.goesWith(n).Title()
		if m.looksTooShort(m.goesWith(n)) {
			return n.Title() + " goes only with " + head + ", which waits for its time: the two looks of x do not prove it before."
		}
		return n.Title() + " goes only with " + head + ": x on " + head + " stops it with all that goes with it."
	case m.isPinned(n):
		return n.Title() + " is pinned, so x does not stop it. p ends the pin."
	case m.keeper(n) != nil:
		return n.Title() + " is kept, so x does not stop it: " + m.pinText(n) + "."
	case n.State == overview.StatePinned:
		return n.Title() + " is pinned, so x does not stop it: " + m.pinText(n) + "."
	case n.Protected:
		return n.Title() + " stays: " + cmp.Or(n.Stays(), n.Reason) + ". x stops nothing that the policy protects."
	case m.onlyReports(n):
		return n.Title() + " stays, and x does not stop it: rule " + strconv.Quote(n.Next.Rule) + m.ruleText(n)
	case n.IsUnproven():
		return n.Title() + " stays: " + n.Reason + "."
	case n.Next.Rule != "" || n.Finding != "" || m.switchesOf(n) != policy.Switches{}:
		return ""
	case m.tree.IdleFrom(n) != "":
		idle := human.Coarse(m.age(n.IdleSince))
		return n.Title() + " has done nothing for " + idle + ". " + human.Capital(m.tree.IdleFrom(n)) + ", and x does not stop it before. " + m.notIdleYet(n)
	case n.Unmeasured:
		return n.Title() + " is a live session, and whether it idles is unknown: " + n.Use + ". x does not stop it; quit it " + where(n) + " instead."
	case n.Kind == overview.KindSession:
		return n.Title() + " is a live session and in use: x does not stop it. Quit it " + where(n) + " instead, and its servers end with it. " +
			"Once it is idle, x stops it as reaperd sweep --idle-over does, after its question."
	case n.Rests:
		return n.Title() + " is " + n.Reason + ". Until then it counts as in use, and x never takes a server from whoever uses it. " + m.wayToEnd(n)
	case n.Owner.Liveness == graph.LivenessLive:
		return n.Title() + " is in use by " + cmp.Or(n.Owner.String(), "a live process") + ". x never takes a server from whoever uses it. " + m.wayToEnd(n)
	}
	return n.Title() + " stays: " + cmp.Or(n.Reason, "nothing proves whose it is") + ". x stops only what is proven to be nobody's."
}

// onlyReports tells that the rule of a node only reports it, and that no switch of a sweep ends it
// all the same.
func (m Model) onlyReports(n *overview.Node) bool {
	return n.State == overview.StateReported && n.Next.Action == policy.ActionReport && m.switchesOf(n) == policy.Switches{}
}

// notIdleYet names the ways to end a session that does nothing, and does not count as idle yet. A sweep
// without a daemon knows only what it sees itself: it looks for as long as it asks for.
func (m Model) notIdleYet(n *overview.Node) string {
	by := m.byHand().StopIdleCommand(n, n.Typed(), m.from == Daemon)
	text := "To " + by.What + ": " + by.Line
	switch {
	case m.isBarred():
	case m.from == Daemon:
		text += ", which asks first"
	default:
		text += ", which looks for as long and asks first"
	}
	return text + "; or quit it " + where(n) + "."
}

// goesWith is the node with which another goes, and not without it; nil if there is none.
func (m Model) goesWith(n *overview.Node) *overview.Node {
	switch {
	case n == nil:
		return nil
	case n.Next.With != "":
		return m.tree.Find(n.Next.With)
	case n.Kind == overview.KindProcess:
		return nil
	case n.State.IsGoing():
		return m.tree.GatewayAround(n)
	}
	if place := m.rowOf(n).place; !place.Stops || place.Pinned {
		return nil
	}
	return m.tree.Top(n.Key)
}

// pinText tells which pin keeps a node that has none of its own.
func (m Model) pinText(n *overview.Node) string {
	if above := m.tree.Top(n.Key); above != n && m.isPinned(above) {
		return "it is pinned with " + above.Title() + ", whose pin p ends there"
	}
	text := "somebody pinned it"
	if i := slices.IndexFunc(n.Guards, func(v graph.Veto) bool { return v.Guard == graph.GuardPinned }); i >= 0 {
		text = n.Guards[i].Text
	}
	if keeper := m.keeper(n); keeper != nil && !n.Marked {
		text += " (reaperd unpin " + keeper.Typed() + " ends that)"
	}
	return text
}

// keeper is the pinned thing for whose sake a node is kept, unless that is its session; nil
// if there is none.
func (m Model) keeper(n *overview.Node) *overview.Node {
	if n.KeptWith.Target == "" || m.rowOf(n).place.Pinned {
		return nil
	}
	return m.tree.OfTarget(n.KeptWith.Target)
}

// wayToEnd tells how a person ends a node that a live session has.
func (m Model) wayToEnd(n *overview.Node) string {
	above := m.tree.Top(n.Key)
	if above == nil || above.Kind != overview.KindSession {
		return "It ends with " + cmp.Or(n.Owner.String(), "its owner") + "."
	}
	if above.State == overview.StateIdle {
		return "It ends with " + above.Title() + ", which is idle: x on that session asks to stop it with all that it holds."
	}
	return "It ends with " + above.Title() + ": quit that " + where(above) + ", or take the server out of its configuration."
}

// where is the terminal on which a session runs.
func where(n *overview.Node) string {
	if n.TTY == "" {
		return "in its window"
	}
	return "on " + n.TTY
}
