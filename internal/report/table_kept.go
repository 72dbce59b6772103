package report

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// notTouched shows kept targets worth reading about, with the reason.
func (v *view) notTouched(s *screen) {
	vs := v.alone(noted).where(func(verdict *policy.Verdict) bool { return !v.resting[verdict.Target.ID] && !v.isUnclearAbove(verdict) })
	upToRoots := vs.where(v.isUpToRoots)
	v.notedSection(s, "NOT TOUCHED, worth a look", vs.where(func(verdict *policy.Verdict) bool { return !v.isUpToRoots(verdict) }))
	v.notedSection(s, "UP TO ROOT'S DAEMON, which sees more", upToRoots)
}

func (v *view) notedSection(s *screen, heading string, vs verdicts) {
	if len(vs) == 0 {
		return
	}
	s.gap()
	s.section(plain, heading)
	for _, c := range v.captionsLast(v.causes(vs)) {
		v.notedCause(s, c)
	}
}

// captionsLast puts the causes behind the others that have a caption of their own: nothing
// else then stands below it.
func (v *view) captionsLast(all []cause) []cause {
	var plain, captioned []cause
	for _, c := range all {
		if v.generations(c) == "" {
			plain = append(plain, c)
		} else {
			captioned = append(captioned, c)
		}
	}
	return append(plain, captioned...)
}

// notedCause shows kept groups, each with its reason. For a rule that only reports, it
// shows once how to make the rule act.
func (v *view) notedCause(s *screen, c cause) {
	if lead := v.generations(c); lead != "" {
		s.wrap("", lead)
	}
	reported := onlyReported(c.groups[0].verdicts[0])
	for _, g := range c.groups {
		v.notedRow(s, g, reported)
	}
	if reported {
		why := c.verdicts().why(v.glyphs)
		s.wrap("   why: ", why)
		v.leftByOne(s, c.verdicts(), why)
		v.howToAct(s, c.verdicts()[0])
	}
}

// howToAct says what makes a rule act that only reports, or why nothing would.
func (v *view) howToAct(s *screen, verdict *policy.Verdict) {
	if anyhow := keptAnyhow(verdict); anyhow != "" {
		s.wrap("   ", "rule "+verdict.Rule+" only reports; one that acts would leave it alone too: "+anyhow)
		return
	}
	change := v.wayToAct(verdict.Rule, verdict.RuleOrigin, "action: "+string(policy.ActionOn(verdict.Target.Kind)))
	s.wrap("   ", "rule "+verdict.Rule+" only reports; to act, "+change.Where+":")
	s.wrap("      ", change.Line)
}

// keptAnyhow is why guards keep a target whatever the policy says; empty if none does.
func keptAnyhow(verdict *policy.Verdict) string {
	var texts []string
	for _, veto := range vetoesOn(verdict) {
		texts = append(texts, veto.Text)
	}
	return strings.Join(texts, "; ")
}

// vetoesOn are the guards of a target, and what else it is bound to.
func vetoesOn(verdict *policy.Verdict) []graph.Veto {
	if verdict.Bound == nil {
		return verdict.Target.Vetoes
	}
	return append(slices.Clone(verdict.Target.Vetoes), *verdict.Bound)
}

func (v *view) wayToAct(rule string, at policy.Origin, change string) policy.Change {
	return policy.ChangeOf(rule, at, change, v.in.Policy, v.options.Home)
}

func (v *view) notedRow(s *screen, g group, reported bool) {
	if reported {
		s.row(v.groupRow(g))
		return
	}
	reason, r := v.groupKeptBecause(g.verdicts), v.groupRow(g)
	if users := v.ofOthers(g.verdicts); users != "" && v.isUpToRoots(g.verdicts[0]) {
		r.head += "  " + users
	}
	s.reasoned(r, reason)
	v.leftByOne(s, g.verdicts, reason)
	if isUnproven(g.verdicts[0]) {
		s.wrap("   ", strings.TrimPrefix(v.whoSeesMore(g.first()), "; "))
	}
}

// isUnproven reports a target that is kept because somebody may use it, or something below it, who cannot be seen.
func isUnproven(verdict *policy.Verdict) bool {
	return slices.ContainsFunc(verdict.Vetoes, func(veto graph.Veto) bool { return veto.Guard == graph.GuardUnproven })
}

// reasoned writes the reason beside the name if it fits, else below.
func (s *screen) reasoned(r row, reason string) {
	if w := human.Width(reason); w <= detailCells && human.Width(r.head)+2+w <= s.width-s.shownColumns().width() {
		r.detail = words(reason)
		s.row(r)
		return
	}
	s.row(r)
	s.wrap("   why: ", reason)
}

// groupKeptBecause returns the reason of a group, in general form if it differs within the
// group.
func (v *view) groupKeptBecause(vs verdicts) string {
	because := v.keptBecause(vs[0])
	reason := because.text
	if !allEqual(vs, func(verdict *policy.Verdict) string { return v.keptBecause(verdict).text }) {
		reason = v.glyphs.elided(because.general)
	}
	if f := vs.first().Finding; f != graph.FindingNone && (len(vs[0].Vetoes) > 0 || vs[0].Protected != nil) {
		reason = finding.Word(string(f)) + ", but " + reason
	}
	return reason + v.inOwnSweeps(vs[0])
}
