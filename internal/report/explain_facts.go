package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/usage"
)

func (v *view) explainWhat(lines explanation, verdict *policy.Verdict) {
	t := verdict.Target
	what := []string{commandOf(t, v.options.Home).fit(mostCommandLines*lines.screen.width, v.glyphs)}
	if n := len(t.Members); n > 0 {
		what = append(what, human.Count(n, "process"))
	}
	if t.MemoryBytes > 0 {
		what = append(what, human.Bytes(t.MemoryBytes)+v.withServers(t))
	}
	if percent, known := t.CPUPercent.Get(); known {
		what = append(what, human.Percent(percent)+" cpu")
	}
	if t.Zombies > 0 {
		what = append(what, human.Count(t.Zombies, "zombie"))
	}
	if idle := v.idleFor(t); idle != "" && t.Kind != graph.KindSession { // explainIdle tells it of a session
		what = append(what, "idle for "+idle)
	}
	lines.say("what", strings.Join(slices.DeleteFunc(what, func(s string) bool { return s == "" }), ", "))
	lines.say("", v.origin(verdict))
	if t.How != "" {
		lines.say("", map[bool]string{false: "recognised: ", true: "only likely to be an MCP server: "}[t.Likely]+sentence(t.How))
	}
	lines.say("", v.relations(t))
}

// withServers adds the memory of a session with its servers; nothing to that of anything else.
func (v *view) withServers(t *graph.Target) string {
	session := v.session(t)
	if session == nil || session.Servers == 0 {
		return ""
	}
	return " (" + human.Bytes(session.MemoryBytes) + " with its servers)"
}

// idleFor returns how long a target has done nothing; empty if it has not. What is done
// for a session counts as the session's, so a server that does nothing now has been idle
// for at least as long as its session. Of an older copy it is its own idle time, which its
// evidence and the rule about it tell.
func (v *view) idleFor(t *graph.Target) string {
	own := t.Idle.Or(0)
	if own <= 0 {
		return ""
	}
	for _, s := range v.sessions() {
		if idle := s.Activity.Idle().Or(0); t.Finding != graph.FindingDuplicate && s.Process != nil && s.Process.ID() == t.Owner.ID && idle > own {
			return human.Span(idle) + " at least"
		}
	}
	switch {
	case own < usage.LeastIdle:
		return ""
	case t.IdleAtLeast && v.at.Sub(t.Started(v.at)) > own+usage.LeastIdle:
		return human.Span(own) + " at least"
	}
	return human.Span(own)
}

// origin tells when, by whom and where a target was started, and how many are alike.
func (v *view) origin(verdict *policy.Verdict) string {
	t := verdict.Target
	text := v.startText(t.Started(v.at), t.User, t.Root)
	if at, started := strings.CutPrefix(text, "started "); started && t.NeverStarted() {
		text = "created " + at
	}
	if n := v.alike(verdict); n > 1 {
		text += "; one of " + human.Number(n) + " alike"
	}
	return strings.TrimSpace(strings.TrimPrefix(text, "; "))
}

// startText tells when, by whom and in which folder a process was started, as far as known.
func (v *view) startText(at time.Time, user string, p *inventory.Process) string {
	var text string
	if !at.IsZero() {
		text = fmt.Sprintf("started %s (%s ago)", human.Moment(v.local(at)), human.Span(v.at.Sub(at)))
	}
	if user != "" {
		text += " by " + human.Safe(user)
	}
	if where := Folder(p, v.options.Home); where != "" {
		text += " in " + where
	}
	return strings.TrimSpace(text)
}

func (v *view) alike(verdict *policy.Verdict) int {
	key := v.grouping.key(verdict)
	return len(v.all.where(func(other *policy.Verdict) bool { return v.grouping.key(other) == key }))
}

// relations names a target's runner, its containers, and the targets and processes below
// it.
func (v *view) relations(t *graph.Target) string {
	var parts []string
	is, its := "is", ""
	if v.mayBeAnothers(t) {
		is, its = "may be", "maybe "
	}
	if t.Runner != "" {
		parts = append(parts, "its docker run "+is+" "+v.nameOf(t.Runner))
	}
	if n := len(t.Containers); n > 0 {
		parts = append(parts, its+human.Plural(n, "container")+" "+v.namesOf(t.Containers))
	}
	if len(t.Below) > 0 {
		parts = append(parts, v.holdsText(t))
	}
	if stays := t.LeftOpen(); stays != "" {
		parts = append(parts, stays)
	}
	if t.Root != nil && t.Root.ContainerID != "" {
		parts = append(parts, "runs inside container "+v.nameOf(t.Root.ContainerID))
	}
	return strings.Join(parts, "; ")
}

// mayBeAnothers reports that a container, or that of a docker run, is kept because it may be
// that of another docker run, which is pinned: which is whose cannot be told once nobody has them.
func (v *view) mayBeAnothers(t *graph.Target) bool {
	pair := append([]string{t.ID, t.Runner}, t.Containers...)
	return slices.ContainsFunc(pair, func(id string) bool {
		of, known := v.verdict(id)
		return known && of.Target.Container != nil && of.Target.Owner.Liveness != graph.LivenessLive && slices.ContainsFunc(of.Target.Vetoes, func(veto graph.Veto) bool {
			return isPin(veto) && veto.For != "" && !slices.Contains(append(pair, of.Target.Runner), veto.For) && !v.isGateway(veto.For)
		})
	})
}

// isGateway reports the gateway of an id: what is below one that is pinned is kept with it, whosever it is.
func (v *view) isGateway(id string) bool {
	verdict, found := v.verdict(id)
	return found && verdict.Target.Kind == graph.KindGateway
}

// namesOf names the first of some targets, and counts the others: "22 31 37 +2".
func (v *view) namesOf(ids []string) string {
	names := make([]string, 0, namedCopies+1)
	for _, id := range ids[:min(len(ids), namedCopies)] {
		names = append(names, v.nameOf(id))
	}
	if more := len(ids) - len(names); more > 0 {
		names = append(names, "+"+human.Number(more))
	}
	return strings.Join(names, " ")
}

func (v *view) whose(t *graph.Target) string {
	name := ownerText(t.Owner)
	switch {
	case t.Owner.Liveness == graph.LivenessLive && name != "":
		return name + ", which lives"
	case t.Owner.Liveness == graph.LivenessGone && name != "":
		text := name + ", gone"
		if !t.Owner.Since.IsZero() {
			text += " since " + human.Moment(v.local(t.Owner.Since))
		}
		return text + ". Nobody alive owns it."
	case t.Owner.Kind == graph.OwnerService:
		return "service " + name
	case t.Owner.Liveness == graph.LivenessGone && v.in.HadBy[t.ID] != "":
		return "nobody alive owns it. " + human.Safe(v.in.HadBy[t.ID]) + " had it, as the daemon saw, and lives on; its docker run has ended."
	case t.Owner.Liveness == graph.LivenessGone:
		return "nobody alive owns it"
	case t.InUse:
		return "unknown, but it has clients"
	}
	return "unknown"
}
