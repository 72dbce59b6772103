package account

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
)

// ExplainOf tells all that is known of what a word means: of a thing or a session of a look, of another
// process, or of what is not here any more, by the entries of the journal. A name that several things have is
// an error that lists them.
func ExplainOf(l Look, subject string, entries []journal.Entry) (*Explanation, error) {
	a := Of(l)
	e := &explainer{maker: newMaker(l, a), things: a.ByID(), out: &Explanation{
		Version: Version, TakenAt: a.TakenAt, Complete: a.Complete, Mode: a.Mode, Policy: a.Policy, Word: subject, Notes: a.Notes, Said: a.Said,
	}}
	id, found := OneMeant(l.Graph, subject)
	alike, strangers := targetsCalled(l.Graph, subject), Strangers(l.Graph, subject)
	switch p := ProcessMeant(l.Graph.Snapshot, subject); {
	case found:
		e.explain(id)
	case p != nil:
		e.process(p)
	case len(alike) == 1:
		e.explain(alike[0].ID)
	case len(alike) > 1:
		first := SubjectOf(alike[0]).Handle()
		ids := make([]string, 0, len(alike))
		for _, t := range alike {
			ids = append(ids, t.ID)
		}
		return nil, human.Misused("reaperd explain "+first+"   one of them", "%s: %s here are called that: %s", human.Safe(subject), human.Number(len(alike)), e.handles(ids))
	case len(strangers) > 0:
		e.process(strangers[0])
	default:
		e.gone(entries)
	}
	return e.out, nil
}

// explainer gathers an explanation.
type explainer struct {
	*maker
	things map[string]*Thing
	out    *Explanation
}

func (e *explainer) say(about string, text Text) {
	if len(text) > 0 {
		e.out.Facts = append(e.out.Facts, Fact{About: about, Text: text})
	}
}

// part begins another part of the facts.
func (e *explainer) part() {
	if n := len(e.out.Facts); n > 0 && len(e.out.Facts[n-1].Text) > 0 {
		e.out.Facts = append(e.out.Facts, Fact{})
	}
}

// evidence says what a check found, and what that speaks for.
func (e *explainer) evidence(check, text, says string, proof bool) {
	switch {
	case says == "" || says == graph.SaysSilent.String():
		says = "–"
	case proof:
		says += ", proof"
	}
	e.out.Facts = append(e.out.Facts, Fact{About: check, Text: Words(text), SpeaksFor: says})
}

// explain tells of a target, or of a session that is none.
func (e *explainer) explain(id string) {
	for i := range e.account.Sessions {
		if s := &e.account.Sessions[i]; s.ID == id {
			e.out.Session, e.out.uid = s, s.uid
		}
	}
	v, t := e.verdicts[id], e.things[id]
	switch {
	case t != nil:
		e.thing(v, t)
	case e.out.Session == nil: // a container that is no MCP server
		other := e.maker.thing(v)
		e.thing(v, &other)
		e.out.Answer, e.out.Commands = Words(other.Called()+" is no MCP server: reaperd never touches it."), nil
	default:
		s := e.out.Session
		e.out.Answer = Words(called(s.Name, strconv.Itoa(s.PID)) + " is a live session with " + human.Servers(s.Servers, s.Containers) + size(", ", s.MemoryBytes) + ".")
		e.say("what", origin("started ", s.StartedAt, s.User, s.Cwd))
		e.holds(s)
	}
}

func (e *explainer) thing(v *policy.Verdict, t *Thing) {
	e.out.Thing, e.out.uid, e.out.Answer, e.out.Looks = t, t.uid, e.account.Answer(t), v.Target.Looks
	e.what(v.Target, t)
	if e.out.Session != nil {
		e.holds(e.out.Session)
	} else {
		e.say("whose", t.whose())
	}
	e.part()
	for _, line := range t.Evidence {
		e.evidence(string(line.Check), line.Text, string(line.Says), line.Proof)
	}
	guards := []string{}
	for _, veto := range t.Guards {
		guards = append(guards, veto.Text)
	}
	e.say("guards", Words(cmp.Or(strings.Join(guards, "; "), "none applies")))
	e.part()
	e.rule(v, t)
	e.out.Commands = e.account.CommandsOf(t)
	if v.Rule != "" {
		e.out.RuleOrigin = t.Origin
		e.out.ForSeconds, e.out.HeldSeconds, e.out.GraceSeconds = rounded(v.For.Seconds()), rounded(v.Held.Seconds()), rounded(v.Grace.Seconds())
	}
	e.tree(v.Target)
}

// Answer is what a thing is, and what becomes of it.
func (a *Account) Answer(t *Thing) Text {
	is, coming := t.is(), a.Coming(t)
	switch {
	case t.Fate == Ending && t.Imminent:
		return Words(t.Called() + " is about to be stopped.")
	case t.Fate == Ending:
		return Words(t.Called() + " is being stopped.")
	case len(coming) > 0:
		return is.say(". It ").Then(coming...).say(".")
	case t.Fate == Leaked:
		return is.say(".").And(" ", a.Resting())
	}
	return is.say(".")
}

// is says of a thing what it is: "git 371 is leaked: claude-code 91 ended 21m ago".
func (t *Thing) is() Text {
	is, owner := Words(t.Called()+" is "), t.Owner.String()
	switch left := t.left(); {
	case t.Fate == Leaked && len(left) > 0:
		return is.say("leaked: " + cmp.Or(owner, "it") + " ").Then(left...)
	case t.Fate == Leaked:
		return is.say("leaked: nobody uses it any more")
	case t.Fate == Kept:
		return is.say("kept: " + t.Why)
	case t.failing() != "":
		return is.say("failing: " + t.failing())
	case t.isOlder():
		return is.say("an older copy of what " + owner + " has")
	case t.Kind == graph.KindSession:
		return is.say("a session that does nothing")
	case t.Fate == Idle:
		return is.say("held by " + owner + ", which does nothing")
	case owner != "":
		return is.say("in use by " + owner)
	}
	return is.say("in use").And(": ", Words(t.clients(" to ")))
}

// what tells what runs, since when, and what belongs to it.
func (e *explainer) what(of *graph.Target, t *Thing) {
	started, how := "started ", "recognised: "
	if of.NeverStarted() {
		started = "created "
	}
	if of.Likely {
		how = "only likely to be an MCP server: "
	}
	e.say("what", measured(command(t.Argv, t.Image), len(t.PIDs), t.MemoryBytes, t.CPUPercent))
	e.say("", origin(started, t.StartedAt, t.User, t.Cwd))
	e.say("", Words(prefixed(how, t.RecognisedBy)))
	e.say("", Words(strings.Join(e.relations(t), "; ")))
	if t.Listening != nil && *t.Listening {
		e.say("listens", Words(t.onPorts("on ")).And(", ", Words(human.Count(t.Clients, "connection"))))
	}
}

// prefixed is a text behind another; empty if there is none.
func prefixed(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// command is a command line as a person writes it: the program without its folder; of a container the image.
func command(argv []string, image string) (text Text) {
	if image != "" {
		image, _, _ = strings.Cut(image, "@")
		return Words(strings.TrimSuffix(image, ":latest"))
	}
	for i, arg := range argv {
		part := words(arg)
		if i == 0 {
			part = words(path.Base(arg))
		} else if strings.HasPrefix(arg, "/") {
			part = folder(arg)
		}
		text = text.And(" ", Text{part})
	}
	return text
}

// measured adds to a command how many processes there are, and what they use.
func measured(text Text, processes int, memory uint64, cpu *float64) Text {
	if processes > 0 {
		text = text.And(", ", Words(human.Count(processes, "process")))
	}
	if cpu != nil && *cpu > 0 {
		return text.say(size(", ", memory) + ", " + human.Percent(*cpu) + " cpu")
	}
	return text.And("", Words(size(", ", memory)))
}

// relations are the docker run of a container, the containers of a docker run, what is below a gateway, and
// what stays open.
func (e *explainer) relations(t *Thing) (parts []string) {
	inside, below := t.ContainerID, t.Below
	if t.Kind == graph.KindContainer {
		inside = ""
	}
	if t.Kind != graph.KindGateway {
		below = nil
	}
	for _, part := range []string{
		prefixed("its docker run is ", e.handles([]string{t.Client})), prefixed(human.Plural(len(t.Containers), "container")+" ", e.handles(t.Containers)),
		prefixed(human.Count(len(below), "server")+" below it: ", e.handles(below)), prefixed("runs inside container ", e.handles([]string{inside})), t.Leaves,
	} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// handles name the first of some things, and count the others: "22, 31, 37 +2".
func (e *explainer) handles(ids []string) string {
	var names []string
	for _, id := range ids {
		if t, found := e.Graph.Target(id); found {
			names = append(names, SubjectOf(t).Handle())
		} else if id != "" {
			names = append(names, human.Handle(id))
		}
	}
	return few(names)
}

// whose tells whose a thing is, or was.
func (t *Thing) whose() Text {
	owner, o := Words(t.Owner.String()), t.Owner
	switch {
	case o.Kind == graph.OwnerService:
		return Words("service " + o.Name)
	case o.Name == "" && o.Liveness == graph.LivenessGone:
		return Words("nobody alive")
	case o.Name == "":
		return Words("not known").And(": ", Words(t.clients(" to ")))
	case o.Liveness == graph.LivenessGone && !o.Since.IsZero():
		return owner.say(", gone since ").Then(clock(o.Since))
	case o.Liveness == graph.LivenessGone:
		return owner.say(", which is gone")
	}
	return owner.say(", which lives")
}

// rule names the rule that decided, what it wants, and what would be done.
func (e *explainer) rule(v *policy.Verdict, t *Thing) {
	text := e.noRule(v)
	if v.Rule != "" && v.Protected == nil {
		text = Words(v.Rule + ", ").Then(folder(v.RuleOrigin.String()))
		switch head := e.things[t.Head]; {
		case head != nil:
			text = text.say(", by way of " + head.Called())
		case v.Target.Likely && v.Needs > 0:
			text = text.say("; it must be at rest for " + human.Exact(v.Needs) + ", and has been for " + human.Span(v.Held))
		case t.Finding != graph.FindingNone:
			text = text.say(fmt.Sprintf("; for: %s, held %s, agreed by %s", human.Exact(v.For), human.Span(v.Held), human.Count(v.Target.Looks, "look")))
		}
	}
	e.say("rule", text)
	switch {
	case v.Protected != nil:
	case v.Action == policy.ActionReport && len(t.Guards) == 0:
		change := policy.ChangeOf(v.Rule, v.RuleOrigin, "action: "+string(policy.ActionOn(v.Target.Kind)), e.Policy)
		e.say("to act", Words(change.Where+":"))
		e.say("", Words(change.Line))
	case v.Decision != policy.Keep && t.Fate != Ending && t.Head == "":
		e.say("would do", Words(e.deed(v, t)))
		e.say("", Words(strings.Join(e.effect(v, t), "; ")))
	}
}

// noRule says that no rule is about a target, or which will be once that has rested for longer.
func (e *explainer) noRule(v *policy.Verdict) Text {
	switch {
	case v.Protected != nil:
		return Words("none is asked: what the policy protects stays")
	case e.things[v.Head] != nil:
		return Words("none: it ends with its container, by that one's rule")
	case v.Unread != "":
		return Words("none, as far as can be read; " + v.Unread + " may name it")
	case v.Awaits != nil:
		least, rested := v.Awaits.Rest(v.Target)
		text := Words("none yet: " + v.Awaits.Name + ", ").Then(folder(v.Awaits.Origin.String()))
		return text.say(", wants an idle time of " + human.Exact(least) + "; it has " + human.Span(rested))
	}
	return Words("none names it")
}

// deed tells each step of an act.
func (e *explainer) deed(v *policy.Verdict, t *Thing) string {
	for _, id := range t.Containers {
		if container := e.things[id]; container != nil && container.Decision != keeps {
			return "stop its container " + container.Handle + ", with which it exits, then look again"
		}
	}
	switch grace := human.Exact(v.Grace); {
	case t.Kind == graph.KindContainer && v.Action == policy.ActionRemove:
		return "stop the container within " + grace + ", then remove it, then look again"
	case t.Kind == graph.KindContainer:
		return "stop the container within " + grace + ", then look again"
	case len(t.PIDs) > 1:
		return "SIGTERM to " + human.Count(len(t.PIDs), "process") + ", SIGKILL after " + grace + ", then look again"
	default:
		return "SIGTERM to " + strconv.Itoa(t.PID) + ", SIGKILL after " + grace + ", then look again"
	}
}

// effect tells what an act means for the session, and for what is below the target.
func (e *explainer) effect(v *policy.Verdict, t *Thing) (parts []string) {
	if b := v.Bundle; b != nil && (t.Kind == graph.KindGateway || t.Kind == graph.KindSession) {
		parts = append(parts, human.Count(len(b.Members), "thing")+" that it holds "+human.Verb(len(b.Members), "goes", "go")+" with it")
	}
	if t.Zombies > 0 {
		parts = append(parts, "so "+human.Verb(t.Zombies, "does", "do")+" its "+human.Count(t.Zombies, "zombie"))
	}
	lives := t.Owner.String() + " lives on"
	switch {
	case t.Owner.Liveness == graph.LivenessGone:
		return append(parts, "no session loses anything")
	case t.Owner.Liveness != graph.LivenessLive || t.Owner.Name == "":
		return parts
	case t.Kind == graph.KindGateway:
		lives += " and starts a new gateway at its next call"
	case t.Finding == graph.FindingDuplicate:
		lives += " and keeps the newer copy"
	}
	return append(parts, lives)
}

// origin tells when, by whom and where something was started.
func origin(verb string, at time.Time, user, cwd string) (text Text) {
	if !at.IsZero() {
		text = Text{words(verb), clock(at), words(" ("), since(at), words(" ago)")}
	}
	text = text.And(" ", Words(prefixed("by ", user)))
	if cwd != "" {
		text = text.And(" ", Text{words("in "), folder(cwd)})
	}
	return text
}

// tree shows the processes of a target, each below its parent.
func (e *explainer) tree(t *graph.Target) {
	if len(t.Members) < 2 {
		return
	}
	depth := map[int]int{} // from 1 on
	for _, p := range t.Members {
		depth[p.PID] = depth[p.PPID.Or(0)] + 1
		e.out.Tree = append(e.out.Tree, TreeLine{PID: p.PID, Depth: depth[p.PID] - 1, Argv: redact.Args(p.Args()), MemoryBytes: p.MemoryBytes.Or(0)})
	}
}

// holds tells what a session holds, and since when it has done nothing.
func (e *explainer) holds(s *Session) {
	idle := Text{words("for "), since(s.IdleSince)}
	switch {
	case s.IdleSince.IsZero() && s.LastUse == "":
		idle = nil
	case s.IdleSince.IsZero():
		idle = Words("no: " + graph.Use{Sign: s.LastUse, PID: s.LastUsePID}.String())
	case s.IdleAtLeast:
		idle = idle.say(" at least, since it was first looked at")
	}
	e.say("idle", idle)
	if s.Resume != "" && s.Fate == Idle {
		e.say("resume", Words("cd ").Then(folder(s.Cwd)).say(" && "+s.Resume))
	}
	b, names := newBuilder(e.account), []string(nil)
	e.out.Holds = []Thing{}
	for i := range e.account.Things {
		if t := &e.account.Things[i]; b.holder(t.ID) == s.ID && t.ID != s.ID {
			e.out.Holds = append(e.out.Holds, *t)
			if t.Counts() {
				names = append(names, t.Called())
			}
		}
	}
	slices.Sort(names)
	e.say("holds", Words(few(names)))
}
