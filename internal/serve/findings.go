package serve

import (
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// showFindings counts what is wrong, and what a rule is to end all the same.
func (m *Metrics) showFindings(reported []*policy.Verdict, who clients, isEnded func(target string) bool) {
	m.series.findings.reset()
	for _, v := range reported {
		isNone := v.Target.Finding == graph.FindingNone
		if (isNone && !goes(v) || v.Rests()) && !isEnded(v.Target.ID) || isNone && v.Decision == policy.Keep {
			continue
		}
		kind, finding, client := string(v.Target.Kind), v.Target.Finding.String(), who.of(v.Target)
		for _, decision := range decisions() { // so that each is seen to rise from 0
			m.series.findings.show(kind, finding, client, decision)
		}
		m.series.findings.add(1, kind, finding, client, v.Decision.String())
	}
}

// goes reports a target that is to be ended, now or later, or that ends with its container.
func goes(v *policy.Verdict) bool { return v.Decision != policy.Keep || v.EndsWith != "" }
