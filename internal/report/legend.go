package report

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// columnLegend explains the columns of the wide table, but for its evidence.
const columnLegend = `DECISION: what the policy does with it; "pending" waits for proof, "with 12" goes with that. FINDING: what is wrong with it; "unclear" means that nothing proves whose it is. ` +
	`KIND, NAME: what it is. ID: the word for explain, pin and sweep. OWNER: "nobody" is no live owner, "unknown" that nothing proves one. ` +
	`UP: since it started. MEMORY, CPU: of its processes together, CPU of one core. COMMAND: of its first process, or a container's image.`

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

// evidenceLegend explains the evidence of the wide table, with the checks that it shows.
func (v *view) evidenceLegend() string {
	var shown []string
	for _, one := range checkLegend() {
		if slices.ContainsFunc(v.shown, func(verdict *policy.Verdict) bool { return speaks(verdict.Target, one.check) }) {
			shown = append(shown, string(one.check)+" ("+one.means+")")
		}
	}
	text := `EVIDENCE: the checks that speak for orphaned or owned; "!" marks a proof`
	if len(shown) > 0 {
		text += ": " + strings.Join(shown, ", ")
	}
	return text + "."
}

// speaks reports a check that speaks for or against an owner of a target.
func speaks(t *graph.Target, check graph.Check) bool {
	return slices.ContainsFunc(t.Evidence, func(e graph.Evidence) bool {
		return e.Check == check && (e.Says == graph.SaysOrphaned || e.Says == graph.SaysOwned)
	})
}
