package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// noTargetError means that no target has that id.
type noTargetError struct{ ID string }

func (e noTargetError) Error() string { return fmt.Sprintf("target %s: not in this report", e.ID) }

// Explain writes every line of evidence about one target or session, for and against, the
// guards, and the rule that decided.
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
	return noTargetError{ID: id}
}

// mostCommandLines limits the lines of a command line, which may contain a whole script.
const mostCommandLines = 3

// ExplainJSON returns the explanation for programs: the target as in [JSON], and how long
// its finding has held.
func ExplainJSON(in Input, id string) ([]byte, error) {
	in.Names = nil
	v := newView(in, Options{}, would())
	if verdict, ok := v.verdict(id); ok && !isQuiet(verdict) {
		return encode(v.explained(verdict))
	}
	sessions := v.sessions()
	for i := range sessions {
		if session := &sessions[i]; session.Process != nil && session.Process.ID().String() == id {
			return encode(explainedSession{explainedHead: v.explainedHead(nil), Session: v.sessionJSON(session), Holds: v.heldBy(session.Process)})
		}
	}
	return nil, noTargetError{ID: id}
}

type explainedHead struct {
	Version  int        `json:"version"`
	TakenAt  time.Time  `json:"taken_at"`
	Complete bool       `json:"complete"`
	Mode     string     `json:"mode,omitempty"`
	Policy   policyJSON `json:"policy"`
	Notes    []string   `json:"notes,omitempty"`
}

type explainedSession struct {
	explainedHead
	Session sessionJSON  `json:"session"`
	Holds   []targetJSON `json:"holds"` // its servers and containers, also through gateways
}

type explainedTarget struct {
	explainedHead
	Target       targetJSON   `json:"target"`
	Holds        []targetJSON `json:"holds,omitempty"` // of a session, as in explainedSession
	RuleOrigin   string       `json:"rule_origin,omitempty"`
	ForSeconds   *float64     `json:"for_seconds,omitempty"`
	GraceSeconds *float64     `json:"grace_seconds,omitempty"`
	HeldSeconds  *float64     `json:"held_seconds,omitempty"`
	Looks        int          `json:"looks,omitempty"`
}

// heldBy are the targets that a session holds.
func (v *view) heldBy(session *inventory.Process) []targetJSON {
	holds := []targetJSON{}
	if session == nil {
		return holds
	}
	for _, held := range v.held[session.ID()] {
		if verdict, found := v.verdict(held.ID); found {
			holds = append(holds, v.target(verdict))
		}
	}
	return holds
}

func (v *view) explainedHead(about verdicts) explainedHead {
	in := v.in
	return explainedHead{
		Version: Version, TakenAt: takenAt(in), Complete: in.Complete(), Mode: string(in.Policy.Mode),
		Policy: policyJSON{Source: in.Policy.Source, SHA256: in.Policy.SHA256}, Notes: v.notesJSON(about),
	}
}

func (v *view) explained(verdict *policy.Verdict) explainedTarget {
	out := explainedTarget{explainedHead: v.explainedHead(verdicts{verdict}), Target: v.target(verdict), Looks: verdict.Target.Looks}
	if verdict.Target.Kind == graph.KindSession {
		out.Holds = v.heldBy(verdict.Target.Root)
	}
	if verdict.Rule != "" {
		out.RuleOrigin = verdict.RuleOrigin.String()
	}
	if verdict.Rule != "" && !verdict.UnderWay {
		out.ForSeconds, out.GraceSeconds = rounded(verdict.For.Seconds()), rounded(verdict.Grace.Seconds())
	}
	switch held, counts := v.grouping.daemonsHeld(verdict); {
	case verdict.UnderWay: // what is not known of the act is zero
		out.ForSeconds, out.GraceSeconds, out.HeldSeconds = known(verdict.For), known(verdict.Grace), known(verdict.Held)
	case counts:
		out.HeldSeconds = rounded(held.Seconds())
	case verdict.Rule != "":
		out.HeldSeconds = rounded(verdict.Held.Seconds())
	case verdict.Target.Finding != graph.FindingNone:
		out.HeldSeconds = rounded(verdict.Target.Held.Seconds())
	}
	return out
}

// known is a time in seconds; nil if it is zero.
func known(d time.Duration) *float64 {
	if d == 0 {
		return nil
	}
	return rounded(d.Seconds())
}

func (v *view) verdict(id string) (*policy.Verdict, bool) {
	for i := range v.in.Verdicts {
		if v.in.Verdicts[i].Target.ID == id {
			return &v.in.Verdicts[i], true
		}
	}
	return nil, false
}

// explanation writes lines with a heading in their first column.
type explanation struct{ screen *screen }

// aboutCells is the width of the first column.
const aboutCells = 11

func (e explanation) say(about, text string) {
	if text != "" {
		e.screen.wrap(human.Left(about, aboutCells), text)
	}
}

func (v *view) explain(s *screen, verdict *policy.Verdict) {
	lines := explanation{screen: s}
	s.wrap("", v.judgement(verdict)+v.pinnedText(verdict)+v.sparesHolder(verdict.Target)+v.elsewhereText(verdict.Target))
	s.gap()
	v.explainWhat(lines, verdict)
	if verdict.Target.Kind != graph.KindSession {
		lines.say("whose", v.whose(verdict.Target))
	}
	v.explainIdle(lines, v.session(verdict.Target))
	s.gap()
	v.explainEvidence(s, verdict.Target)
	lines.say("against", against(verdict.Target))
	if shelfOf(verdict) != leaving || verdict.Imminent { // else no pin keeps it any more
		lines.say("guards", v.guards(verdict))
		lines.say("unpin", v.unpin(verdict))
	}
	s.gap()
	v.explainRule(lines, verdict)
	v.explainNotes(s, verdicts{verdict})
}

// explainNotes writes the remarks about everything, and about what is explained.
func (v *view) explainNotes(s *screen, about verdicts) {
	if len(v.notes(about)) > 0 {
		s.gap()
	}
	v.sayNotes(s, about)
}

func called(t *graph.Target) string {
	if t.Kind == graph.KindContainer {
		return nameOf(t) + " (container " + handle(t) + ")"
	}
	return nameOf(t) + " " + handle(t)
}

// isText describes a finding as a predicate.
func isText(t *graph.Target) string {
	switch t.Finding {
	case graph.FindingZombies:
		return "is failing: " + human.Count(t.Zombies, "zombie")
	case graph.FindingRespawning:
		return "is failing: it started " + human.Count(t.Respawns, "server") + " again after they were reaped"
	case graph.FindingDuplicate:
		if t.Generation > 1 {
			return finding.Is(string(t.Finding)) + ": its owner has " + human.Count(t.Generation-1, "newer one")
		}
	case graph.FindingExited:
		return finding.Is(string(t.Finding)) + " and was left behind"
	case graph.FindingNone:
		return "is named by a rule that ignores who owns it"
	}
	return finding.Is(string(t.Finding))
}

func (v *view) nameOf(id string) string {
	if verdict, ok := v.verdict(id); ok {
		return handle(verdict.Target)
	}
	if v.in.Graph != nil {
		if t, found := v.in.Graph.Target(id); found {
			return handle(t)
		}
	}
	return human.Handle(id)
}

// explainEvidence writes a table of checks, with what each found and speaks for.
func (v *view) explainEvidence(s *screen, t *graph.Target) {
	const saysCells, leastText = 15, 24
	if s.width < aboutCells+leastText+2+saysCells {
		v.explainEvidenceNarrow(s, t)
		return
	}
	room := s.width - aboutCells - saysCells - 2
	texts := make([][]string, len(t.Evidence))
	widest := len("evidence")
	for i, e := range t.Evidence {
		texts[i] = wrapped(sentence(e.Text), room)
		for _, line := range texts[i] {
			widest = max(widest, human.Width(line))
		}
	}
	if len(t.Evidence) == 0 {
		s.say("evidence   none")
		return
	}
	s.say(human.Left("evidence", aboutCells+widest+2) + "speaks for")
	for i, e := range t.Evidence {
		s.say(human.Left(string(e.Check), aboutCells) + human.Left(texts[i][0], widest+2) + v.speaksFor(e))
		for _, more := range texts[i][1:] {
			s.say(strings.Repeat(" ", aboutCells) + more)
		}
	}
}

// explainEvidenceNarrow writes what a check speaks for behind its text.
func (v *view) explainEvidenceNarrow(s *screen, t *graph.Target) {
	lines := explanation{screen: s}
	s.say("evidence")
	for _, e := range t.Evidence {
		text := sentence(e.Text)
		if e.Says != graph.SaysSilent {
			text += " (" + v.speaksFor(e) + ")"
		}
		lines.say(string(e.Check), text)
	}
}

func (v *view) speaksFor(e graph.Evidence) string {
	switch {
	case e.Says == graph.SaysSilent:
		return v.glyphs.none
	case e.Proof:
		return string(e.Says) + ", proof"
	}
	return string(e.Says)
}

// against names the checks that speak for an owner, if the finding says that there is none.
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
