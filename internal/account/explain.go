package account

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/usage"
	"github.com/reaperd/reaperd/internal/word"
)

// ExplainOf tells all that is known of what a word means: of a thing or a session of a look, of another
// process, or of what is not here any more, by the entries of the journal. A name that several things have is
// an error that lists them.
func ExplainOf(l Look, subject string, entries []journal.Entry) (*Explanation, error) {
	a := Of(l)
	e := &explainer{Look: l, account: a, things: a.ByID(), out: &Explanation{
		Version: Version, TakenAt: a.TakenAt, Complete: a.Complete, Mode: a.Mode, Policy: a.Policy, Word: subject, Notes: a.Notes,
	}}
	id, found := word.One(l.Graph, subject)
	alike := word.Called(l.Graph, subject)
	strangers := word.Strangers(l.Graph, subject)
	switch p := word.Process(l.Graph.Snapshot, subject); {
	case found:
		e.explain(id)
	case p != nil:
		e.explainProcess(p)
	case len(alike) == 1:
		e.explain(alike[0].ID)
	case len(alike) > 1:
		return nil, tooMany(subject, alike)
	case len(strangers) > 0:
		e.explainProcess(strangers[0])
	default:
		e.explainGone(entries)
	}
	return e.out, nil
}

// explainer gathers an explanation.
type explainer struct {
	Look
	account *Account
	things  map[string]*Thing
	out     *Explanation
}

// mostAlike is how many things of one name an error lists.
const mostAlike = 4

func tooMany(name string, alike []*graph.Target) error {
	var few []string
	for _, t := range alike[:min(len(alike), mostAlike)] {
		few = append(few, word.Of(t).Handle())
	}
	if more := len(alike) - len(few); more > 0 {
		few = append(few, human.Number(more)+" more")
	}
	return advice.Misused("reaperd explain "+few[0]+"   one of them", "%s: %s here are called that: %s", human.Safe(name), human.Number(len(alike)), human.List(few))
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

// explain tells of a target, or of a session that is none.
func (e *explainer) explain(id string) {
	for i := range e.account.Sessions {
		if s := &e.account.Sessions[i]; s.ID == id {
			e.out.Session, e.out.uid = s, s.uid
		}
	}
	t := e.things[id]
	for i := range e.Verdicts {
		switch v := &e.Verdicts[i]; {
		case v.Target.ID != id:
		case t != nil:
			e.explainThing(v, t)
			return
		case e.out.Session == nil: // a container that is no MCP server
			other := newMaker(e.Look, e.account).thing(v)
			e.explainThing(v, &other)
			e.out.Answer, e.out.Commands = Words(other.Called()+" is no MCP server: reaperd never touches it."), nil
			return
		}
	}
	e.explainSession(e.out.Session)
}

func (e *explainer) explainThing(v *policy.Verdict, t *Thing) {
	e.out.Thing, e.out.uid, e.out.Answer, e.out.Looks = t, t.uid, e.account.answer(t), v.Target.Looks
	e.what(v.Target, t)
	if e.out.Session != nil {
		e.holds(e.out.Session)
	} else {
		e.say("whose", t.whose())
	}
	e.part()
	for _, line := range t.Evidence {
		e.out.Facts = append(e.out.Facts, Fact{About: string(line.Check), Text: Words(line.Text), SpeaksFor: speaksFor(line)})
	}
	e.guards(t)
	e.part()
	e.rule(v, t)
	e.out.Commands = e.account.CommandsOf(t)
	if v.Rule != "" {
		e.out.ForSeconds, e.out.HeldSeconds, e.out.GraceSeconds = rounded(v.For.Seconds()), rounded(v.Held.Seconds()), rounded(v.Grace.Seconds())
	}
	e.tree(v.Target)
}

// answer is what a thing is, and what becomes of it.
func (a *Account) answer(t *Thing) Text {
	is, coming := t.is(), a.Coming(t)
	switch {
	case t.Fate == Ending:
		return Words(t.Called() + " is " + map[bool]string{true: "about to be stopped.", false: "being stopped."}[t.Imminent])
	case len(coming) == 0 && t.Fate == Leaked && len(a.Resting()) > 0:
		return is.say(". ").Then(a.Resting()...)
	case len(coming) == 0:
		return is.say(".")
	}
	return is.say(". It ").Then(coming...).say(".")
}

// is says of a thing what it is: "git 371 is leaked: claude-code 91 ended 21m ago".
func (t *Thing) is() Text {
	is := Words(t.Called() + " is ")
	owner := called(t.Owner.Name, pidText(t.Owner.PID))
	switch left := t.left(); {
	case t.Fate == Leaked && len(left) > 0:
		return is.say("leaked: " + owner + " ").Then(left...)
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
	case t.Owner.Name != "":
		return is.say("in use by " + owner)
	case t.Clients > 0:
		return is.say("in use: " + human.Count(t.Clients, "connection") + t.onPorts(" to "))
	}
	return is.say("in use")
}

func pidText(pid int) string {
	if pid == 0 {
		return ""
	}
	return strconv.Itoa(pid)
}

// what tells what runs, since when, and what belongs to it.
func (e *explainer) what(of *graph.Target, t *Thing) {
	e.say("what", measured(command(t.Argv, t.Image), len(t.PIDs), t.MemoryBytes, t.CPUPercent))
	e.say("", origin(t.StartedAt, e.account, t.User, t.Cwd, of.NeverStarted()))
	switch {
	case t.RecognisedBy != "" && t.Recognised == graph.RecognisedLikely:
		e.say("", Words("only likely to be an MCP server: "+t.RecognisedBy))
	case t.RecognisedBy != "":
		e.say("", Words("recognised: "+t.RecognisedBy))
	}
	e.say("", Words(strings.Join(e.relations(t), "; ")))
	if t.Listening != nil && *t.Listening {
		e.say("listens", Words(t.onPorts("on ")).And(", ", Words(t.connected())))
	}
}

// connected tells how many are connected to what listens.
func (t *Thing) connected() string {
	if t.Clients == 0 {
		return "nobody is connected"
	}
	return human.Count(t.Clients, "connection")
}

// command is a command line as a person writes it: the program without its folder; of a container the image.
func command(argv []string, image string) Text {
	if image != "" {
		image, _, _ = strings.Cut(image, "@")
		return Words(strings.TrimSuffix(image, ":latest"))
	}
	var text Text
	for i, arg := range argv {
		switch {
		case i == 0:
			text = Words(path.Base(arg))
		case strings.HasPrefix(arg, "/"):
			text = text.say(" ").Then(folder(arg))
		default:
			text = text.say(" " + arg)
		}
	}
	return text
}

// measured adds to a command how many processes there are, and what they use.
func measured(text Text, processes int, memory uint64, cpu *float64) Text {
	if processes > 0 {
		text = text.And(", ", Words(human.Count(processes, "process")))
	}
	text = text.And("", Words(size(", ", memory)))
	if cpu != nil && *cpu > 0 {
		text = text.say(", " + human.Percent(*cpu) + " cpu")
	}
	return text
}

// relations are the docker run of a container, the containers of a docker run, what is below a gateway, and
// what stays open.
func (e *explainer) relations(t *Thing) (parts []string) {
	if t.Client != "" {
		parts = append(parts, "its docker run is "+e.handles([]string{t.Client}))
	}
	if n := len(t.Containers); n > 0 {
		parts = append(parts, human.Plural(n, "container")+" "+e.handles(t.Containers))
	}
	if n := len(t.Below); n > 0 && t.Kind == graph.KindGateway {
		parts = append(parts, human.Count(n, "server")+" below it: "+e.handles(t.Below))
	}
	if t.Kind != graph.KindContainer && t.ContainerID != "" {
		parts = append(parts, "runs inside container "+e.handles([]string{t.ContainerID}))
	}
	if t.Leaves != "" {
		parts = append(parts, t.Leaves)
	}
	return parts
}

// handles name the first of some things, and count the others: "22 31 37 +2".
func (e *explainer) handles(ids []string) string {
	const most = 6
	var names []string
	for _, id := range ids[:min(len(ids), most)] {
		name := human.Handle(id)
		if t, found := e.Graph.Target(id); found {
			name = word.Of(t).Handle()
		}
		names = append(names, name)
	}
	if more := len(ids) - len(names); more > 0 {
		names = append(names, "+"+human.Number(more))
	}
	return strings.Join(names, " ")
}

// whose tells whose a thing is, or was.
func (t *Thing) whose() Text {
	owner := Words(called(t.Owner.Name, pidText(t.Owner.PID)))
	switch {
	case t.Owner.Kind == graph.OwnerService:
		return Words("service " + t.Owner.Name)
	case t.Owner.Name == "" && t.Owner.Liveness == graph.LivenessGone:
		return Words("nobody alive")
	case t.Owner.Name == "" && t.Clients > 0:
		return Words("not known, but " + human.Count(t.Clients, "client") + " " + human.Verb(t.Clients, "is", "are") + " connected")
	case t.Owner.Name == "":
		return Words("not known")
	case t.Owner.Liveness == graph.LivenessGone && !t.Owner.Since.IsZero():
		return owner.say(", gone since ").Then(clock(t.Owner.Since))
	case t.Owner.Liveness == graph.LivenessGone:
		return owner.say(", which is gone")
	}
	return owner.say(", which lives")
}

func speaksFor(e graph.Evidence) string {
	switch {
	case e.Says == graph.SaysSilent:
		return "–"
	case e.Proof:
		return string(e.Says) + ", proof"
	}
	return string(e.Says)
}

func (e *explainer) guards(t *Thing) {
	if len(t.Guards) == 0 {
		e.say("guards", Words("none applies"))
		return
	}
	for i, veto := range t.Guards {
		e.say(map[bool]string{true: "guards"}[i == 0], Words(veto.Text))
	}
}

// rule names the rule that decided, what it wants, and what would be done.
func (e *explainer) rule(v *policy.Verdict, t *Thing) {
	switch {
	case v.Protected != nil:
		e.say("rule", Words("none is asked: what the policy protects stays"))
		return
	case v.Rule == "":
		e.say("rule", e.noRule(v))
		return
	}
	text := Words(v.Rule + ", ").Then(folder(v.RuleOrigin.String()))
	switch head := e.things[t.Head]; {
	case head != nil:
		text = text.say(", by way of " + head.Called())
	case t.Recognised == graph.RecognisedLikely && v.Needs > 0:
		text = text.say("; it must be at rest for " + human.Exact(v.Needs) + ", and has been for " + human.Span(v.Held))
	case t.Finding != graph.FindingNone:
		text = text.say(fmt.Sprintf("; for: %s, held %s, agreed by %s", human.Exact(v.For), human.Span(v.Held), human.Count(v.Target.Looks, "look")))
	}
	e.say("rule", text)
	if v.Ahead != nil {
		e.say("", Words("then "+v.Ahead.Rule+", ").Then(folder(v.Ahead.Origin.String())).say(", once it has been idle for "+human.Exact(v.Ahead.IdleFor)))
	}
	switch {
	case v.Action == policy.ActionReport && len(t.Guards) == 0 && v.Ahead == nil:
		change := policy.ChangeOf(v.Rule, v.RuleOrigin, "action: "+string(policy.ActionOn(v.Target.Kind)), e.Policy, "")
		e.say("to act", Words(change.Where+":"))
		e.say("", Words(change.Line))
	case v.Decision != policy.Keep && t.Fate != Ending && t.Head == "":
		e.say("would do", Words(e.deed(v, t)))
		e.say("", Words(strings.Join(e.effect(v, t), "; ")))
	}
}

// noRule says that no rule is about a target, or which would be once it has reached a number or a time.
func (e *explainer) noRule(v *policy.Verdict) Text {
	switch lacks := v.Threshold; {
	case v.EndsWith != "" && e.things[v.EndsWith] != nil:
		return Words("none: it ends with its container, by that one's rule")
	case v.Unread != "":
		return Words("none, as far as can be read; " + v.Unread + " may name it")
	case lacks != nil && lacks.Rule != "":
		return Words("none yet: " + lacks.Rule + ", ").Then(folder(lacks.Origin.String())).say(", wants " + lacks.Wants + "; it has " + lacks.Has)
	}
	return Words("none names it")
}

// deed tells each step of an act.
func (e *explainer) deed(v *policy.Verdict, t *Thing) string {
	grace, removes := human.Exact(v.Grace), map[bool]string{true: ", then remove it"}[v.Action == policy.ActionRemove]
	if t.Kind == graph.KindContainer {
		return "stop the container within " + grace + removes + ", then look again"
	}
	for _, id := range t.Containers {
		if container := e.things[id]; container != nil && container.Decision != policy.Keep.String() {
			return "stop its container " + container.Handle + ", with which it exits, then look again"
		}
	}
	who := strconv.Itoa(t.PID)
	if len(t.PIDs) > 1 {
		who = human.Count(len(t.PIDs), "process")
	}
	return fmt.Sprintf("SIGTERM to %s, SIGKILL after %s, then look again", who, grace)
}

// effect tells what an act means for the session, and for what is below the target.
func (e *explainer) effect(v *policy.Verdict, t *Thing) (parts []string) {
	if n := len(policy.EndsWith(e.Verdicts, v.Target)); n > 0 && t.Kind != graph.KindServer {
		parts = append(parts, human.Count(n, "thing")+" that it holds "+human.Verb(n, "goes", "go")+" with it")
	}
	if t.Zombies > 0 {
		parts = append(parts, "so "+human.Verb(t.Zombies, "does", "do")+" its "+human.Count(t.Zombies, "zombie"))
	}
	switch owner := called(t.Owner.Name, pidText(t.Owner.PID)); {
	case t.Owner.Liveness == graph.LivenessGone:
		parts = append(parts, "no session loses anything")
	case t.Owner.Liveness != graph.LivenessLive || t.Owner.Name == "" || t.Head != "":
	case t.Kind == graph.KindGateway:
		parts = append(parts, owner+" lives on and starts a new gateway at its next call")
	case t.Finding == graph.FindingDuplicate:
		parts = append(parts, owner+" lives on and keeps the newer copy")
	default:
		parts = append(parts, owner+" lives on")
	}
	return parts
}

// origin tells when, by whom and where something was started.
func origin(at time.Time, a *Account, user, cwd string, onlyCreated bool) (text Text) {
	if !at.IsZero() {
		verb := map[bool]string{true: "created ", false: "started "}[onlyCreated]
		text = Text{words(verb), clock(at), words(" ("), since(at), words(" ago)")}
	}
	if user != "" {
		text = text.And(" ", Words("by "+user))
	}
	if cwd != "" {
		text = text.And(" ", Text{words("in "), folder(cwd)})
	}
	return text
}

// tree shows the processes of a target, each below its parent.
func (e *explainer) tree(t *graph.Target) {
	if len(t.Members) < 2 || t.Kind == graph.KindContainer {
		return
	}
	depth := map[int]int{}
	for _, p := range t.Members {
		parent, known := p.PPID.Get()
		if above, isIts := depth[parent]; known && isIts {
			depth[p.PID] = above + 1
		} else {
			depth[p.PID] = 0
		}
		e.out.Tree = append(e.out.Tree, TreeLine{PID: p.PID, Depth: depth[p.PID], Argv: redact.Args(p.Args()), MemoryBytes: p.MemoryBytes.Or(0)})
	}
}

// explainSession tells of a session with which nothing is wrong.
func (e *explainer) explainSession(s *Session) {
	name := called(s.Name, strconv.Itoa(s.PID))
	e.out.Answer = Words(name + " is a live session with " + human.Servers(s.Servers, s.Containers) + size(", ", s.MemoryBytes) + ".")
	e.say("what", origin(s.StartedAt, e.account, s.User, s.Cwd, false))
	e.holds(s)
}

// holds tells what a session holds, and since when it has done nothing.
func (e *explainer) holds(s *Session) {
	switch {
	case s.IdleSince.IsZero() && s.LastUse != "":
		e.say("idle", Words("no: "+usage.Use{Sign: s.LastUse, PID: s.LastUsePID}.String()))
	case !s.IdleSince.IsZero():
		text := Text{words("for "), since(s.IdleSince)}
		if s.IdleAtLeast {
			text = text.say(" at least, since it was first looked at")
		}
		e.say("idle", text)
	}
	if s.Resume != "" && s.Fate == Idle {
		e.say("resume", Words("cd ").Then(folder(s.Cwd)).say(" && "+s.Resume))
	}
	b := newBuilder(e.account)
	e.out.Holds = []Thing{}
	var names []string
	for i := range e.account.Things {
		t := &e.account.Things[i]
		if b.holder(t.ID) != s.ID || t.ID == s.ID {
			continue
		}
		e.out.Holds = append(e.out.Holds, *t)
		if t.Counts() {
			names = append(names, t.Called())
		}
	}
	slices.Sort(names)
	const most = 12
	if more := len(names) - most; more > 0 {
		names = append(names[:most], human.Number(more)+" more")
	}
	e.say("holds", Words(strings.Join(names, ", ")))
}

// explainProcess tells why reaperd ignores a process.
func (e *explainer) explainProcess(p *inventory.Process) {
	program := cmp.Or(p.Comm, first(p.Args()))
	name := fmt.Sprintf("%d (%s)", p.PID, path.Base(cmp.Or(program, "unnamed")))
	out := &Process{PID: p.PID, ID: p.ID().String(), Reason: e.reason(p)}
	e.out.Process, e.out.uid = out, p.UID
	for i := range e.account.Things {
		if t := &e.account.Things[i]; t.Owner.PID == p.PID && t.Owner.Start == p.Start && t.Kind != graph.KindSession {
			out.Owns = append(out.Owns, t.ID)
		}
	}
	e.say("what", measured(command(redact.Args(p.Args()), ""), 0, p.MemoryBytes.Or(0), nil))
	e.say("", origin(p.StartedAt, e.account, p.User, redact.Text(p.Cwd), false))
	if ppid, known := p.PPID.Get(); known && ppid > 0 {
		e.say("parent", Words("process "+strconv.Itoa(ppid)))
	}
	if len(out.Owns) == 0 {
		e.out.Answer = Words(name + " is no MCP server: " + out.Reason + ". reaperd never touches it.")
		return
	}
	n := len(out.Owns)
	e.out.Answer = Words(name + " is no agent that reaperd knows. It has " + human.Count(n, "MCP server") + ", which " + human.Are(n) + " kept while it lives.")
	e.say("owns", Words(e.handles(out.Owns)))
	change := policy.Naming(path.Base(program), e.Policy, "")
	e.say("to name it", Words(change.Where+":"))
	e.say("", Words(change.Line))
}

func first(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	return argv[0]
}

// reason is why a process is none of reaperd's.
func (e *explainer) reason(p *inventory.Process) string {
	container, isSeen := e.Graph.Target(p.ContainerID)
	switch {
	case !p.Alive():
		return "a zombie, which has exited and goes when its parent waits for it, or ends"
	case isSeen && !container.Incidental:
		return "it runs in the container " + word.Of(container).Handle() + ", which is judged as one thing"
	case word.UnreadAround(e.Graph, p) != "":
		return "it runs in a container, and what that is cannot be told: " + word.UnreadAround(e.Graph, p)
	}
	return "no catalogue entry, no configuration and no stdio shape matches it"
}
