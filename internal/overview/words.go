package overview

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// Tone tells whether a thing lives, waits or goes. Screens show it as a colour.
type Tone string

// The tones.
const (
	TonePlain Tone = ""
	ToneLives Tone = "lives"
	ToneWaits Tone = "waits"
	ToneGoes  Tone = "goes"
	ToneAside Tone = "aside" // less important than its surroundings
)

// Words describe the state of a node, short enough for a column of a terminal.
type Words struct {
	Text string
	// Due is the moment that Text counts down to: callers append " in " and the time
	// left. Zero: there is no countdown.
	Due time.Time
	// Since is the moment that Text counts up from: callers append the time since then and
	// " ago". Zero: there is none.
	Since time.Time
	// More follows Text and countdown where there is room; it may be empty.
	More string
	Tone Tone
}

// Sought are the words by which a reader finds a node of this state: without times, as whoever
// looks for a PID does not mean them.
func (w Words) Sought() string {
	words := strings.Fields(w.Text + " " + w.More)
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return strings.ContainsAny(word, "0123456789") }), " ")
}

// Place tells where in the tree a node is.
type Place struct {
	Branch BranchName
	Idle   bool // its session is idle
	Pinned bool // its session is pinned
	Stops  bool // its session is pending or due, and all that it holds goes with it
	// AheadAt is when a rule stops its session if that goes on doing nothing; zero is never.
	AheadAt time.Time
	// KeptWith is the pinned thing for whose sake its session is kept; zero if there is none.
	KeptWith Keeper
}

// Sought are the words by which a reader finds what stands in a place of a doubtful branch.
func (p Place) Sought() string {
	if p.Branch == BranchLeaked || p.Branch == BranchUnclear {
		return string(p.Branch)
	}
	return ""
}

// StopsSoon reports a node in use whose session does nothing, and is soon stopped for that if it goes on so.
func (p Place) StopsSoon(n *Node, now time.Time) bool {
	return !p.AheadAt.IsZero() && p.AheadAt.Sub(now) <= policy.SoonAhead && n.State != StateReported && n.GoesWithSession()
}

// Below returns the place of the nodes below a node of this place.
func (p Place) Below(n *Node) Place {
	p.Idle = p.Idle || n.State == StateIdle || n.isKeptIdle()
	if isKept := n.Kind == KindSession && n.State == StatePinned; isKept && n.KeptWith.Target == "" {
		p.Pinned = true
	} else if isKept {
		p.KeptWith = n.KeptWith
	}
	p.Stops = p.Stops || n.Kind == KindSession && n.State.IsGoing()
	if n.Kind == KindSession {
		p.AheadAt = n.Next.AheadAt
	}
	return p
}

// Teller describes the states of nodes. The page and `reaperd top` both use it.
type Teller struct {
	// IdleUntil is the moment up to which idle times are counted.
	IdleUntil time.Time
	Now       time.Time
	Acts      bool // a daemon acts on the tree
}

// Words returns the words for a node's state.
func (t Teller) Words(n *Node, in Place) Words {
	if n.Outcome != "" {
		return Words{Text: "not " + n.Next.Action.Done(), More: ": " + n.Outcome, Tone: ToneGoes}
	}
	switch goes := (in.Stops || in.StopsSoon(n, t.Now)) && n.GoesWithSession(); {
	case goes:
		return Words{Text: t.with("session"), Tone: ToneWaits}
	case n.WaitsWith(t.Acts):
		return Words{Text: t.with(n.Next.withWhat()), Tone: ToneWaits}
	}
	switch n.State {
	case StateReaping:
		return Words{Text: gerund(n) + " now", Tone: ToneGoes}
	case StateDue:
		return Words{Text: t.Deed(n) + " now", Tone: ToneGoes}
	case StatePending:
		return t.pending(n)
	case StatePinned:
		return Words{Text: pinned(n, in), Tone: ToneLives}
	case StateReported:
		return Words{Text: found(n), More: ", " + spared(n), Tone: ToneWaits}
	case StateIdle:
		return t.idleWords(n)
	case StateKept:
	}
	return t.kept(n, in)
}

// isGuarded reports a thing that a rule would end, and a guard keeps.
func (n *Node) isGuarded() bool {
	return n.Next.Action != policy.ActionReport && n.Next.Rule != "" && len(n.Guards) > 0
}

// GoesWithSession reports a server or container that nothing ends but the end of its session.
func (n *Node) GoesWithSession() bool {
	isThing := n.Kind == KindServer || n.Kind == KindGateway || n.Kind == KindContainer
	return isThing && (n.State == StateKept || n.State == StateIdle || n.State == StateReported) && n.Next.EndsWith == ""
}

// with returns the words for a node that stops together with another: "stops with session".
func (t Teller) with(head string) string {
	if t.Acts {
		return "stops with " + head
	}
	return "would stop with " + head
}

// Deed is what happens to a node, or what would happen if somebody acted.
func (t Teller) Deed(n *Node) string {
	removed := n.Next.Action == policy.ActionRemove
	switch {
	case removed && t.Acts:
		return "is removed"
	case removed:
		return "would be removed"
	case t.Acts:
		return "stops"
	}
	return "would stop"
}

// Ahead returns at if it is in the future, else zero.
func (t Teller) Ahead(at time.Time) time.Time {
	if at.After(t.Now) {
		return at
	}
	return time.Time{}
}

// pending tells when a pending node is going to stop.
func (t Teller) pending(n *Node) Words {
	w := Words{Tone: ToneWaits}
	switch {
	case n.Next.Beyond > 0:
		w.Text = "waits for a sweep"
	case n.Next.DueAt.IsZero():
		w.Text = "waits for a look"
	case t.Ahead(n.Next.DueAt).IsZero():
		w.Text = t.Deed(n) + " now"
	default:
		w.Text, w.Due = t.Deed(n), n.Next.DueAt
	}
	return w
}

func (t Teller) idle(n *Node) string {
	switch {
	case n.IdleSince.IsZero():
		return "idle"
	case n.IdleAtLeast: // reaperd never saw it in use
		return "idle " + human.Span(t.IdleUntil.Sub(n.IdleSince)) + "+"
	}
	return "idle " + human.Span(t.IdleUntil.Sub(n.IdleSince))
}

// idleWords are those of an idle session, with when a rule stops it if it goes on idling.
func (t Teller) idleWords(n *Node) Words {
	w := Words{Text: t.idle(n), Tone: ToneAside}
	if n.Next.AheadAt.IsZero() {
		return w
	}
	return t.stopsAhead(n, w)
}

// StopsSoon reports a session that stays, and that a rule soon stops if it goes on doing nothing.
func (n *Node) StopsSoon(now time.Time) bool {
	at := n.Next.AheadAt
	return n.Kind == KindSession && !at.IsZero() && at.Sub(now) <= policy.SoonAhead
}

// isKeptIdle reports an idle session that stays whatever its rule says.
func (n *Node) isKeptIdle() bool {
	return n.Kind == KindSession && n.State == StateKept && n.Finding == graph.FindingIdle
}

// live are the words for a live session, with when a rule stops it if that is soon, and if it goes on
// doing nothing.
func (t Teller) live(n *Node) Words {
	if n.isKeptIdle() {
		return Words{Text: t.idle(n) + ", kept", Tone: ToneAside}
	}
	w := Words{Text: "live", Tone: ToneLives}
	if !n.StopsSoon(t.Now) {
		return w
	}
	return t.stopsAhead(n, w)
}

// stopsAhead adds to the words for a session when a rule stops it.
func (t Teller) stopsAhead(n *Node, w Words) Words {
	w.Text, w.Due, w.Tone = w.Text+", "+t.Deed(n), t.Ahead(n.Next.AheadAt), ToneWaits
	if w.Due.IsZero() {
		w.Text += " soon"
	}
	return w
}

// restsFor tells for how long an older copy that counts as in use has been idle.
func (t Teller) restsFor(n *Node) string {
	if n.IdleSince.IsZero() {
		return ""
	}
	return ", idle for " + human.Span(t.IdleUntil.Sub(n.IdleSince))
}

// kept returns the words for a node in StateKept.
func (t Teller) kept(n *Node, in Place) Words {
	switch n.Kind {
	case KindGone:
		return ended(n)
	case KindSession:
		return t.live(n)
	case KindOwner, KindService:
		return Words{Text: "live", Tone: ToneLives}
	case KindProcess:
		return Words{Tone: ToneAside}
	case KindServer, KindGateway, KindContainer:
	}
	switch {
	case n.Next.EndsWith != "":
		return Words{Text: "ends with container", Tone: ToneAside}
	case in.KeptWith.Target != "":
		return Words{Text: in.KeptWith.String(), Tone: ToneLives}
	case n.Rests:
		return Words{Text: finding.Word(string(graph.FindingDuplicate)), More: t.restsFor(n), Tone: ToneWaits}
	case in.Idle:
		return Words{Text: "idle with session", Tone: ToneAside}
	case in.Branch == BranchSessions, in.Branch == BranchOthers:
		return Words{Text: "in use", Tone: ToneLives}
	case n.Protected:
		return Words{Text: "kept", Tone: ToneLives} // the reason names the entry
	case n.MayBeInUse():
		return Words{Text: MayBeInUse, More: ": by whom cannot be seen", Tone: ToneLives}
	case n.Owner.Liveness == graph.LivenessLive:
		return Words{Text: "in use by somebody", More: ": whose is not known", Tone: ToneLives}
	}
	return Words{Text: "kept", More: ": nothing proves whose", Tone: ToneAside}
}

// ended tells since when a session has been gone, if that is known.
func ended(n *Node) Words {
	if n.Name == "" { // nobody is known who started what is below
		return Words{Tone: ToneAside}
	}
	return Words{Text: "ended", Since: n.Owner.Since, Tone: ToneAside}
}

// found tells what is wrong with a node that has a finding.
func found(n *Node) string {
	word := finding.Word(string(n.Finding))
	switch {
	case n.Finding == graph.FindingZombies && n.Zombies > 0:
		return word + ": " + human.Count(n.Zombies, "zombie")
	case n.Finding == graph.FindingRespawning:
		return word + ": starts again"
	}
	return word
}

// spared tells why a target with a finding stays.
func spared(n *Node) string {
	switch {
	case n.isGuarded() && n.Guards[0].Guard == graph.GuardUnproven && n.Totals.UnseenServers+n.Totals.UnseenContainers > 0:
		return "kept: " + InUseBelow
	case n.isGuarded():
		return "kept: " + string(n.Guards[0].Guard)
	}
	return "only reported"
}

// Stays tells why a node stays that has a finding or is pinned, without what is wrong with
// it; empty for any other node, for one that goes, and for an idle session.
func (n *Node) Stays() string {
	by := slices.IndexFunc(n.Guards, func(v graph.Veto) bool {
		return n.State == StatePinned && v.Guard == graph.GuardPinned || n.State == StateKept && v.Guard == graph.GuardProtected
	})
	switch {
	case by >= 0:
		return n.Guards[by].Text
	case n.State != StateReported && (n.State != StateKept || n.Finding == graph.FindingNone):
		return ""
	case n.Next.Rule != "" && len(n.Guards) > 0:
		return n.Guards[0].Text
	}
	why, _, _ := strings.Cut(n.Reason, ": ")
	return cmp.Or(why, spared(n))
}

func gerund(n *Node) string {
	if n.Next.Action == policy.ActionRemove {
		return n.Next.Action.GoingOn()
	}
	return "stopping"
}

// String returns the owner's name and PID; empty if both are unknown.
func (o Owner) String() string { return strings.TrimSpace(o.Name + " " + PIDText(o.PID)) }

// String counts servers and containers: "3 servers and 1 container".
func (t Totals) String() string { return human.Servers(t.Servers, t.Containers) }

// WithCopies counts servers and containers, and tells how many of them are older copies:
// "3 servers, 1 an older copy".
func (t Totals) WithCopies() string {
	switch t.Copies {
	case 0:
		return t.String()
	case 1:
		return t.String() + ", 1 " + finding.Word(string(graph.FindingDuplicate))
	}
	return t.String() + ", " + human.Count(t.Copies, "older copy")
}

// Held returns the totals of what is below a node, with the memory of the node too.
func (n *Node) Held() Totals {
	held := n.Totals
	switch n.Kind {
	case KindServer, KindGateway:
		held.Servers--
	case KindContainer:
		held.Containers--
	case KindSession, KindOwner, KindService, KindGone, KindProcess:
	}
	return held
}

// UpSince is since when a node is up; zero if that is unknown, or if it is a container that does not run.
func (n *Node) UpSince() time.Time {
	if n.Down {
		return time.Time{}
	}
	return n.StartedAt
}

// Memory returns the bytes of a node with all below it; 0 if unknown.
func (n *Node) Memory() uint64 {
	if n.Kind == KindProcess {
		return n.MemoryBytes
	}
	return n.Totals.MemoryBytes
}

// CPU returns how much of one core a node uses with all below it, in percent; known is
// false if no part of it is known, or not that of its own processes.
func (n *Node) CPU() (percent float64, known bool) {
	percent, known = n.CPUPercent.Get()
	if runs := n.PID != 0 && !n.StartedAt.IsZero(); runs && !known {
		return 0, false
	}
	for i := range n.Children {
		if n.Children[i].Kind == KindProcess && n.CPUPercent.IsKnown() {
			continue
		}
		if more, told := n.Children[i].CPU(); told {
			percent, known = percent+more, true
		}
	}
	return percent, known
}
