package oneshot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/neighbours"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/internal/word"
)

// Order is the wish for a sweep. The zero value wants everything that the policy
// wants.
type Order struct {
	Named []string // words that narrow it (package word); none is everything
	Rules []string // whose verdicts it is narrowed to; none is all
	Ends  policy.Switches
	Mode  policy.Mode // over the policy's own; empty is that
	// DryRun marks an order that is only shown.
	DryRun  bool
	Journal string // the journal's file
	// Asked is the same as it was typed: hints keep it.
	Asked asked.Look
}

// By is the policy that carries out the order, and the order with the rules that its
// switches turn on. The error says why it cannot be carried out.
func (o Order) By(p *policy.Policy, dir state.Dir) (*policy.Policy, Order, error) {
	p = policyfile.InMode(p, o.Mode)
	if err := known(p, o.Rules); err != nil {
		return nil, o, err
	}
	p, rules := p.Switched(o.Ends)
	if o.Ends.Duplicates && len(rules) == 0 {
		return nil, o, advice.Misused(listRules, "--duplicates: the policy has no rule about duplicates")
	}
	o.Rules = slices.Concat(o.Rules, rules)
	if o.DryRun {
		return p, o, nil
	}
	if err := o.refused(p, dir); err != nil {
		return nil, o, err
	}
	return p, o, o.unrecorded()
}

// unrecorded is the error that the journal takes no record: no act begins without one.
func (o Order) unrecorded() error {
	record, err := journal.Open(o.Journal, journal.Options{})
	if err == nil {
		err = record.Ready()
	}
	_ = record.Close() // it has written nothing
	if err == nil {
		return nil
	}
	return advice.Failed(journal.Remedy(err)+"; "+o.ShowPlan(), "%w", &sweep.UnrecordedError{Cause: err})
}

// known refuses rules that the policy does not have.
func known(p *policy.Policy, rules []string) error {
	var names []string
	for _, rule := range p.Rules {
		names = append(names, rule.Name)
	}
	for _, rule := range rules {
		if slices.Contains(names, rule) {
			continue
		}
		meant := ""
		if near := word.NearOf(names, rule); len(near) > 0 {
			meant = fmt.Sprintf("; did you mean %q?", near[0])
		}
		return advice.Misused(listRules, "--rule %q: the policy has no such rule%s", rule, meant)
	}
	return nil
}

const listRules = "reaperd policy show   lists the rules"

// ShowPlan is the hint for an order that may not be carried out.
func (o Order) ShowPlan() string {
	plan := o.Asked
	plan.Yes, plan.DryRun = false, true
	return plan.Sweep() + "   shows the plan"
}

// enforced is the command of the order in mode enforce.
func (o Order) enforced() string {
	enforced := o.Asked
	enforced.Mode = string(policy.ModeEnforce)
	return enforced.Sweep()
}

// ModeError is the refusal of a sweep in a mode that only reports.
type ModeError struct{ Why string }

func (e *ModeError) Error() string { return e.Why }

// refused is why nothing may be acted on here and now.
func (o Order) refused(p *policy.Policy, dir state.Dir) error {
	now := time.Now()
	switch {
	case reap.CanAct() != nil:
		return advice.Failed(o.ShowPlan(), "%w", reap.CanAct())
	case o.Mode == policy.ModeReport:
		return advice.Misused(o.enforced(), "%w", &ModeError{fmt.Sprintf("--mode %s: a sweep may not act", o.Mode)})
	case p.Mode != policy.ModeEnforce:
		return advice.Misused(o.enforced(), "%w", &ModeError{"the policy (" + state.Home().Short(p.Sources[0].Name, "") + ") says mode: report, so a sweep may not act"})
	case len(dir.PauseNotes(nil, now)) > 0:
		return advice.Failed(o.ShowPlan(), "%s", strings.Join(dir.PauseNotes(neighbours.Daemons(context.Background()), now), "; "))
	}
	return nil
}
