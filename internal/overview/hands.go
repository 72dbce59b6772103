package overview

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/usage"
)

// EndsPause is the command that ends a pause.
const EndsPause = "reaperd resume"

// Command is a command line to paste, and its purpose. The zero value is none.
type Command struct{ What, Line string }

// IdleOver returns for how long a session has been idle at the look that a sweep may stop for
// that; zero for any other node. It is whole minutes or, below one, seconds.
func (t *Tree) IdleOver(n *Node) time.Duration {
	if n.Kind != KindSession || n.State != StateIdle && n.State != StatePending || n.IdleSince.IsZero() {
		return 0
	}
	return whole(t.At.Sub(n.IdleSince))
}

// whole is a time in whole minutes or, below one, seconds.
func whole(d time.Duration) time.Duration {
	if d < time.Minute {
		return d.Truncate(time.Second)
	}
	return d.Truncate(time.Minute)
}

// IdleFrom tells from when on a live session that does nothing counts as idle: "it counts as idle
// from 1h on"; empty for anything else.
func (t *Tree) IdleFrom(n *Node) string {
	if n.Kind != KindSession || n.State != StateKept || n.Finding == graph.FindingIdle || n.Use != "" || n.IdleSince.IsZero() || t.IdleFor == 0 {
		return ""
	}
	return "it counts as idle from " + human.Exact(t.IdleTime()) + " on"
}

// NothingMore is what is stopped during a pause: what has begun goes on.
func (t *Tree) NothingMore() string {
	more := "nothing"
	t.Walk(func(n *Node, _ int) bool {
		if n.State == StateReaping {
			more = "nothing more"
		}
		return true
	})
	return more
}

// IdleTime is for how long a session must do nothing to count as idle; zero if unknown.
func (t *Tree) IdleTime() time.Duration { return time.Duration(t.IdleFor * float64(time.Second)) }

// StopCommand returns the command with which a person stops a node that is pending or due, an
// idle session, or an older copy that its rule only reports. While nothing may be stopped it is the one that
// changes that. word names the node on a command line.
func (t *Tree) StopCommand(n *Node, word string) Command {
	what, flags := "stop it now", []string(nil)
	if n.Next.With != "" { // it goes with another, and not alone
		if head := t.Find(n.Next.With); head != nil && n.WaitsWith(t.Acts()) {
			return t.StopCommand(head, head.Typed())
		}
		return Command{}
	}
	if gateway := t.GatewayAround(n); gateway != nil {
		return t.StopCommand(gateway, gateway.Typed())
	}
	ownerless := n.Owner.Liveness != graph.LivenessLive
	switch idle := t.IdleOver(n); {
	case n.Kind == KindSession && n.State != StateDue && idle == 0:
		return Command{}
	case idle > 0:
		flags = []string{"--idle-over", human.Exact(idle)}
		if n.State == StateIdle {
			what = "stop it"
		}
	case n.State == StateDue, n.State == StatePending && ownerless:
	case n.State == StateReported && n.Finding == graph.FindingDuplicate:
		what, flags = "stop it", []string{"--duplicates"}
	default:
		return Command{}
	}
	return t.byHand(what, flags, word)
}

// StopIdleCommand is the command with which a person stops a session that does nothing, and does not
// count as idle yet. known is false if nobody but the sweep itself sees for how long it does nothing: then it
// asks for the shortest time that counts.
func (t *Tree) StopIdleCommand(n *Node, word string, known bool) Command {
	over := usage.LeastIdle
	if known {
		over = max(over, whole(t.At.Sub(n.IdleSince)))
	}
	return t.byHand("stop it now", []string{"--idle-over", human.Exact(over)}, word)
}

// StopAllCommand is StopCommand for all that an ended session left; words name that.
func (t *Tree) StopAllCommand(words []string) Command {
	return t.byHand("stop all of it now", nil, words...)
}

// WayToAct tells how the rule of a node is changed that only reports it; the zero value for any other
// node. home is the reader's.
func (t *Tree) WayToAct(n *Node, home human.Home) policy.Change {
	isOnlyReported := (n.State == StateReported || n.State == StateIdle) && n.Next.Rule != "" && n.Next.Action == policy.ActionReport && len(n.Guards) == 0
	if !isOnlyReported {
		return policy.Change{}
	}
	change := "action: " + string(policy.ActionOn(graph.Kind(n.Kind)))
	under := t.Policy
	under.Mode = t.Mode
	return policy.ChangeOf(n.Next.Rule, policy.OriginOf(n.Next.Origin), change, under, home)
}

// byHand returns the command of a sweep of what words name or, while that is refused, the one that changes that. A
// word that looks like a flag stands behind "--".
func (t *Tree) byHand(what string, flags []string, words ...string) Command {
	switch {
	case t.Unfit != "":
		return Command{"see why nothing can be stopped", "reaperd status"}
	case len(t.Refused) > 0:
		return Command{"see what to mend in the policy file, which is refused", policy.CheckCommand(t.RefusedFile)}
	case t.Pause.On:
		return Command{"end the pause, in which nothing is stopped", EndsPause}
	case t.Mode != policy.ModeEnforce:
		flags = append([]string{"--mode", string(policy.ModeEnforce)}, flags...)
	}
	if slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, "-") }) {
		flags = append(flags, "--")
	}
	return Command{what, human.Shell(slices.Concat([]string{"reaperd", "sweep"}, flags, words)...)}
}

// Hindrance tells why the daemon does not act; empty if it does. clock writes a moment.
func (t *Tree) Hindrance(clock func(time.Time) string) string {
	switch {
	case t.Unfit != "":
		return "the daemon is not well" + t.ails()
	case t.Pause.On:
		return t.Pause.Told(clock) + "; reaperd resume ends it"
	case t.Mode != policy.ModeEnforce:
		return "the daemon only reports (mode: report)"
	}
	return ""
}

// ails goes on after "the daemon is not well".
func (t *Tree) ails() string { return ", " + t.Unfit + "; reaperd status says more" }

// Told tells of a pause until when it lasts, and why.
func (p Pause) Told(clock func(time.Time) string) string {
	text := "paused"
	if !p.Until.IsZero() {
		text += " until " + clock(p.Until)
	}
	if p.Reason != "" {
		text += " (" + human.Line(p.Reason) + ")"
	}
	return text
}
