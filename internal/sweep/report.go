package sweep

import (
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/report"
)

// Report is a view in the form for reports. Containers that are no MCP servers, and
// that no rule names, are left out. So are sessions of which there is nothing to tell.
func (v View) Report(p *policy.Policy) report.Input {
	in := report.Input{
		Graph: v.Graph, First: v.First,
		Policy: p.Identity(), IdleFor: p.IdleOver(),
	}
	for i := range v.Verdicts {
		if verdict := &v.Verdicts[i]; verdict.Reported() || verdict.Ahead != nil || verdict.Bound != nil {
			in.Verdicts = append(in.Verdicts, *verdict)
		}
	}
	return in
}

// OutcomesOf are the outcomes of a plan, with what the acts were about.
func OutcomesOf(plan policy.Plan, outcomes []reap.Outcome) []policy.Outcome {
	acts := plan.ByID()
	told := make([]policy.Outcome, 0, len(outcomes))
	for _, o := range outcomes {
		told = append(told, outcomeOf(acts[o.ActID], o))
	}
	return told
}

// Told are the outcomes of the acts that were over since the round before.
func (r Round) Told() []policy.Outcome {
	told := make([]policy.Outcome, 0, len(r.Outcomes))
	for _, o := range r.Outcomes {
		one := outcomeOf(o.Act, o.Outcome)
		one.At = o.At
		told = append(told, one)
	}
	return told
}

func outcomeOf(act policy.Act, o reap.Outcome) policy.Outcome {
	told := policy.Outcome{
		ID: o.ActID, Target: o.TargetID, Name: act.Name, Kind: act.Kind, Owner: act.Owner.Named().String(), Rule: act.Rule, Action: act.Verb, ByHand: act.ByHand,
		Finding: act.Finding, FindingSince: act.FindingSince, OwnerGoneSince: act.OwnerGoneSince,
		Result: o.Result, Detail: o.Detail, FreedBytes: o.FreedBytes,
	}
	if act.Root != nil {
		told.Cwd = act.Root.Cwd
	}
	if act.Container != nil {
		told.Container = act.Container.Called()
	}
	return told
}
