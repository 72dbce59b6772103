package sweep

import (
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/report"
)

// Report is a view in the form for reports. Containers that are no MCP servers, and
// that no rule names, are left out.
func (v View) Report(p *policy.Policy) report.Input {
	in := report.Input{
		Graph: v.Graph, First: v.First,
		Policy: report.PolicyInfo{Source: p.Sources[0].Name, SHA256: p.Hash, Mode: string(p.Mode)},
	}
	for i := range v.Verdicts {
		if v.Verdicts[i].Reported() {
			in.Verdicts = append(in.Verdicts, v.Verdicts[i])
		}
	}
	return in
}

// ReportOutcomes are the outcomes of a plan in the form for reports.
func ReportOutcomes(plan policy.Plan, outcomes []reap.Outcome) []report.Outcome {
	acts := plan.ByID()
	told := make([]report.Outcome, 0, len(outcomes))
	for _, o := range outcomes {
		told = append(told, reported(o, acts[o.ActID].Verb))
	}
	return told
}

// ReportEnded are outcomes of the loop in the form for reports.
func ReportEnded(outcomes []Outcome) []report.Outcome {
	told := make([]report.Outcome, 0, len(outcomes))
	for _, o := range outcomes {
		told = append(told, reported(o.Outcome, o.Act.Verb))
	}
	return told
}

func reported(o reap.Outcome, verb policy.Action) report.Outcome {
	return report.Outcome{
		ID: o.ActID, Target: o.TargetID, Action: verb,
		Outcome: o.Result, Detail: o.Detail, FreedBytes: o.FreedBytes,
	}
}
