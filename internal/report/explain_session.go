package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/usage"
)

// isQuiet reports whether a session has no finding and no rule.
func isQuiet(v *policy.Verdict) bool {
	return v.Target.Kind == graph.KindSession && v.Target.Finding == graph.FindingNone && v.Rule == ""
}

func (v *view) explainSession(s *screen, session *graph.Session) {
	p := session.Process
	lines := explanation{screen: s}
	s.wrap("", fmt.Sprintf("%s. %s.%s", v.livesText(session), v.leaves(session),
		v.alsoPinned(session.Target, pinOf(session.Target))+v.elsewhereText(session.Target)))
	s.gap()
	lines.say("what", processCommand(p, v.options.Home).String())
	lines.say("", v.startText(p.StartedAt, p.User, p))
	if session.MemoryBytes > 0 {
		with := " with its servers"
		if session.Servers == 0 {
			with = ""
		}
		lines.say("memory", human.Bytes(session.MemoryBytes)+with)
	}
	v.explainIdle(lines, session)
	if session.Target != nil {
		v.explainAhead(lines, session.Target)
	}
	lines.say("guards", pinOf(session.Target)+v.pinReach(session.Target))
	if pin, isPinned := v.personsPin(session.Target); isPinned && pin.For == "" {
		lines.say("unpin", pin.Unpin(pidText(p.ID())))
	} else if session.Target != nil {
		if verdict, found := v.verdict(session.Target.ID); found && verdict.Bound != nil {
			lines.say("guards", reasonOf(verdict.Bound.Sentence()).text)
			lines.say("unpin", v.unpin(verdict))
		}
	}
	v.explainHeld(s, human.Left("servers", aboutCells), p.ID())
	v.explainGoing(lines, session)
	v.explainNotes(s, nil)
}

// leaves says that a live session is left alone: by this user's sweeps, where the daemon of another user
// knows for how long it has done nothing, and decides by a policy of its own.
func (v *view) leaves(session *graph.Session) string {
	if stops := v.stopsUnseen(session); stops != "" {
		return "The daemon stops it" + stops
	}
	daemon, knows := v.watcher(session)
	if !knows {
		return "reaperd leaves it alone" + v.butNotAll(session) + v.aheadOf(session)
	}
	return "Your own sweeps leave it alone" + v.butNotAll(session) + "; what " + daemon.Whose() + " does, only that knows: " + literal(daemon.Command("reaperd explain "+pidText(session.Process.ID())))
}

// explainGoing names what the policy stops of a session, and by which rule; nothing if a daemon has told when it does.
func (v *view) explainGoing(lines explanation, session *graph.Session) {
	var going verdicts
	for _, held := range v.held[session.Process.ID()] {
		verdict, found := v.verdict(held.ID)
		if !v.in.Due[held.ID].IsZero() {
			return
		}
		if found && verdict.Decision != policy.Keep && !verdict.UnderWay && verdict.With == "" {
			going = append(going, verdict)
		}
	}
	if len(going) == 0 || v.in.Replay {
		return
	}
	var names, rules []string
	for _, verdict := range going {
		names = append(names, called(verdict.Target))
		if !slices.Contains(rules, verdict.Rule) {
			rules = append(rules, verdict.Rule)
		}
	}
	once := ""
	if shelfOf(going[0]) == waiting {
		once = ", once that has held for long enough"
	}
	lines.say("of it", fmt.Sprintf("reaperd %s %s%s (%s %s): %s", v.voice.verb(going[0].Action), human.List(firstFew(names)), once,
		human.Verb(len(rules), "rule", "rules"), human.List(rules), literal(v.in.Asked.Explain(handle(going.first())))))
}

// butNotAll says that something that a session has is to be stopped, by this policy or by the daemon's.
func (v *view) butNotAll(session *graph.Session) string {
	for _, held := range v.held[session.Process.ID()] {
		verdict, found := v.verdict(held.ID)
		isTold := !v.in.Due[held.ID].IsZero() && !v.in.Paused
		if isTold || found && (verdict.Decision != policy.Keep || verdict.UnderWay) {
			return ", but not all that it has"
		}
	}
	return ""
}

// stopsUnseen says when the daemon stops a session that it has seen idle, and these looks have not: " in 8s,
// if it goes on doing nothing"; empty if it does not.
func (v *view) stopsUnseen(session *graph.Session) string {
	if session.Target == nil || v.in.DaemonDiffers || v.in.Paused {
		return ""
	}
	at, waits := v.in.Due[session.Target.ID]
	if !waits {
		return ""
	}
	return dueIn(at.Sub(v.at)) + ", if it goes on doing nothing"
}

// leavesHeld says, of a server or container in use, that it is left alone, and what may end its session.
func (v *view) leavesHeld(t *graph.Target) string {
	sessions := v.sessions()
	for i := range sessions {
		owner := &sessions[i]
		if owner.Process == nil || owner.Process.ID() != t.Owner.ID {
			continue
		}
		if daemon, knows := v.watcher(owner); knows {
			return "Your own sweeps leave it alone; what " + daemon.Whose() + " does, only that knows: " + literal(daemon.Command("reaperd explain "+handle(t)))
		}
	}
	if ahead := v.aheadOfHolder(t); ahead != "" {
		return "reaperd leaves it alone; " + ahead
	}
	return "reaperd leaves it alone"
}

// aheadOf adds which rule stops a live session that does nothing, if it goes on so.
func (v *view) aheadOf(session *graph.Session) string {
	if session.Target == nil {
		return ""
	}
	verdict, found := v.verdict(session.Target.ID)
	if !found {
		return ""
	}
	if ahead := v.aheadText(verdict, "it"); ahead != "" {
		return "; " + ahead
	}
	return ""
}

// mcpServersText counts what a session holds: "2 MCP servers and 1 container".
func mcpServersText(held []*graph.Target) string {
	return strings.Replace(serversText(held), " server", " MCP server", 1)
}

// explainHeld lists what a process owns, each gateway with what is below it.
func (v *view) explainHeld(s *screen, lead string, owner inventory.ID) {
	for _, g := range v.grouping.groups(v.ownedBy(owner)) {
		state := v.stateWord(g.verdicts[0])
		if g.verdicts[0].Rests() {
			state = finding.Word(string(graph.FindingDuplicate)) + ", " + state
		}
		s.wrap(lead, g.head(v.glyphs)+", "+state)
		lead = strings.Repeat(" ", len(lead))
		if root := g.first().Root; len(g.verdicts) == 1 && root != nil && root.ID() != owner {
			v.explainHeld(s, lead+"  ", root.ID())
		}
	}
}

// explainIdle tells since when a session is idle, or how it was last used, and how to
// resume it.
func (v *view) explainIdle(lines explanation, s *graph.Session) {
	if s == nil {
		return
	}
	lines.say("idle", v.idleness(s))
	if s.Activity.Idle().Or(0) >= usage.LeastIdle {
		lines.say("", "a process counts as idle with no more than "+usage.Trickle())
	}
	lines.say("terminal", v.terminalUsed(s))
	if command := v.in.Resumes[s.Name]; command != "" {
		lines.say("go on", "once it has ended, in its folder: "+literal(command))
	}
}

func (v *view) idleness(s *graph.Session) string {
	a := s.Activity
	ago, isUsed := v.usedAgo(s)
	since, idles := v.in.IdleSince[s.Process.ID()]
	switch {
	case isUnmeasured(s) && idles:
		return "for " + human.Span(v.at.Sub(since)) + ", since " + human.Moment(v.local(since)) + ", as the daemon saw"
	case isUnmeasured(s) && isUsed:
		return "no: it was in use " + human.Span(ago) + " ago"
	case isUnmeasured(s):
		return "unknown: " + Unmeasured(v.in.Graph, s, v.explainAsRoot(s))
	case a.Idle().Or(0) == 0 && a.Last.Sign != "":
		return "no: " + a.Last.String()
	case isHardlyWatched(s):
		return v.hardlyKnown(s)
	case a.Idle().IsKnown() && a.AtLeast:
		return "for " + human.Span(a.Idle().Or(0)) + " at least: since it was first looked at, " + human.Moment(v.local(a.IdleSince.At))
	case a.Idle().IsKnown():
		return "for " + human.Span(a.Idle().Or(0)) + ", since " + human.Moment(v.local(a.IdleSince.At))
	}
	return ""
}

// explainAsRoot is the command by which root explains a session; empty in a replay, of which no
// command tells more.
func (v *view) explainAsRoot(s *graph.Session) string {
	if v.in.Replay {
		return ""
	}
	explain := "sudo " + v.in.Asked.AsRoot().Explain(pidText(s.Process.ID()))
	if _, roots := v.in.Beside.Of(0); !roots { // root's looks are the first
		explain += " --settle " + human.Exact(usage.LeastIdle)
	}
	return literal(explain)
}

// isHardlyWatched reports a session that does nothing and that nobody has watched for long enough to say so.
func isHardlyWatched(s *graph.Session) bool {
	return s.Activity.AtLeast && s.Activity.Idle().Or(0) < usage.LeastIdle
}

// hardlyKnown says by whom it will be known whether a session is idle that was hardly watched.
func (v *view) hardlyKnown(s *graph.Session) string {
	watched := "these looks watched it for " + human.Span(s.Activity.Idle().Or(0))
	if daemon, cares := v.caredFor(s.Process.UID.Get()); cares && daemon.Measures(s.Process.UID.Or(0), s.Containers) {
		return "not known: " + watched + "; " + daemon.Whose() + " watches it all the time: " + literal(daemon.Command("reaperd explain "+pidText(s.Process.ID())))
	}
	if !v.in.Daemon {
		return "not known: " + watched + "; a daemon (reaperd run) would watch it all the time"
	}
	next := ""
	if !v.in.NextLook.IsZero() {
		next = ", before it looks again" + dueIn(v.in.NextLook.Sub(v.at))
	}
	return "not known yet: " + watched + ", and the daemon cannot tell either" + next
}

// terminalUsed tells when the session's terminal last had input or output.
func (v *view) terminalUsed(s *graph.Session) string {
	at := s.Activity.TerminalUsed
	if at.IsZero() {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%s last used %s (%s ago)", s.Process.TTY, human.Moment(v.local(at)), human.Span(v.at.Sub(at))))
}

// holdsText names the targets below a target, or those of a session.
func (v *view) holdsText(t *graph.Target) string {
	if t.Kind == graph.KindSession && t.Root != nil {
		var held verdicts
		for _, one := range v.held[t.Root.ID()] {
			if verdict, found := v.verdict(one.ID); found {
				held = append(held, verdict)
			}
		}
		return "holds " + v.holdings(t) + ": " + strings.Join(v.namesAlong(held), ", ")
	}
	return human.Count(len(t.Below), "server") + " below it: " + v.namesOf(t.Below)
}

// sessionOf returns the verdict on the session with which a target is stopped; nil if it is
// stopped with none.
func (v *view) sessionOf(verdict *policy.Verdict) *policy.Verdict {
	if head, found := v.verdict(verdict.With); found && head.Target.Kind == graph.KindSession {
		return head
	}
	return nil
}

// standing is what the first sentence says of a target: what is wrong with it, or with the
// session with which it goes.
func (v *view) standing(verdict *policy.Verdict) string {
	if session := v.sessionOf(verdict); session != nil {
		return "goes with " + called(session.Target) + ", which " + isText(session.Target)
	}
	if head := v.soleCause(verdict); head != nil {
		return "goes with " + called(head.Target) + ", which " + isText(head.Target)
	}
	if holder := v.holder(verdict.Target); holder != nil && verdict.UnderWay && verdict.Target.Finding == graph.FindingNone {
		return "goes with " + called(holder.Target)
	}
	return isText(verdict.Target)
}

// soleCause is the verdict on the gateway or the docker run with which a target goes that nothing is wrong with; nil
// if there is none.
func (v *view) soleCause(verdict *policy.Verdict) *policy.Verdict {
	head, found := v.verdict(verdict.With)
	if !found || verdict.Target.Finding != graph.FindingNone || head.Target.Kind == graph.KindSession {
		return nil
	}
	return head
}

// causeGoes tells when a gateway or a docker run is stopped, and with it something that nothing is wrong with:
// "docker-mcp-gateway 40, which is failing: 120 zombies. The daemon stops them in 1m 59s (rule zombie-gateways).";
// empty if no daemon counts.
func (v *view) causeGoes(verdict *policy.Verdict) string {
	head := v.soleCause(verdict)
	if head == nil || shelfOf(verdict) != waiting {
		return ""
	}
	left, due := v.due(head)
	if !due {
		return ""
	}
	return fmt.Sprintf("%s, which %s. %s (rule %s).", called(head.Target), isText(head.Target), human.Capital(v.dueText(verdicts{verdict, head}, left)), head.Rule)
}

// itOrThem is what a sentence calls a target, after that with which it goes has been named.
func (v *view) itOrThem(verdict *policy.Verdict) string {
	if v.soleCause(verdict) != nil {
		return "them"
	}
	return "it"
}

// sessionGoes tells of what is in use that its session or gateway is about to be stopped: "codex 12,
// which is idle, and goes with it in 2m 23s (rule idle-end)."; empty if it is not.
func (v *view) sessionGoes(verdict *policy.Verdict) string {
	head := v.alongWith(verdict)
	if head == nil {
		return ""
	}
	text := fmt.Sprintf("%s, which %s, and ", called(head.Target), isText(head.Target))
	if left, due := v.due(head); due && v.awaited(head) {
		return text + fmt.Sprintf("goes with it in %s (rule %s).", human.ToGo(left), head.Rule)
	}
	return text + fmt.Sprintf("would go with it (rule %s).", head.Rule)
}

// explainAlong tells by which rule a target goes with another, and where to read more.
func (v *view) explainAlong(lines explanation, verdict, head *policy.Verdict) {
	lines.say("rule", head.Rule+", "+v.originText(head.RuleOrigin)+", by way of "+called(head.Target))
	if verdict.Decision != policy.Keep {
		lines.say("", cmp.Or(v.otherwise(verdicts{verdict}), v.byAnother()))
	}
	if !v.in.Replay {
		lines.say("see also", literal(v.in.Asked.Explain(handle(head.Target))))
	}
	if !v.in.Replay && !v.in.NoRoom { // else a pin is refused
		lines.say("keep it", literal(v.pin(head.Target)))
	}
}
