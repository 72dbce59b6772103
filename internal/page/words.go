package page

import (
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

const unknown = "–"

// bytesText is a size; 0 is unknown.
func bytesText(n uint64) string {
	if n == 0 {
		return unknown
	}
	return human.Bytes(n)
}

func percentText(percent inventory.Fact[float64]) string {
	if value, known := percent.Get(); known {
		return human.Percent(value)
	}
	return unknown
}

// clock has the moment of the page, and the reader's zone.
type clock struct {
	now  time.Time
	zone *time.Location
}

func clockOf(in Input) clock {
	if in.Location == nil {
		return clock{in.Now, time.UTC}
	}
	return clock{in.Now, in.Location}
}

// ago is the time since a moment; empty where that is unknown.
func (c clock) ago(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return human.Span(c.now.Sub(at))
}

// until is the time to a moment, rounded up to seconds.
func (c clock) until(at time.Time) string {
	return human.Span((at.Sub(c.now) + time.Second - 1).Truncate(time.Second))
}

func (c clock) day(at time.Time) string {
	if at.IsZero() {
		return unknown
	}
	return human.Day(at.In(c.zone), c.now.In(c.zone))
}

func (c clock) moment(at time.Time) string {
	if at.IsZero() {
		return unknown
	}
	return human.Moment(at.In(c.zone))
}

// state is what becomes of a node, in a few words.
type state struct {
	Word string
	Tone string    // the class of its colour: going, waits, live, aside or none
	Due  time.Time // what the words count down to; zero is nothing
	In   string    // the time until then
}

// state is the state of a node as the row of its branch shows it.
func (b builder) state(n *overview.Node) state {
	if n.Outcome != "" {
		return state{Word: "not " + stopped(n) + ": " + n.Outcome, Tone: "waits"}
	}
	switch n.State {
	case overview.StateReaping:
		return state{Word: stopping(n) + " now", Tone: "going"}
	case overview.StateDue:
		return state{Word: stops(n, b.acts) + " now", Tone: "going"}
	case overview.StatePending:
		return b.pending(n)
	case overview.StatePinned:
		return state{Word: "pinned", Tone: "live"}
	case overview.StateReported:
		return state{Word: findingText(n.Finding) + ", " + spared(n), Tone: "waits"}
	case overview.StateIdle:
		return state{Word: strings.TrimSpace("idle " + atLeast(n) + b.ago(n.IdleSince)), Tone: "aside"}
	case overview.StateKept:
	}
	return b.kept(n)
}

// spared says why nothing is done about a finding.
func spared(n *overview.Node) string {
	if n.Next.Action != policy.ActionReport && n.Next.Rule != "" && len(n.Guards) > 0 {
		return "kept: " + string(n.Guards[0].Guard)
	}
	return "only reported"
}

// pending is when a node stops that is not proven for long enough.
func (b builder) pending(n *overview.Node) state {
	s := state{Word: stops(n, b.acts), Tone: "waits"}
	switch due := n.Next.DueAt; {
	case n.Next.Beyond > 0:
		s.Word += " in a later sweep"
	case due.After(b.now):
		s.Word, s.Due, s.In = s.Word+" in", due, b.until(due)
	default:
		s.Word += " after the next look"
	}
	return s
}

// kept is the word for what nothing is done about.
func (b builder) kept(n *overview.Node) state {
	switch n.Kind {
	case overview.KindGone:
		return state{Word: strings.TrimSpace("ended " + ended(b.ago(n.Owner.Since))), Tone: "aside"}
	case overview.KindSession, overview.KindOwner, overview.KindService:
		return state{Word: "live", Tone: "live"}
	case overview.KindServer, overview.KindGateway, overview.KindContainer, overview.KindProcess:
	}
	switch {
	case n.Next.EndsWith != "":
		return state{Word: "ends with its container", Tone: "aside"}
	case b.idle:
		return state{Word: "idle with its session", Tone: "aside"}
	case b.branch == overview.BranchSessions, b.branch == overview.BranchOthers:
		return state{Word: "in use", Tone: "live"}
	}
	return state{Word: "kept: nothing proves whose", Tone: "aside"}
}

func ended(ago string) string {
	if ago == "" {
		return ""
	}
	return ago + " ago"
}

// atLeast tells of a session that was never seen in use.
func atLeast(n *overview.Node) string {
	if n.IdleAtLeast {
		return "at least "
	}
	return ""
}

// stops says what happens to a node, or would if the mode let it.
func stops(n *overview.Node, acts bool) string {
	removed := n.Next.Action == policy.ActionRemove
	switch {
	case removed && acts:
		return "is removed"
	case removed:
		return "would be removed"
	case acts:
		return "stops"
	}
	return "would stop"
}

func stopping(n *overview.Node) string {
	if n.Next.Action == policy.ActionRemove {
		return "being removed"
	}
	return "stopping"
}

func stopped(n *overview.Node) string {
	if n.Next.Action == policy.ActionRemove {
		return "removed"
	}
	return "stopped"
}

// findingText is a finding as a word for a state.
func findingText(finding graph.Finding) string {
	switch finding {
	case graph.FindingZombies:
		return "hoards zombies"
	case graph.FindingDuplicate:
		return "an older copy"
	case graph.FindingExited:
		return "left behind"
	case graph.FindingNone, graph.FindingOrphaned, graph.FindingDisconnected, graph.FindingRespawning, graph.FindingAmbiguous, graph.FindingIdle:
	}
	return string(finding)
}

// ownerText names an owner with its PID.
func ownerText(o overview.Owner) string {
	switch {
	case o.Name == "" && o.PID == 0:
		return "nobody known"
	case o.PID == 0:
		return o.Name
	}
	return strings.TrimSpace(o.Name + " " + pidText(o.PID))
}
