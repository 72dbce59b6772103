package status

import (
	"fmt"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
)

// sessionLines describe the live sessions, those in use first.
func sessionLines(is *serve.State, whose whose, now time.Time) []line {
	var lines []line
	for _, idle := range []bool{false, true} {
		for _, client := range is.InUse {
			if client.Idle == idle {
				l := clientLine(client, whose, unseenOf(client, is.Containers))
				l.text += aheadText(client, is, whose, now)
				l.text += leavingText(client, is)
				lines = append(lines, l)
			}
		}
	}
	return lines
}

// clientLine describes a session: where it is, what it holds, how many of its containers cannot be seen,
// and for how long the last look found it idle: whether it still is, nobody knows before the next.
func clientLine(c serve.Client, whose whose, unseen int) line {
	has := human.Servers(c.Servers, c.Containers) + memoryBehind(c)
	if unseen > 0 {
		has += "; " + human.Count(unseen, "container") + " of it cannot be seen now"
	}
	who := fmt.Sprintf("%s %d%s", c.Name, c.PID, whose.session(c))
	if !c.Idle || c.IdleSeconds == nil {
		return line{"session", who + " with " + has}
	}
	more := ""
	if c.IdleAtLeast {
		more = " or more"
	}
	span := human.Span(time.Duration(*c.IdleSeconds * float64(time.Second)))
	return line{"idle", fmt.Sprintf("%s for %s%s at the last look, with %s", who, span, more, has)}
}

// memoryBehind is the memory of a session, and how many containers are not in it: ", 28 MB, not counting
// 1 container whose memory is not known".
func memoryBehind(c serve.Client) string {
	if c.Unmeasured == 0 || c.MemoryBytes == 0 {
		return bytesBehind(c.MemoryBytes)
	}
	return bytesBehind(c.MemoryBytes) + ", not counting " + human.Count(c.Unmeasured, "container") + " whose memory is not known"
}

// aheadText tells when a rule stops a session if it goes on doing nothing, if that is soon: "; stops in 6s
// if it goes on doing nothing (rule idle-sessions; reaperd pin 13 keeps it)".
func aheadText(c serve.Client, is *serve.State, whose whose, now time.Time) string {
	left, stops, when := c.StopsAt.Sub(now), "stops", " at the next look"
	if left > 0 {
		when = " in " + human.ToGo(left)
	}
	up, but, rests := whose.upTo(is), unless(is), is.Ready && (is.Mode == policy.ModeReport || is.Paused)
	switch {
	case c.StopsAt.IsZero() || left > policy.SoonAhead || but != "" && up == "" && !rests:
		return ""
	case up != "":
		stops, when, but = up, "", ""
	case rests:
		stops = "would stop"
	}
	return fmt.Sprintf("; %s%s if it goes on doing nothing%s (rule %s; reaperd pin %d keeps it)", stops, when, but, human.Safe(c.StopsBy), c.PID)
}

// leavingText tells that a session is being stopped, or is about to be and can still be kept.
func leavingText(c serve.Client, is *serve.State) string {
	at := slices.IndexFunc(is.UnderWay, func(begun serve.Begun) bool { return begun.Target == c.ID && begun.Imminent })
	switch {
	case c.UnderWay:
		return "; being stopped"
	case at >= 0:
		return fmt.Sprintf("; about to be stopped (rule %s; reaperd pin %d keeps it)", human.Safe(is.UnderWay[at].Rule), c.PID)
	}
	return ""
}

// unseenOf counts the containers of a session that the last look could not show.
func unseenOf(c serve.Client, containers []serve.SeenContainer) int {
	n := 0
	for _, container := range containers {
		if !container.UnseenSince.IsZero() && container.SessionID == c.ID && c.ID != "" {
			n++
		}
	}
	return n
}

// unseenLines name the containers of no live session that the last look could not show, each
// with what was wrong with it.
func unseenLines(is *serve.State) []line {
	var lines []line
	for _, c := range is.Containers {
		isOfLive := slices.ContainsFunc(is.InUse, func(s serve.Client) bool { return s.ID == c.SessionID && s.ID != "" })
		if !c.UnseenSince.IsZero() && !isOfLive {
			lines = append(lines, line{"unseen", unseenText(c)})
		}
	}
	if more := len(lines) - mostNamed; more > 0 {
		lines = append(lines[:mostNamed], line{"unseen", fmt.Sprintf("and %d more", more)})
	}
	return lines
}

// unseenText is "fetch eager_fermi of codex 13 cannot be seen now; it was orphaned, and its
// wait begins anew once it is seen".
func unseenText(c serve.SeenContainer) string {
	text := c.String() + " cannot be seen now"
	if c.Finding == graph.FindingNone {
		return text
	}
	return text + "; it was " + finding.As(c.Finding.String()) + ", and its wait begins anew once it is seen"
}
