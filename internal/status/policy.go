package status

import (
	"cmp"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
)

// isRefused reports that a policy holds, and that a later one was refused.
func isRefused(p serve.PolicyState) bool { return p.SHA256 != "" && len(p.Faults) > 0 }

// mostFaults is how many faults of a policy are shown.
const mostFaults = 5

// policyLines tell which policy holds, and what is wrong with the one that was read last.
func policyLines(p serve.PolicyState, home human.Home) []line {
	n := len(p.Faults)
	holds := cmp.Or(home.Short(p.Source, ""), "one") + " sha256 " + p.SHA256[:min(12, len(p.SHA256))]
	var lines []line
	switch {
	case p.SHA256 == "" && n == 0:
		return []line{{"policy", "none yet"}}
	case p.SHA256 == "":
		lines = []line{{"policy", "none yet: what was read" + moment(" ", p.RefusedAt) + " is refused"}}
	case n == 0:
		return []line{{"policy", holds}}
	default:
		lines = []line{
			{"policy", holds + moment(", read ", p.ReadAt) + ", holds"},
			{"REFUSED", "what was read" + moment(" ", p.RefusedAt) + " has " + human.Count(n, "fault") + ": it is taken once it is mended"},
		}
	}
	for _, fault := range p.Faults[:min(n, mostFaults)] {
		lines = append(lines, line{"FAULT", home.Short(fault, "")})
	}
	if n > mostFaults {
		lines = append(lines, line{"FAULT", human.Number(n-mostFaults) + " more: " + policy.CheckCommand(p.RefusedFile)})
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
