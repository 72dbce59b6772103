package sweep

import "github.com/reaperd/reaperd/internal/policy"

// Told are the outcomes of the acts that were over since the round before.
func (r Round) Told() []policy.Outcome {
	told := make([]policy.Outcome, 0, len(r.Outcomes))
	for _, o := range r.Outcomes {
		told = append(told, o.Told())
	}
	return told
}

// Told is an outcome with what its act was about.
func (o Outcome) Told() policy.Outcome {
	act := o.Act
	told := policy.Outcome{
		ID: o.ActID, Target: o.TargetID, Name: act.Name, Kind: act.Kind, Owner: act.Owner.Named().String(), Rule: act.Rule, Action: act.Verb,
		ByHand: act.ByHand, By: act.By, User: act.User, Finding: act.Finding, FindingSince: act.FindingSince, OwnerGoneSince: act.OwnerGoneSince,
		Result: o.Result, Detail: o.Detail, FreedBytes: o.FreedBytes, At: o.At,
	}
	if act.Root != nil {
		told.Cwd = act.Root.Cwd
	}
	if act.Container != nil {
		told.Container = act.Container.Called()
	}
	return told
}
