package status

import (
	"cmp"
	"fmt"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/serve"
)

// refused says that the policy read last has faults, and the one before it holds.
const refused = "a policy is refused"

// isRefused reports that a policy holds, and that a later one was refused.
func isRefused(p serve.PolicyState) bool { return p.SHA256 != "" && len(p.Faults) > 0 }

// mostFaults is how many faults of a policy are shown.
const mostFaults = 5

// policyLines tell which policy holds, and what is wrong with the one that was read last.
func policyLines(p serve.PolicyState, home human.Home) []line {
	holds := "none yet"
	if p.SHA256 != "" {
		holds = cmp.Or(home.Short(p.Source, ""), "one") + " sha256 " + p.SHA256[:min(12, len(p.SHA256))]
	}
	n := len(p.Faults)
	if n == 0 {
		return []line{{"policy", holds}}
	}
	then := "nothing is acted on until it is mended"
	if isRefused(p) {
		holds += moment(", read ", p.ReadAt) + ", holds"
		then = "it is taken once it is mended"
	}
	lines := []line{{"policy", holds}, {"REFUSED", fmt.Sprintf("what was read%s has %s: %s", moment(" ", p.RefusedAt), human.Count(n, "fault"), then)}}
	for _, fault := range p.Faults[:min(n, mostFaults)] {
		lines = append(lines, line{"FAULT", home.Short(fault, "")})
	}
	if n > mostFaults {
		lines = append(lines, line{"FAULT", human.Number(n-mostFaults) + " more: reaperd policy check"})
	}
	return lines
}

// moment is a time behind lead; empty if it is not known.
func moment(lead string, at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return lead + human.Moment(at.Local())
}
