package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
)

// mask puts with in the place of each number, so that reasons that differ in a
// PID or a time alone are one.
func mask(text, with string) string {
	var b strings.Builder
	inside := false
	for _, r := range text {
		digit := r >= '0' && r <= '9' || inside && r >= 'a' && r <= 'f'
		if digit && !inside {
			b.WriteString(with)
		}
		if !digit {
			b.WriteRune(r)
		}
		inside = digit
	}
	return b.String()
}

// sentence is text from outside, fit to be shown.
func sentence(text string) string {
	return strings.TrimSuffix(strings.TrimSpace(human.Safe(redact.Text(text))), ".")
}

// keptBecause is why a target was not touched: a guard, a protection, what the
// policy says, or that nothing proves anything.
func keptBecause(v *policy.Verdict) string {
	if len(v.Vetoes) > 0 {
		return guardText(v.Vetoes[0])
	}
	if v.Reason != "" {
		return sentence(v.Reason)
	}
	switch {
	case onlyReported(v):
		return "rule " + v.Rule + " only reports it"
	case v.Target.Finding != graph.FindingNone:
		return "no rule acts on it"
	}
	return unclearBecause(v.Target)
}

// guardText names a guard, unless its own words do.
func guardText(veto graph.Veto) string {
	text := sentence(veto.Text)
	switch {
	case text == "":
		return string(veto.Guard)
	case strings.Contains(strings.ToLower(text), strings.ToLower(string(veto.Guard))):
		return text
	}
	return string(veto.Guard) + ": " + text
}

// unclearBecause is the first evidence that was looked for and said nothing.
func unclearBecause(t *graph.Target) string {
	for _, check := range []graph.Check{graph.CheckStdin, graph.CheckContainer, graph.CheckStdout, graph.CheckAncestor} {
		for _, e := range t.Evidence {
			if e.Check == check && e.Says == graph.SaysSilent {
				return sentence(e.Text) + ": nothing says whose"
			}
		}
	}
	return "nothing says whose"
}

// onlyReported reports whether a rule matched that does not act.
func onlyReported(v *policy.Verdict) bool {
	return v.Decision == policy.Keep && v.Rule != "" && v.Action == policy.ActionReport && len(v.Vetoes) == 0
}

// causes are the most that are said of a group.
const causes = 3

// why is what speaks against a group, each cause once.
func (vs verdicts) why(g glyphs) string {
	var said []string
	for _, e := range vs.first().Evidence {
		if !accuses(e, vs.first()) || len(said) == causes {
			continue
		}
		if text := vs.agreed(e, g); !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		said = append(said, vs.first().Finding.Meaning())
	}
	text := strings.Join(said, "; ")
	if len(vs) > 1 {
		text += fmt.Sprintf(" (all %s)", human.Number(len(vs)))
	}
	return text
}

// accuses reports whether a line of evidence is a cause of its target's finding.
func accuses(e graph.Evidence, t *graph.Target) bool {
	switch t.Finding {
	case graph.FindingZombies, graph.FindingRespawning:
		return e.Check == graph.CheckZombies
	case graph.FindingDuplicate, graph.FindingIdle:
		return e.Check == graph.CheckActivity
	}
	return e.Says == graph.SaysOrphaned
}

// agreed is what the whole group's evidence of one check says: the text where
// all agree, without its numbers where only these differ, else its general form.
func (vs verdicts) agreed(e graph.Evidence, g glyphs) string {
	text := sentence(e.Text)
	same, samePeople, alike := true, true, true
	for _, v := range vs {
		other, found := evidenceOf(v.Target, e.Check, e.Says)
		same = same && found && other == text
		samePeople = samePeople && found && withoutPIDs(other, v.Target) == withoutPIDs(text, vs.first())
		alike = alike && found && mask(other, "") == mask(text, "")
	}
	switch {
	case same:
		return text
	case samePeople:
		return withoutPIDs(text, vs.first())
	case alike:
		return mask(text, g.ellipsis)
	}
	return checkText(e.Check)
}

// withoutPIDs leaves out the PIDs of the target and of its owner.
func withoutPIDs(text string, t *graph.Target) string {
	parts := strings.Fields(text)
	return strings.Join(slices.DeleteFunc(parts, func(word string) bool {
		pid, err := strconv.Atoi(strings.Trim(word, "(),;:"))
		return err == nil && pid != 0 && (pid == t.Owner.ID.PID || pid == rootPID(t))
	}), " ")
}

func evidenceOf(t *graph.Target, check graph.Check, says graph.Says) (string, bool) {
	for _, e := range t.Evidence {
		if e.Check == check && e.Says == says {
			return sentence(e.Text), true
		}
	}
	return "", false
}

// checkText is what a check found against several targets, in general.
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
		return "no client is left that they could belong to"
	case graph.CheckZombies:
		return "their dead children are not waited for"
	}
	return "they do nothing"
}

// remaining is how long a pending verdict still has to hold; zero where no
// date is set.
func remaining(v *policy.Verdict, now time.Time) time.Duration {
	if v.DueAt.IsZero() {
		return 0
	}
	return max(0, v.DueAt.Sub(now))
}
