package history

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
)

// reason is why an act was decided. Consecutive acts with the same reason are
// grouped, whenever each finding began.
type reason struct {
	rule, finding, owner string
	since, ownerGone     time.Time
	goneSince            time.Time // when the owner went, if well before the finding was seen: an earlier daemon saw it
	waited               string    // how the time that the rule wants was waited for; empty: it was
	proofs               []string
	byHand               string // the command by which a person asked for it
	with                 string // what it was reaped with; then nothing else is the reason
}

func reasonOf(a *Act) reason {
	if a.With != "" {
		return reason{rule: human.Safe(a.Rule), byHand: human.Safe(a.ByHand), with: human.Safe(journal.Called(a.With))}
	}
	r := reason{
		rule: human.Safe(a.Rule), byHand: human.Safe(a.ByHand), finding: human.Safe(a.Finding), owner: human.Safe(journal.Called(a.Owner)),
		since: a.FindingSince, ownerGone: a.OwnerGoneSince, waited: a.waited(),
	}
	if !r.ownerGone.IsZero() && r.since.Sub(r.ownerGone) >= time.Second {
		r.goneSince = r.ownerGone
	}
	r.proofs = a.texts(func(e journal.Evidence) bool { return e.Proof && a.isCause(e) })
	if len(r.proofs) == 0 {
		r.proofs = a.texts(a.isCause)
	}
	return r
}

// waited says how a sweep by hand shortened the time that the rule wants: it counted the
// age of the target, or was told not to wait. Empty: the finding was watched for that long.
func (a *Act) waited() string {
	wants := human.Exact(time.Duration(a.ForSeconds * float64(time.Second)))
	switch {
	case a.HeldSeconds < a.ForSeconds:
		return "a sweep by hand did not wait for the " + wants + " of the rule"
	case a.HeldByAge:
		return "a sweep by hand counted its age for the " + wants + " of the rule"
	}
	return ""
}

// texts are the texts of the chosen evidence.
func (a *Act) texts(chosen func(journal.Evidence) bool) []string {
	var texts []string
	for _, e := range a.Evidence {
		if chosen(e) {
			texts = append(texts, human.Safe(e.Text))
		}
	}
	return texts
}

// isCause reports whether a piece of evidence is a cause of what was found, and so of the
// act. That a session holds a target is none, if it was reaped as a duplicate or as
// disconnected. Where a rule ignores who owns its targets, every proof is told.
func (a *Act) isCause(e journal.Evidence) bool {
	if finding := graph.ParseFinding(a.Finding); finding != graph.FindingNone {
		return finding.IsShownBy(graph.Check(e.Check), says(e))
	}
	return e.Proof || says(e) == graph.SaysOrphaned
}

// says is what a piece of evidence speaks for. The journal spells the zero value.
func says(e journal.Evidence) graph.Says {
	if e.Says == graph.SaysSilent.String() {
		return graph.SaysSilent
	}
	return graph.Says(e.Says)
}

func (r reason) same(other reason) bool {
	return r.rule == other.rule && r.byHand == other.byHand && r.with == other.with && r.finding == other.finding && r.owner == other.owner && r.waited == other.waited && slices.Equal(r.proofs, other.proofs)
}

// text says who asked for it, what was found, since when, the owner, and the proof.
func (r reason) text() string {
	var parts []string
	if r.byHand != "" {
		parts = append(parts, done.ByHand(r.byHand))
	}
	if r.with != "" {
		return strings.Join(append(parts, "goes with "+r.with), "; ")
	}
	switch {
	case r.finding == graph.FindingNone.String():
		parts = append(parts, "named by its rule, which ignores who owns it")
	case r.finding != "":
		parts = append(parts, r.found())
	}
	if r.waited != "" {
		parts = append(parts, r.waited)
	}
	if r.owner != "" {
		parts = append(parts, ownershipOf(r.finding, r.ownerGone)+" "+r.owner+r.gone())
	}
	return strings.Join(append(parts, r.proofs...), "; ")
}

// ownershipOf is "owner", or "left by" for one that lives no more: what is orphaned has none.
func ownershipOf(finding string, gone time.Time) string {
	if graph.ParseFinding(finding) == graph.FindingOrphaned || !gone.IsZero() {
		return "left by"
	}
	return "owner"
}

// found tells the finding, and when it was first seen: it may be much older than the first look.
func (r reason) found() string {
	if r.since.IsZero() {
		return finding.As(r.finding)
	}
	return finding.Since(r.finding, human.Moment(r.since.Local()))
}

// shared is the reason of several acts, with the times that are the same for all of them.
func shared(why []reason) reason {
	all := why[0]
	for _, r := range why[1:] {
		if !isSameSecond(r.since, all.since) {
			all.since = time.Time{}
		}
		if !isSameSecond(r.goneSince, all.goneSince) {
			all.goneSince = time.Time{}
		}
	}
	return all
}

func isSameSecond(a, b time.Time) bool {
	return a.Truncate(time.Second).Equal(b.Truncate(time.Second))
}

// untimed is the reason without its times.
func (r reason) untimed() reason {
	r.since, r.goneSince = time.Time{}, time.Time{}
	return r
}

// timesUnlike tells the times that the reason above an act leaves out: "first seen 2026-11-20 12:00:00".
func (r reason) timesUnlike(above reason) string {
	var times []string
	if above.since.IsZero() && !r.since.IsZero() {
		times = append(times, strings.TrimPrefix(r.found(), finding.As(r.finding)+", "))
	}
	if above.goneSince.IsZero() && !r.goneSince.IsZero() {
		times = append(times, "owner"+strings.TrimPrefix(r.gone(), ","))
	}
	return strings.Join(times, "; ")
}

// gone tells since when the owner is gone.
func (r reason) gone() string {
	if r.goneSince.IsZero() {
		return ""
	}
	return ", gone since " + human.Moment(r.goneSince.Local())
}
