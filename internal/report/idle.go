package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/idle"
	"github.com/reaperd/reaperd/internal/policy"
)

func isIdle(t *graph.Target) bool {
	return t.Kind == graph.KindSession && t.Finding == graph.FindingIdle
}

// findResting finds the idle sessions that stay, and the targets they hold. Neither are
// listed as in use or as left alone.
func (v *view) findResting() {
	if v.in.Graph == nil || v.in.Graph.Snapshot == nil {
		return
	}
	v.held = idle.HeldBy(v.in.Graph)
	for _, verdict := range v.all {
		if t := verdict.Target; isIdle(t) && verdict.Decision == policy.Keep {
			v.resting[t.ID] = true
			for _, held := range v.held[t.Root.ID()] {
				if held.Finding == graph.FindingNone || v.rests(held.ID) {
					v.resting[held.ID] = true
				}
			}
		}
	}
}

// idleOwner returns the idle session that stays and holds a target; nil if there is none.
func (v *view) idleOwner(t *graph.Target) *graph.Target {
	if session := v.holder(t); v.resting[t.ID] && session != nil && isIdle(session.Target) {
		return session.Target
	}
	return nil
}

// rests reports an older copy that counts as in use ([policy.Verdict.Rests]).
func (v *view) rests(id string) bool {
	verdict, found := v.verdict(id)
	return found && verdict.Rests()
}

// idleSessions shows the idle sessions, the longest idle first, what they hold, and how
// to resume one.
func (v *view) idleSessions(s *screen) {
	resting := v.restingShown()
	if len(resting) == 0 {
		return
	}
	slices.SortStableFunc(resting, func(a, b *policy.Verdict) int {
		return cmp.Or(cmp.Compare(b.Target.Idle.Or(0), a.Target.Idle.Or(0)), cmp.Compare(rootPID(a.Target), rootPID(b.Target)))
	})
	s.gap()
	s.row(row{head: "IDLE SESSIONS", cells: columnHeads(), tone: yellow})
	for _, verdict := range resting {
		s.row(v.idleRow(verdict))
	}
	v.explainPlus(s, resting)
	v.sayAhead(s, resting)
	v.sayResumes(s, resting)
	if more := v.unmeasuredText("more session"); more != "" {
		s.wrap("   ", more)
	}
	if kept := resting[0]; kept.Rule != "" && onlyReported(kept) {
		v.howToAct(s, kept)
	}
}

// restingShown are the idle sessions that stay and have a row.
func (v *view) restingShown() verdicts {
	return v.all.where(func(verdict *policy.Verdict) bool {
		return isIdle(verdict.Target) && v.resting[verdict.Target.ID] && v.showsOf(verdict.Target)
	})
}

// showsOf reports that an idle session, or something that rests with it, is shown.
func (v *view) showsOf(session *graph.Target) bool {
	return slices.ContainsFunc(v.shown, func(verdict *policy.Verdict) bool {
		isHeld := func(held *graph.Target) bool { return held.ID == verdict.Target.ID && v.resting[held.ID] }
		return verdict.Target.ID == session.ID || slices.ContainsFunc(v.held[session.Root.ID()], isHeld)
	})
}

// PlusMeans explains the plus behind an idle time.
const PlusMeans = "since it was first looked at, and maybe for longer"

// explainPlus explains the plus behind a duration, if there is one.
func (v *view) explainPlus(s *screen, vs verdicts) {
	if slices.ContainsFunc(vs, func(verdict *policy.Verdict) bool {
		session := v.session(verdict.Target)
		return isIdle(verdict.Target) && session != nil && session.Activity.AtLeast
	}) {
		s.wrap("   ", "+: "+PlusMeans)
	}
}

// keptSessions shows the idle sessions that a guard or the policy's protect keeps from a sweep.
func (v *view) keptSessions(s *screen) {
	kept := v.shown.where(func(verdict *policy.Verdict) bool {
		return isIdle(verdict.Target) && (len(verdict.Vetoes) > 0 || verdict.Protected != nil)
	})
	if len(kept) == 0 {
		return
	}
	s.gap()
	s.section(plain, "LEFT ALONE")
	for _, verdict := range kept {
		s.row(v.idleRow(verdict))
		s.wrap("   why: ", v.keptBecause(verdict).text)
	}
	v.explainPlus(s, kept)
}

func (v *view) idleRow(verdict *policy.Verdict) row {
	t := verdict.Target
	s := v.session(t)
	r := v.processRow(nameOf(t), t.Root)
	r.head += "  idle " + idleText(s)
	how := howKept(t) + v.pinReach(t)
	if how == "" && isKept(verdict) { // by the policy, or for another's sake
		how = "kept"
	}
	if how != "" {
		r.head += ", " + how
	}
	if s != nil {
		v.sumUp(&r, s)
	}
	parts := []string{PlaceOf(t.Root.Cwd, t.Root.User, v.options.Home), v.holdings(t), t.Root.TTY}
	r.detail = words(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", "))
	return r
}

// session returns the session of a target; nil if the target is none.
func (v *view) session(t *graph.Target) *graph.Session {
	if t.Kind != graph.KindSession || t.Root == nil {
		return nil
	}
	sessions := v.sessions()
	i := slices.IndexFunc(sessions, func(s graph.Session) bool { return s.Process != nil && s.Process.ID() == t.Root.ID() })
	if i < 0 {
		return nil
	}
	return &sessions[i]
}

// idleText tells how long a session has been idle: "5h", or "20m+" if it may be longer.
func idleText(s *graph.Session) string {
	if s == nil {
		return ""
	}
	text := human.Span(s.Activity.Idle().Or(0).Truncate(time.Second))
	if s.Activity.AtLeast {
		text += "+"
	}
	return text
}

// holdings counts the targets that a session holds: "8 servers and 2 containers".
func (v *view) holdings(t *graph.Target) string { return serversText(v.held[t.Root.ID()]) }

// HeldBy counts what a session holds, or what else has that id: "8 servers and 2
// containers"; empty if that is nothing.
func HeldBy(g *graph.Graph, holder string) string {
	var held []*graph.Target
	for _, t := range g.Targets {
		if t.Kind != graph.KindSession && !t.Incidental && t.Owner.ID.String() == holder {
			held = append(held, t)
		}
	}
	for session, all := range idle.HeldBy(g) { // what its gateways hold too
		if session.String() == holder {
			held = all
		}
	}
	if len(held) == 0 {
		return ""
	}
	return serversText(held)
}

// serversText counts targets, a gateway being a server: "8 servers and 2 containers".
func serversText(held []*graph.Target) string {
	containers := 0
	for _, t := range held {
		if t.Kind == graph.KindContainer {
			containers++
		}
	}
	return human.Servers(len(held)-containers, containers)
}

// sayResumes shows the commands that resume ended sessions.
func (v *view) sayResumes(s *screen, vs verdicts) {
	var commands []string
	for _, verdict := range vs {
		if !isIdle(verdict.Target) {
			continue
		}
		if command := v.in.Resumes[verdict.Target.Name]; command != "" && !slices.Contains(commands, literal(command)) {
			commands = append(commands, literal(command))
		}
	}
	if len(commands) > 0 {
		s.wrap("   ", "to go on with one that has ended, in its folder: "+strings.Join(commands, ", "))
	}
}

// counted returns the verdicts that the census counts. It leaves out idle sessions that
// stay: restingText counts those.
func (v *view) counted() verdicts {
	return v.shown.where(func(verdict *policy.Verdict) bool { return !isIdle(verdict.Target) || !v.resting[verdict.Target.ID] })
}

// restingText counts the idle sessions that stay: "14 sessions are idle and hold 3.3 GB." If the
// line before counts idle sessions that go, these are others.
func (v *view) restingText() []string {
	n, memory, noun := 0, uint64(0), "session"
	for _, verdict := range v.shown {
		switch s := v.session(verdict.Target); {
		case s == nil || !isIdle(verdict.Target):
		case v.resting[verdict.Target.ID]:
			n, memory = n+1, memory+s.MemoryBytes
		default:
			noun = "other session"
		}
	}
	switch {
	case n == 0:
		return nil
	case memory == 0:
		return []string{fmt.Sprintf("%s %s idle.", human.Count(n, noun), human.Are(n))}
	}
	return []string{fmt.Sprintf("%s %s idle and %s %s.", human.Count(n, noun), human.Are(n), human.Verb(n, "holds", "hold"), human.Bytes(memory))}
}
