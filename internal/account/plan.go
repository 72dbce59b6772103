package account

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
)

// PlanOf is what a sweep would do: the acts on the things of an account, whose verdicts are the sweep's,
// and what was named and stays.
func PlanOf(a *Account, verdicts []policy.Verdict, acts []policy.Act, order Order) *Plan {
	p := &Plan{Account: a, Order: order, Targets: make([]string, 0, len(acts)), Rows: []Row{}}
	goes := map[string]bool{}
	for i := range acts {
		p.Targets = append(p.Targets, acts[i].TargetID)
		goes[acts[i].TargetID] = true
		p.Grace = max(p.Grace, acts[i].Grace)
	}
	for i := range verdicts { // a docker run that goes by way of its container is part of the plan
		if v := &verdicts[i]; v.Decision == policy.Keep && goes[v.Head] {
			goes[v.Target.ID] = true
		}
	}
	p.choose(goes)
	p.Stays = a.stays(verdicts, goes, order)
	switch {
	case p.What != "":
		p.Question, p.Would = "Stop "+p.What+"?", Words("Would stop "+p.What+".")
	case len(order.Words)+len(order.Rules) > 0:
		p.Would = Words("Nothing to stop of what was named.")
	case a.Summary.Leaked == 0:
		p.Would = a.Headline
	default:
		p.Would = Words("Nothing to stop yet.")
	}
	return p
}

// choose makes the rows of what goes, and counts it: "42 MCP servers of 7 ended sessions, 1.9 GB".
func (p *Plan) choose(goes map[string]bool) {
	only := *p.Account
	only.Things = slices.DeleteFunc(slices.Clone(only.Things), func(t Thing) bool { return !goes[t.ID] })
	only.Sessions = slices.DeleteFunc(slices.Clone(only.Sessions), func(s Session) bool {
		return !slices.ContainsFunc(only.Things, func(t Thing) bool { return t.ID == s.ID || idOf(t.Owner.PID, t.Owner.Start) == s.ID })
	})
	only.AlsoLeft = nil
	only.tieContainers()
	for _, section := range only.tree() {
		if section.Fate == InUse {
			p.Live = section.Rows
		} else {
			p.Rows = append(p.Rows, section.Rows...)
		}
	}
	things, n, ended := p.Account.ByID(), map[string]int{}, map[string]bool{}
	for i := range only.Things {
		t := &only.Things[i]
		p.Bytes += t.MemoryBytes
		if t.Counts() {
			p.Servers++
		}
		if t.Owner.Kind == graph.OwnerSession && t.Owner.Liveness == graph.LivenessGone {
			ended[idOf(t.Owner.PID, t.Owner.Start)] = true
		}
		n[t.goesAs(things)]++
	}
	p.Sessions = len(ended)
	p.What = counted(n, len(ended))
	if p.What != "" {
		p.What += size(", ", p.Bytes)
	}
}

// The kinds as which things go.
const (
	asLeft    = "MCP server"
	asCopy    = "older copy"
	asFailing = "failing gateway"
	asSession = "session"
	asUsed    = "MCP server in use"
)

// goesAs is the kind as which a thing goes; behind "with" it is that of the thing with which it goes. Empty is what is
// not counted.
func (t *Thing) goesAs(things map[string]*Thing) string {
	head := things[t.Head]
	switch {
	case t.Kind == graph.KindSession:
		return asSession
	case t.failing() != "":
		return asFailing
	case !t.Counts():
		return ""
	case head != nil && (head.Kind == graph.KindSession || head.failing() != ""):
		return "with " + head.goesAs(things)
	case t.Finding == graph.FindingDuplicate:
		return asCopy
	case t.Fate.isLeft():
		return asLeft
	}
	return asUsed
}

// counted counts what goes, by kinds: "3 older copies and 1 session with 8 MCP servers".
func counted(n map[string]int, ended int) string {
	var parts []string
	for _, kind := range []string{asLeft, asCopy, asFailing, asSession, asUsed} {
		part := human.Count(n[kind], strings.TrimSuffix(kind, " in use"))
		switch with := n["with "+kind]; {
		case n[kind] == 0:
			continue
		case kind == asUsed:
			part += " in use"
		case kind == asLeft && ended > 0:
			part += " of " + human.Count(ended, "ended session")
		case with > 0:
			part += " with " + human.Count(with, "MCP server")
		}
		parts = append(parts, part)
	}
	return human.List(parts)
}

// stays are what a person named and stays, and what waits, each reason once.
func (a *Account) stays(verdicts []policy.Verdict, goes map[string]bool, order Order) (stays []Stay) {
	named, things := map[string]bool{}, a.ByID()
	for _, name := range order.Words {
		for _, id := range a.Meant(name) {
			named[id] = true
		}
	}
	for i := range verdicts {
		v := &verdicts[i]
		t := things[v.Target.ID]
		if t == nil || t.Held || goes[t.ID] || v.IfIdle && v.Head != "" && !named[t.ID] || !named[t.ID] && (len(order.Words) > 0 || v.Decision != policy.Pending) {
			continue
		}
		why := t.whyStays(v)
		if alike := slices.IndexFunc(stays, func(s Stay) bool { return s.Why == why }); alike >= 0 {
			stays[alike].More++
		} else {
			stays = append(stays, Stay{Called: t.Called(), Why: why})
		}
	}
	return stays
}

// Text names a thing that stays, those that stay for the same reason, and the reason.
func (s Stay) Text() string {
	if s.More > 0 {
		return s.Called + " and " + human.Number(s.More) + " more: " + s.Why
	}
	return s.Called + ": " + s.Why
}

// whyStays is why a sweep does not stop a thing.
func (t *Thing) whyStays(v *policy.Verdict) string {
	switch {
	case v.Limit() > 0:
		return "a sweep stops no more than " + human.Number(v.Limit()) + " at a time"
	case v.Decision == policy.Pending && t.IfIdle:
		return "not idle for long enough yet"
	case v.Decision == policy.Pending && v.Needs > 0:
		return "needs " + human.Exact(v.Needs) + " of watching"
	case v.Decision == policy.Pending:
		return "needs a second look"
	case t.Fate == Kept:
		return t.Why
	case t.isOlder():
		return "an older copy, which only sweep --duplicates stops"
	case t.Fate == Ending:
		return "its end has begun"
	}
	return "in use" + prefixed(" by ", t.Owner.String())
}

// ActOf is an act that is over.
func ActOf(o policy.Outcome) Act {
	return Act{
		ID: o.ID, Target: o.Target, Name: redact.Name(o.Name), Handle: Subject{ID: o.Target, Container: o.Container}.Handle(),
		Kind: o.Kind, Owner: redact.Name(o.Owner), Cwd: redact.Text(o.Cwd), Action: o.Action, Rule: o.Rule,
		By: o.By, ByHand: o.ByHand, Outcome: o.Result, Detail: redact.Text(o.Detail), FreedBytes: o.FreedBytes, At: o.At, uid: o.User,
	}
}

// ResultOf is what came of a plan: its account with what each act came to. Took is for the caller to say.
func ResultOf(plan *Plan, outcomes []policy.Outcome) *Result {
	a := *plan.Account
	a.Things, a.Outcomes = slices.Clone(a.Things), make([]Act, 0, len(outcomes))
	things := a.ByID()
	r := &Result{Account: &a}
	for _, o := range outcomes {
		act := ActOf(o)
		a.Outcomes = append(a.Outcomes, act)
		a.Complete = a.Complete && !o.Result.Incomplete()
		if t := things[o.Target]; t != nil && o.Result.Gone() {
			t.Fate = Gone
			act.uid = t.uid
		}
		r.add(things, act)
	}
	for _, t := range things { // what has exited with its container
		if container := things[t.EndsWith]; container != nil && container.Fate == Gone {
			t.Fate = Gone
			r.Stopped++
		}
	}
	a.finish()
	return r
}

// add counts an act, or says why its target stays.
func (r *Result) add(things map[string]*Thing, act Act) {
	t := things[act.Target]
	r.Freed += act.FreedBytes
	switch {
	case act.Outcome.Reaped() && act.Kind == graph.KindSession:
		r.Sessions++
	case act.Outcome.Reaped():
		if t == nil || t.Counts() {
			r.Stopped++
		}
	case act.Outcome == human.AlreadyGone:
	default:
		name := called(act.Name, human.Handle(act.Target))
		if t != nil {
			name = t.Called()
		}
		r.Stays = append(r.Stays, Stay{Called: name, Why: act.Outcome.With(act.Detail)})
	}
}

// Text is what came of it in one sentence: "Stopped 42, 1.9 GB freed, in 1.1s."
func (r *Result) Text() string {
	text := "Stopped " + human.Number(r.Stopped)
	switch {
	case r.Stopped+r.Sessions == 0:
		return "Stopped nothing."
	case r.Sessions > 0:
		text = "Stopped " + human.Count(r.Sessions, "session") + " with " + human.Count(r.Stopped, "server")
	}
	text += size(", ", r.Freed)
	if r.Freed > 0 {
		text += " freed"
	}
	if r.Took >= time.Millisecond {
		text += ", in " + human.Took(r.Took)
	}
	return strings.TrimSpace(text) + "."
}
