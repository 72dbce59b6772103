package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
	said "github.com/reaperd/reaperd/internal/sentence"
)

// sentence redacts and escapes a text from outside.
func sentence(text string) string {
	return strings.TrimSuffix(strings.TrimSpace(human.Safe(redact.Text(text))), ".")
}

// reason is one reason: its text, and its general form, which is equal for reasons that
// differ only in a PID or a time.
type reason struct{ text, general string }

func reasonOf(said said.S) reason {
	return reason{sentence(said.String()), sentence(said.General())}
}

// keptBecause returns why a target was not touched: a guard, a protection, the policy, or
// missing proof.
func keptBecause(v *policy.Verdict) reason {
	if len(v.Vetoes) > 0 {
		return reasonOf(v.Vetoes[0].Sentence())
	}
	if v.Reason != "" {
		return reasonOf(v.Sentence())
	}
	switch {
	case onlyReported(v):
		return reasonOf(said.Of("rule %s only reports it", v.Rule))
	case v.Target.Finding != graph.FindingNone:
		return reasonOf(said.Of("no rule acts on it"))
	}
	return unclearBecause(v.Target)
}

// unclearBecause returns the first evidence that found nothing.
func unclearBecause(t *graph.Target) reason {
	for _, check := range []graph.Check{graph.CheckStdin, graph.CheckContainer, graph.CheckStdout, graph.CheckAncestor} {
		for _, e := range t.Evidence {
			if e.Check == check && e.Says == graph.SaysSilent {
				return reasonOf(said.Of("%v: nothing says whose", e.Sentence()))
			}
		}
	}
	return reasonOf(said.Of("nothing says whose"))
}

// onlyReported reports whether the rule that matched only reports.
func onlyReported(v *policy.Verdict) bool {
	return v.Decision == policy.Keep && v.Rule != "" && v.Action == policy.ActionReport && len(v.Vetoes) == 0
}

// causes is how many causes a group shows at most.
const causes = 3

// why returns the evidence against a group, each cause once.
func (vs verdicts) why(g glyphs) string {
	var said []string
	for _, e := range vs.first().Evidence {
		if !vs.first().Finding.IsShownBy(e.Check, e.Says) || len(said) == causes {
			continue
		}
		if text := vs.agreed(e, g); !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	switch owners := vs.owners(); {
	case len(said) > 0:
	case ignoresOwner(vs.first()) && len(owners) > 0:
		said = append(said, "the rule names it, though "+human.List(firstFew(owners))+" "+human.Verb(len(owners), "has", "have")+" it")
	default:
		said = append(said, policy.Meaning(vs.first().Finding))
	}
	text := strings.Join(said, "; ")
	switch len(vs) {
	case 1:
		return text
	case 2:
		return text + " (both)"
	}
	return text + fmt.Sprintf(" (all %s)", human.Number(len(vs)))
}

// owners are those of targets, each once.
func (vs verdicts) owners() (owners []string) {
	for _, v := range vs {
		if owner := ownerText(v.Target.Owner); owner != "" && !slices.Contains(owners, owner) {
			owners = append(owners, owner)
		}
	}
	return owners
}

// agreed returns the evidence of one check for a whole group: its text if that is equal
// for all, else its general form, else the general text of the check.
func (vs verdicts) agreed(e graph.Evidence, g glyphs) string {
	first := reasonOf(e.Sentence())
	same, alike := true, true
	for _, v := range vs {
		other, found := evidenceOf(v.Target, e.Check, e.Says)
		same = same && found && other.text == first.text
		alike = alike && found && other.general == first.general
	}
	switch {
	case same:
		return first.text
	case alike:
		return g.elided(first.general)
	}
	return checkText(e.Check)
}

func evidenceOf(t *graph.Target, check graph.Check, says graph.Says) (reason, bool) {
	for _, e := range t.Evidence {
		if e.Check == check && e.Says == says {
			return reasonOf(e.Sentence()), true
		}
	}
	return reason{}, false
}

// checkText describes the result of a check for several targets.
func checkText(check graph.Check) string {
	switch check {
	case graph.CheckAncestor:
		return "no session lives above them"
	case graph.CheckStdin:
		return "nobody holds the other end of their stdin"
	case graph.CheckStdout:
		return "nobody reads their stdout"
	case graph.CheckMemory:
		return "the sessions they were last seen with are gone"
	case graph.CheckDeclared:
		return "their declared owners are gone"
	case graph.CheckService:
		return "no service runs them"
	case graph.CheckClients:
		return "nobody is connected to them"
	case graph.CheckContainer:
		return "nobody is behind them any more"
	case graph.CheckZombies:
		return "their dead children are not waited for"
	}
	return "none of their processes does more than a trickle"
}

// remaining returns how long a pending verdict must still hold; zero if it has no date.
func remaining(v *policy.Verdict, now time.Time) time.Duration {
	if v.DueAt.IsZero() {
		return 0
	}
	return max(0, v.DueAt.Sub(now))
}
