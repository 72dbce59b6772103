package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// NoTargetError is the error of an explanation that found no such target.
type NoTargetError struct{ ID string }

func (e NoTargetError) Error() string { return fmt.Sprintf("target %s: not in this report", e.ID) }

// Explain writes every line of evidence about one target, for and against, the
// guards, and the rule that decided. The id is a target's, or a session's.
func Explain(w io.Writer, in Input, id string, options Options) error {
	options.Names = nil
	v := newView(in, options, would())
	s := newScreen(options)
	if verdict, ok := v.verdict(id); ok && !isQuiet(verdict) {
		v.explain(s, verdict)
		return s.flush(w)
	}
	sessions := v.sessions()
	for i := range sessions {
		if session := &sessions[i]; session.Process != nil && session.Process.ID().String() == id {
			v.explainSession(s, session)
			return s.flush(w)
		}
	}
	return NoTargetError{ID: id}
}

// ExplainProcess writes why a process is nothing reaperd deals with.
func ExplainProcess(w io.Writer, p *inventory.Process, why string, options Options) error {
	s := newScreen(options)
	if why == "" {
		why = "no catalogue entry, no configuration and no stdio shape matches it"
	}
	s.wrap("", fmt.Sprintf("%d (%s) is not an MCP server: %s. reaperd never touches it.", p.PID, processName(p), sentence(why)))
	s.gap()
	lines := explanation{screen: s}
	lines.say("what", processCommand(p).String())
	lines.say("", "below "+parentText(p))
	return s.flush(w)
}

func parentText(p *inventory.Process) string {
	if ppid, known := p.PPID.Get(); known {
		return "process " + strconv.Itoa(ppid)
	}
	return "an unknown process"
}

func processName(p *inventory.Process) string {
	if p.Comm != "" {
		return human.Safe(p.Comm)
	}
	if c := processCommand(p); len(c) > 0 {
		return c[0]
	}
	return "unnamed"
}

// ExplainJSON is the explanation as programs read it: the target as in [JSON],
// and how long its finding has held.
func ExplainJSON(in Input, id string) ([]byte, error) {
	grouping := newGrouping(in)
	for i := range in.Verdicts {
		v := &in.Verdicts[i]
		if v.Target.ID == id && !isQuiet(v) {
			return encode(explainedOf(in, grouping, v))
		}
	}
	for _, session := range sessionsJSON(in) {
		if session.ID == id {
			return encode(explainedSession{explainedHead: headOf(in), Session: session})
		}
	}
	return nil, NoTargetError{ID: id}
}

type explainedHead struct {
	Version  int        `json:"version"`
	TakenAt  time.Time  `json:"taken_at"`
	Complete bool       `json:"complete"`
	Mode     string     `json:"mode,omitempty"`
	Policy   policyJSON `json:"policy"`
}

type explainedSession struct {
	explainedHead
	Session sessionJSON `json:"session"`
}

type explainedTarget struct {
	explainedHead
	Target       targetJSON `json:"target"`
	RuleOrigin   string     `json:"rule_origin,omitempty"`
	ForSeconds   *float64   `json:"for_seconds,omitempty"`
	GraceSeconds *float64   `json:"grace_seconds,omitempty"`
	HeldSeconds  *float64   `json:"held_seconds,omitempty"`
	Looks        int        `json:"looks,omitempty"`
}

func headOf(in Input) explainedHead {
	return explainedHead{
		Version: Version, TakenAt: takenAt(in), Complete: in.Complete(), Mode: in.Policy.Mode,
		Policy: policyJSON{Source: in.Policy.Source, SHA256: in.Policy.SHA256},
	}
}

func explainedOf(in Input, g grouping, v *policy.Verdict) explainedTarget {
	out := explainedTarget{explainedHead: headOf(in), Target: g.target(v), Looks: v.Target.Looks}
	if v.Rule != "" {
		out.RuleOrigin = v.RuleOrigin.String()
		out.ForSeconds, out.GraceSeconds = rounded(v.For.Seconds()), rounded(v.Grace.Seconds())
	}
	switch {
	case v.Rule != "":
		out.HeldSeconds = rounded(v.Held.Seconds())
	case v.Target.Finding != graph.FindingNone:
		out.HeldSeconds = rounded(v.Target.Held.Seconds())
	}
	return out
}

func (v *view) verdict(id string) (*policy.Verdict, bool) {
	for i := range v.in.Verdicts {
		if v.in.Verdicts[i].Target.ID == id {
			return &v.in.Verdicts[i], true
		}
	}
	return nil, false
}

// explanation writes lines whose first column says what they are about.
type explanation struct{ screen *screen }

// aboutCells is the width of the first column.
const aboutCells = 11

func (e explanation) say(about, text string) {
	if text != "" {
		e.screen.wrap(left(about, aboutCells), text)
	}
}

func (v *view) explain(s *screen, verdict *policy.Verdict) {
	lines := explanation{screen: s}
	s.wrap("", v.judgement(verdict))
	s.gap()
	v.explainWhat(lines, verdict)
	if verdict.Target.Kind != graph.KindSession {
		lines.say("whose", v.whose(verdict.Target))
	}
	v.explainIdle(lines, v.session(verdict.Target))
	s.gap()
	v.explainEvidence(s, verdict.Target)
	lines.say("against", against(verdict.Target))
	lines.say("guards", guards(verdict))
	s.gap()
	v.explainRule(lines, verdict)
	if len(v.in.Notes) > 0 {
		s.gap()
		v.notes(s)
	}
}

// judgement is the first sentence: what it is, and what comes of it.
func (v *view) judgement(verdict *policy.Verdict) string {
	t := verdict.Target
	name, is := called(t), isText(t)
	switch shelfOf(verdict) {
	case reaping:
		return fmt.Sprintf("%s %s. reaperd %s it (rule %s).", name, is, v.voice.verb(verdict.Action), verdict.Rule)
	case waiting:
		if beyondLimit(verdict) {
			return fmt.Sprintf("%s %s. reaperd %s it in a later sweep (rule %s): one ends no more than %s.",
				name, is, v.voice.verb(verdict.Action), verdict.Rule, human.Number(verdict.Beyond))
		}
		return fmt.Sprintf("%s %s. reaperd %s it once that has held%s; so far %s (rule %s).",
			name, is, v.voice.verb(verdict.Action), needText(verdict), human.Span(verdict.Held), verdict.Rule)
	case ending:
		return fmt.Sprintf("%s is left alone: it ends with its container %s.", name, v.nameOf(verdict.EndsWith))
	case inUse:
		return name + " is in use. reaperd leaves it alone."
	}
	if t.Incidental && verdict.Rule == "" {
		return name + " is no MCP server, and no rule names it. reaperd leaves it alone."
	}
	if t.Finding == graph.FindingNone {
		return fmt.Sprintf("Nothing proves whose %s is, so reaperd leaves it alone.", name)
	}
	return fmt.Sprintf("%s %s. reaperd leaves it alone: %s.", name, is, keptBecause(verdict).text)
}

func needText(v *policy.Verdict) string {
	if v.Needs <= 0 {
		return " long enough"
	}
	return " " + human.Exact(v.Needs)
}

func called(t *graph.Target) string {
	if t.Kind == graph.KindContainer {
		return nameOf(t) + " (container " + handle(t) + ")"
	}
	return nameOf(t) + " " + handle(t)
}

// isText is a finding as a predicate.
func isText(t *graph.Target) string {
	switch t.Finding {
	case graph.FindingZombies:
		return "is failing: " + human.Count(t.Zombies, "zombie")
	case graph.FindingRespawning:
		return "is failing: it started " + human.Count(t.Respawns, "server") + " again after they were reaped"
	case graph.FindingDuplicate:
		if t.Generation > 1 {
			return "is an older copy: its owner has " + human.Count(t.Generation-1, "newer one")
		}
		return "is an older copy"
	case graph.FindingExited:
		return "has exited and was left behind"
	case graph.FindingNone:
		return "is named by a rule that ignores who owns it"
	}
	return "is " + t.Finding.String()
}

func (v *view) nameOf(id string) string {
	if verdict, ok := v.verdict(id); ok {
		return handle(verdict.Target)
	}
	return shortID(id)
}

func (v *view) explainWhat(lines explanation, verdict *policy.Verdict) {
	t := verdict.Target
	what := []string{commandOf(t).String()}
	if n := len(t.Members); n > 0 {
		what = append(what, human.Count(n, "process"))
	}
	if t.MemoryBytes > 0 {
		what = append(what, human.Bytes(t.MemoryBytes))
	}
	if percent, known := t.CPUPercent.Get(); known {
		what = append(what, human.Percent(percent)+" cpu")
	}
	if idle, known := t.Idle.Get(); known && idle > 0 {
		what = append(what, "idle for "+human.Span(idle))
	}
	lines.say("what", strings.Join(slices.DeleteFunc(what, func(s string) bool { return s == "" }), ", "))
	lines.say("", v.origin(verdict))
	if t.How != "" {
		lines.say("", "recognised by "+sentence(t.How))
	}
	lines.say("", v.relations(t))
}

// origin is when, by whom and where it was started, and how many are alike.
func (v *view) origin(verdict *policy.Verdict) string {
	t := verdict.Target
	var text string
	if at := started(t, v.at); !at.IsZero() {
		text = fmt.Sprintf("started %s (%s ago)", human.Moment(v.local(at)), human.Span(v.at.Sub(at)))
	}
	if t.User != "" {
		text += " by " + human.Safe(t.User)
	}
	if where := place(t.Root); where != "" {
		text += " in " + where
	}
	if n := v.alike(verdict); n > 1 {
		text += "; group of " + human.Number(n)
	}
	return strings.TrimSpace(strings.TrimPrefix(text, "; "))
}

func (v *view) alike(verdict *policy.Verdict) int {
	key := v.grouping.key(verdict)
	return len(v.all.where(func(other *policy.Verdict) bool { return v.grouping.key(other) == key }))
}

// relations names its container, its client and what hangs below it.
func (v *view) relations(t *graph.Target) string {
	var parts []string
	if t.Client != "" {
		parts = append(parts, "its client is "+v.nameOf(t.Client))
	}
	if n := len(t.Containers); n > 0 {
		names := make([]string, 0, namedCopies)
		for _, id := range t.Containers[:min(n, namedCopies)] {
			names = append(names, v.nameOf(id))
		}
		parts = append(parts, human.Plural(n, "container")+" "+strings.Join(names, " "))
	}
	if n := len(t.Below); n > 0 {
		parts = append(parts, holdsText(t, n))
	}
	if n := len(t.Left); n > 0 {
		parts = append(parts, "stays when it ends: "+leftText(t.Left))
	}
	if t.Root != nil && t.Root.ContainerID != "" {
		parts = append(parts, "runs inside container "+v.nameOf(t.Root.ContainerID))
	}
	return strings.Join(parts, "; ")
}

func (v *view) whose(t *graph.Target) string {
	name := ownerText(t.Owner)
	switch {
	case t.Owner.Liveness == graph.LivenessLive && name != "":
		return name + ", which lives"
	case t.Owner.Liveness == graph.LivenessGone && name != "":
		text := name + ", gone"
		if !t.Owner.Since.IsZero() {
			text += " since " + human.Day(v.local(t.Owner.Since), v.local(v.at))
		}
		return text + ". Nobody alive owns it."
	case t.Owner.Kind == graph.OwnerService:
		return "service " + name
	case t.Owner.Liveness == graph.LivenessGone:
		return "nobody alive owns it"
	case t.InUse:
		return "unknown, but it has clients"
	}
	return "unknown"
}

// leftText names the processes below a tree that are no part of it.
func leftText(left []*inventory.Process) string {
	var names []string
	for _, p := range left[:min(len(left), namedCopies)] {
		names = append(names, fmt.Sprintf("%s %d", human.Safe(cmp.Or(p.Comm, "process")), p.PID))
	}
	if more := len(left) - len(names); more > 0 {
		names = append(names, human.Number(more)+" more")
	}
	return strings.Join(names, ", ")
}

// explainEvidence is a table of check, text and what it speaks for.
func (v *view) explainEvidence(s *screen, t *graph.Target) {
	const saysCells = 15
	room := max(s.width-aboutCells-saysCells-2, 16)
	texts := make([][]string, len(t.Evidence))
	widest := len("evidence")
	for i, e := range t.Evidence {
		texts[i] = wrapped(sentence(e.Text), room)
		for _, line := range texts[i] {
			widest = max(widest, ansi.StringWidth(line))
		}
	}
	if len(t.Evidence) == 0 {
		s.say("evidence   none")
		return
	}
	s.say(left("evidence", aboutCells+widest+2) + "speaks for")
	for i, e := range t.Evidence {
		s.say(left(string(e.Check), aboutCells) + left(texts[i][0], widest+2) + v.speaksFor(e))
		for _, more := range texts[i][1:] {
			s.say(strings.Repeat(" ", aboutCells) + more)
		}
	}
}

func (v *view) speaksFor(e graph.Evidence) string {
	switch {
	case e.Says == graph.SaysSilent || e.Says == "":
		return v.glyphs.none
	case e.Proof:
		return string(e.Says) + ", proof"
	}
	return string(e.Says)
}

// against is the evidence that speaks against the finding.
func against(t *graph.Target) string {
	if t.Finding != graph.FindingOrphaned && t.Finding != graph.FindingDisconnected {
		return ""
	}
	var checks []string
	for _, e := range t.Evidence {
		if e.Says == graph.SaysOwned && !slices.Contains(checks, string(e.Check)) {
			checks = append(checks, string(e.Check))
		}
	}
	if len(checks) == 0 {
		return "nothing"
	}
	return human.List(checks)
}

func guards(v *policy.Verdict) string {
	if len(v.Vetoes) == 0 {
		return "none applies"
	}
	texts := make([]string, len(v.Vetoes))
	for i, veto := range v.Vetoes {
		texts[i] = guardReason(veto).text
	}
	return strings.Join(texts, "; ")
}

func (v *view) explainRule(lines explanation, verdict *policy.Verdict) {
	lines.say("rule", v.ruleText(verdict))
	if verdict.Reason != "" && shelfOf(verdict) != noted {
		lines.say("", sentence(verdict.Reason))
	}
	if verdict.Decision == policy.Keep {
		v.explainKeep(lines, verdict)
		return
	}
	if needs := verdict.Needs; verdict.Decision == policy.Pending && needs > 0 && !v.in.Replay {
		lines.say("prove it", v.proving(needs))
	}
	lines.say("would do", deedText(verdict))
	if !v.in.Replay {
		lines.say("keep it", "reaperd pin "+handle(verdict.Target))
	}
}

// ruleText names the rule, where it stands, and for how long it wants the
// finding to hold and the finding has.
func (v *view) ruleText(verdict *policy.Verdict) string {
	t := verdict.Target
	if verdict.Rule == "" {
		return "none names it"
	}
	text := verdict.Rule
	text += ", " + verdict.RuleOrigin.String()
	if t.Finding == graph.FindingNone || verdict.With != "" {
		return text
	}
	text += "; "
	if verdict.For > 0 {
		text += "for: " + human.Exact(verdict.For) + ", "
	}
	text += "held " + human.Span(verdict.Held)
	if verdict.Held > t.Held {
		text += " by its age"
	}
	if t.Looks > 1 {
		text += ", agreed by " + human.Count(t.Looks, "look")
	}
	return text
}

// explainKeep says what would decide what is unclear, and what would let a
// rule act that only reports.
func (v *view) explainKeep(lines explanation, verdict *policy.Verdict) {
	t := verdict.Target
	switch {
	case onlyReported(verdict):
		lines.say("to act", "add to policies.yaml (extends: builtin): "+actingRule(verdict.Rule, t.Kind))
	case shelfOf(verdict) == noted && len(verdict.Vetoes) == 0:
		lines.say("decide it", decides(t))
	}
}

// decides is what would tell whose a target is.
func decides(t *graph.Target) string {
	if t.Kind == graph.KindContainer {
		return "start it with docker run -i and --cidfile, or label it reaperd.owner=PID:START; a rule with its label, image or name decides too"
	}
	return "start it with REAPERD_OWNER=PID:START:BOOT:PIDNS in its environment, or speak to it over a pipe; a daemon that sees its session end remembers whose it was; a rule that names it decides too"
}

// deedText is what would be done, step by step.
func deedText(v *policy.Verdict) string {
	t, grace := v.Target, human.Exact(v.Grace)
	if t.Kind == graph.KindContainer {
		text := "stop the container within " + grace
		if v.Action == policy.ActionRemove {
			text += ", then remove it"
		}
		return text + ", then look again"
	}
	who := strconv.Itoa(rootPID(t))
	if n := len(t.Members); n > 1 {
		who = human.Count(n, "process") + " " + pidsText(t.PIDs())
	}
	return fmt.Sprintf("SIGTERM to %s, SIGKILL after %s, then look again", who, grace)
}

func pidsText(pids []int) string {
	const most = 8
	words := make([]string, 0, most+1)
	for _, pid := range pids[:min(len(pids), most)] {
		words = append(words, strconv.Itoa(pid))
	}
	if len(pids) > most {
		words = append(words, fmt.Sprintf("+%d", len(pids)-most))
	}
	return strings.Join(words, " ")
}
