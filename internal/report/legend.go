package report

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// What the columns of the wide table mean.
const (
	judgedLegend = `DECISION: what the policy does with it; "pending" waits for proof, "with 12" goes with that. FINDING: what is wrong with it; "unclear" means that nothing proves whose it is.`
	idLegend     = `ID: the word for explain, pin and sweep.`
	ownerLegend  = `"nobody" is no live owner, "unknown" that nothing proves one`
	usesLegend   = `UP: since it started. MEMORY, CPU: of its processes together, CPU of one core. COMMAND: of its first process, or a container's image.`
	checksLegend = `the checks that speak for orphaned or owned; "!" marks a proof`
)

// columnLegend explains the headings of the wide table where each column has one.
func (v *view) columnLegend() []string {
	return []string{
		judgedLegend + " KIND, NAME: what it is. " + idLegend + " OWNER: " + ownerLegend + ". " + usesLegend,
		"EVIDENCE: " + checksLegend + v.checksShown() + ".",
	}
}

// stackedLegend explains the headings of the wide table where most of a row is on lines of its own, and then
// those lines. The owner may be among them.
func (v *view) stackedLegend(ownerIsBelow bool) []string {
	heads, below := judgedLegend+" NAME: what it is. "+idLegend, "Below each row: its kind; "
	if ownerIsBelow {
		below += "its owner, " + ownerLegend + "; "
	} else {
		heads += " OWNER: " + ownerLegend + "."
	}
	below += "for how long it is up; the memory of its processes together, and their share of one core; " +
		"the command of its first process, or a container's image; " + checksLegend
	return []string{heads, below + v.checksShown() + "."}
}

// checkLegend is what each check of the wide table looks at, in the order of the checks.
func checkLegend() []struct {
	check graph.Check
	means string
} {
	return []struct {
		check graph.Check
		means string
	}{
		{graph.CheckAncestor, "what runs above it"},
		{graph.CheckStdin, "who holds the other end"},
		{graph.CheckStdout, "who reads it"},
		{graph.CheckMemory, "whose it was when last seen"},
		{graph.CheckDeclared, "whom its environment or its labels name"},
		{graph.CheckService, "which service runs it"},
		{graph.CheckClients, "who is connected to it"},
		{graph.CheckContainer, "whose docker run it is, and who holds its stdin"},
		{graph.CheckZombies, "dead children that it leaves"},
		{graph.CheckActivity, "what it does"},
	}
}

// checksShown explains the checks that the wide table shows: ": stdin (who holds the other end)".
func (v *view) checksShown() string {
	var shown []string
	for _, one := range checkLegend() {
		if slices.ContainsFunc(v.shown, func(verdict *policy.Verdict) bool { return speaks(verdict.Target, one.check) }) {
			shown = append(shown, string(one.check)+" ("+one.means+")")
		}
	}
	if len(shown) == 0 {
		return ""
	}
	return ": " + strings.Join(shown, ", ")
}

// speaks reports a check that speaks for or against an owner of a target.
func speaks(t *graph.Target, check graph.Check) bool {
	return slices.ContainsFunc(t.Evidence, func(e graph.Evidence) bool {
		return e.Check == check && (e.Says == graph.SaysOrphaned || e.Says == graph.SaysOwned)
	})
}
