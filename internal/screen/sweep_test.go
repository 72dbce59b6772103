package screen

import (
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
)

// sweep is what a sweep of the scene would do, what came of it, and what the journal has of it then.
func (s *scene) sweep() (*account.Plan, *account.Result, *account.History) {
	now, _ := s.policy.Switched(policy.Switches{Duplicates: s.order.Duplicates, IdleOver: s.order.IdleOver})
	all := policy.Judge(s.look.Graph, now, policy.JudgeOptions{OneShot: true, Looks: 2, UnderWay: s.begunActs})
	look := s.look
	look.Verdicts = all
	a := account.Of(look)
	if s.reader >= 0 {
		a = a.For(account.Reader{UID: s.reader})
	}
	verdicts := all
	if len(s.order.Words) > 0 {
		meant := map[string]bool{}
		for _, word := range s.order.Words {
			for _, id := range a.Meant(word) {
				meant[id] = true
			}
		}
		verdicts = policy.Select(verdicts, func(t *graph.Target) bool { return meant[t.ID] })
	}
	if s.reader > 0 {
		verdicts = policy.Select(verdicts, func(t *graph.Target) bool { return a.ByID()[t.ID] != nil })
	}
	acts := policy.MakePlan(verdicts, s.policy, s.look.Graph.Snapshot.Moment()).Acts
	plan := account.PlanOf(a, verdicts, acts, s.order)
	plan.ID = "p1"
	var outcomes []policy.Outcome
	var entries []journal.Entry
	for i := range acts {
		o := s.outcome(&acts[i])
		outcomes = append(outcomes, o)
		entries = append(entries, s.entry(&acts[i], o))
	}
	result := account.ResultOf(plan, outcomes)
	result.Took = 1100 * time.Millisecond
	return plan, result, account.HistoryOf(append(s.entries, entries...), account.Period{Now: s.last()}, "/home/dev")
}

// outcome is what an act comes to: as the scene says, else the target exits.
func (s *scene) outcome(act *policy.Act) policy.Outcome {
	pid, _, _ := strings.Cut(act.TargetID, ":")
	result, detail, _ := strings.Cut(s.results[pid], " ")
	o := policy.Outcome{
		ID: act.ID, Target: act.TargetID, Name: act.Name, Kind: act.Kind, Owner: act.Owner.Named().String(), Rule: act.Rule, Action: act.Verb,
		Result: human.Result(strings.ReplaceAll(result, "-", " ")), Detail: detail, At: s.last().Add(time.Second),
	}
	if o.Result == "" {
		o.Result = human.Exited
	}
	if o.Result.Reaped() {
		o.FreedBytes = act.MemoryBytes
	}
	return o
}

// entry is the outcome as the journal has it.
func (s *scene) entry(act *policy.Act, o policy.Outcome) journal.Entry {
	entry := journal.Entry{
		Time: o.At, ID: act.ID, Phase: journal.PhaseOutcome, Sweep: "s1", BootID: "b0", Rule: act.Rule, RuleOrigin: act.RuleOrigin.String(), Action: string(act.Verb),
		TargetID: act.TargetID, Kind: string(act.Kind), Name: act.Name, Finding: act.Finding.String(), FindingSince: act.FindingSince, Why: act.Why,
		OwnerGoneSince: act.OwnerGoneSince, MemoryBytes: act.MemoryBytes, Result: string(o.Result), Detail: o.Detail, FreedBytes: o.FreedBytes,
	}
	if act.Owner.Name != "" {
		entry.Owner = journal.Who(act.Owner.Name, idText(act.Owner.ID))
	}
	if s.oneShot {
		entry.ByHand = "sweep"
	}
	if act.Root != nil {
		entry.Cwd = act.Root.Cwd
	}
	if act.Container != nil {
		entry.Container = &journal.Container{ID: act.Container.ID, Name: act.Container.Name}
		if t, found := s.look.Graph.Target(act.TargetID); found {
			entry.Client = t.Runner
		}
	}
	if t, found := s.look.Graph.Target(act.With); found && t.Root != nil {
		entry.With = journal.Who(t.Name, t.ID)
	}
	return entry
}

func idText(id inventory.ID) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}
