package account

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// why is the reason for what becomes of a target, in one sentence without a full stop.
func (m *maker) why(v *policy.Verdict, fate Fate) string {
	if fate != Kept {
		return v.Reason
	}
	for _, veto := range v.Vetoes {
		if veto.Guard == graph.GuardPinned || veto.Guard == graph.GuardProtected {
			return veto.Text
		}
	}
	switch {
	case v.Protected != nil && v.Protected.Reason != "":
		return fmt.Sprintf("protected by %q: %s", v.Protected.Name, strings.TrimSuffix(v.Protected.Reason, "."))
	case v.Protected != nil:
		return fmt.Sprintf("protected by %q", v.Protected.Name)
	case v.Target.Kind == graph.KindSession && v.Target.Owner == graph.Owner{} && v.Target.Finding == graph.FindingOrphaned:
		return "an agent that reaperd does not know, at work"
	case m.isForRoot(v):
		return "only root can decide: sudo reaperd sweep"
	case len(v.Vetoes) > 0:
		return v.Vetoes[0].Text
	case v.Rule != "":
		return fmt.Sprintf("rule %q only reports it", v.Rule)
	}
	return v.Reason
}

// isForRoot reports that nothing but what this user may not see or do keeps a target.
func (m *maker) isForRoot(v *policy.Verdict) bool {
	uid, known := m.account.Host.UID.Get()
	if !known || uid == 0 || m.account.Decider.Kind == ByReplay {
		return false
	}
	for _, veto := range v.Vetoes {
		if veto.Guard != graph.GuardForeign && veto.Guard != graph.GuardUnproven {
			return false
		}
	}
	return len(v.Vetoes) > 0 || v.Target.Owner.IsUnseen()
}

// Coming is what a decider does to a thing next: "stops in 24s". It is empty for what stays.
func (a *Account) Coming(t *Thing) Text {
	switch {
	case t.Fate == Ending && t.Imminent:
		return Words("about to stop")
	case t.Fate == Ending:
		return Words("stopping")
	case t.DueAt.IsZero() || !a.Decider.acts():
		return nil
	}
	return stops(t.DueAt, a.TakenAt, t.IfIdle)
}

// stops is "stops in 24s" or, of what is due, "stops now".
func stops(due, at time.Time, ifIdle bool) Text {
	if !due.After(at) {
		return Words("stops now")
	}
	coming := Text{{Text: "stops in "}, until(due)}
	if ifIdle {
		coming = coming.Then(Part{Text: " if it stays idle"})
	}
	return coming
}

// headline is the answer in one sentence.
func (a *Account) headline() Text {
	s := a.Summary
	all, used := s.InUse+s.Idle, human.Count(s.InUse+s.Idle, "MCP server")+", all in use."
	switch {
	case s.Leaked+s.Kept == 0 && all == 0:
		return Words("No MCP servers here.")
	case s.Leaked+s.Kept == 0 && all == 1:
		return Words("1 MCP server, in use. Nothing to do.")
	case s.Leaked+s.Kept == 0:
		return Words(used + " Nothing to do.")
	case s.Leaked == 0:
		return Words(fmt.Sprintf("Nothing leaks: %d in use, %d kept.", all, s.Kept))
	}
	text := Words(human.Count(s.Leaked, "MCP server") + " leaked")
	if s.LeakedBytes > 0 {
		text = text.Then(Part{Text: ", " + human.Bytes(s.LeakedBytes)})
	}
	text = text.And(": ", a.allStop())
	if s.Kept > 0 {
		text = text.Then(Part{Text: fmt.Sprintf("; %d kept", s.Kept)})
	}
	return text.Then(Part{Text: fmt.Sprintf("; %d in use.", all)})
}

// allStop is when what leaks is stopped: "stop in 24s", "stop, the first in 24s"; or why
// nothing is.
func (a *Account) allStop() Text {
	var first, last time.Time
	for i := range a.Things {
		t := &a.Things[i]
		if t.Fate != Leaked || t.DueAt.IsZero() {
			continue
		}
		if first.IsZero() || t.DueAt.Before(first) {
			first = t.DueAt
		}
		if t.DueAt.After(last) {
			last = t.DueAt
		}
	}
	switch {
	case a.Decider.Kind != ByDaemon:
		return nil
	case a.Decider.Rests != "":
		return Words("stay, since reaperd " + a.Decider.Rests)
	case first.IsZero():
		return nil
	case !last.After(a.TakenAt):
		return Words("stop now")
	case last.Sub(first) > time.Second:
		return Text{{Text: "stop, the first in "}, until(first)}
	}
	return Text{{Text: "stop in "}, until(last)}
}

// ownerState is what became of the session that left a thing: "ended 21m ago".
func (t *Thing) ownerState() Text {
	switch {
	case t.Owner.Liveness == graph.LivenessLive && t.Finding == graph.FindingDisconnected:
		return Text{{Text: "let go of "}, since(t.FindingSince), {Text: " ago"}}
	case t.Owner.Liveness == graph.LivenessGone && !t.Owner.Since.IsZero() && t.Owner.Name != "":
		return Text{{Text: "ended "}, since(t.Owner.Since), {Text: " ago"}}
	}
	return nil
}

// Called is a thing's name with the word that tells it from others of that name.
func (t *Thing) Called() string { return called(t.Name, t.Handle) }

func called(name, handle string) string {
	return strings.TrimSpace(cmp.Or(name, "process") + " " + handle)
}
