package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// order is what a reader asks of a sweep, with the policy that carries it out.
type order struct {
	account.Order
	asker
	policy *policy.Policy
	rules  []string // that it is narrowed to; none is all
}

// quick is the longest time between two looks for which a plan need not wait: it is shown after
// one look, and the second is made before the acts.
const quick = time.Second

// longestSettle is the longest time that a sweep may ask for between two looks.
const longestSettle = time.Hour

// orderOf reads an order under a policy.
func (a asker) orderOf(asked account.Order, p *policy.Policy) (order, error) {
	if asked.Settle < 0 || asked.Settle > longestSettle {
		return order{}, human.Misused("", "--settle %s: want up to %s", asked.Settle, human.Exact(longestSettle))
	}
	if err := known(p, asked.Rules); err != nil {
		return order{}, err
	}
	switched, rules := p.Switched(policy.Switches{Duplicates: asked.Duplicates, IdleOver: asked.IdleOver, Named: len(asked.Words) > 0})
	if asked.Duplicates && len(rules) == 0 {
		return order{}, human.Misused(listRules, "--duplicates: the policy has no rule about duplicates")
	}
	return order{asked, a, switched, slices.Concat(asked.Rules, rules)}, nil
}

const listRules = "reaperd policy show   lists the rules"

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
		if near := human.Nearest(rule, names); near != "" {
			meant = fmt.Sprintf("; did you mean %q?", near)
		}
		return human.Misused(listRules, "--rule %q: the policy has no such rule%s", rule, meant)
	}
	return nil
}

// judged is a look as an order judges it: the least number of looks that must have seen a finding.
// What was not seen for as long as the order wants waits.
func (o *order) judged(l account.Look, underWay policy.UnderWay, looks int) account.Look {
	if o.IdleOver > 0 {
		l.Graph = l.Graph.Sooner(o.policy.IdleOver())
	}
	options := policy.JudgeOptions{OneShot: true, Looks: looks, Settle: o.Settle, UnderWay: underWay}
	if looks < 2 { // then the rest of the time passes before the acts
		options.Settle = 0
	}
	l.Verdicts = policy.Judge(l.Graph, o.policy, options)
	return l
}

// owns reports that the reader may have a target ended: it is the reader's, and so is every process of a tree.
func (o *order) owns(g *graph.Graph, t *graph.Target) bool {
	isOthers := func(p *inventory.Process) bool { return t.Container == nil && !o.reader.Sees(p.UID, "") }
	return o.reader.Sees(g.UserOf(t), engineOf(t)) && !slices.ContainsFunc(t.Members, isOthers)
}

// meant are the verdicts of a judged look that the order is about: on what the reader may have ended, on
// what is named, and by the rules that are.
func (o *order) meant(l account.Look) []policy.Verdict {
	verdicts := l.Verdicts
	if len(o.rules) > 0 {
		verdicts = policy.ByRule(verdicts, o.rules)
	}
	left, named := leftIn(l), o.named(l)
	return policy.Select(verdicts, func(t *graph.Target) bool {
		isNamed := len(named) == 0 || left.Means(l.Graph, named, t) || o.isCopyOf(named, t)
		return isNamed && o.owns(l.Graph, t)
	})
}

// named are the words of the order, as they are called in a look.
func (o *order) named(l account.Look) (words []string) {
	for _, subject := range o.Words {
		words = append(words, called(l, subject))
	}
	return words
}

// isCopyOf reports an older copy of a session that is named: --duplicates ends those, and never
// the session.
func (o *order) isCopyOf(named []string, t *graph.Target) bool {
	isOlder := t.Finding == graph.FindingDuplicate || t.Generation > 1 && t.Finding == graph.FindingNone
	return o.Duplicates && isOlder && t.Owner.Kind == graph.OwnerSession && t.Owner.Liveness == graph.LivenessLive &&
		slices.ContainsFunc(named, func(name string) bool { return account.IsOwner(name, t.Owner) })
}

// plan is what the order does about a judged look.
func (o *order) plan(l account.Look) policy.Plan {
	plan := policy.MakePlan(o.meant(l), o.policy, l.Graph.Snapshot.Moment())
	for _, acts := range [][]policy.Act{plan.Acts, plan.Deferred} {
		for i := range acts {
			acts[i].ByHand, acts[i].By = strings.TrimSpace("sweep "+acts[i].Switch), state.UserName(o.reader.UID)
		}
	}
	return plan
}

// Plan implements [account.Asker].
func (a asker) Plan(ctx context.Context, asked account.Order) (*account.Plan, error) {
	s, err := a.seen(ctx, true)
	if err != nil {
		return nil, err
	}
	o, err := a.orderOf(asked, s.policy)
	if err != nil {
		return nil, err
	}
	if err := o.areThere(s); err != nil {
		return nil, err
	}
	looks := 1
	if o.Settle > quick {
		if s, err = o.settled(ctx, a, s); err != nil {
			return nil, err
		}
		looks = 2
	}
	judged := o.judged(s.look, s.underWay, looks)
	acts := o.plan(judged)
	plan := account.PlanOf(account.Of(judged).For(a.reader), o.meant(judged), acts.Acts, asked)
	plan.ID = strings.Join(acts.Keys(), keySign)
	return plan, nil
}

// keySign stands between the keys of a plan's acts in its ID. So whoever was shown a plan says what that
// was, and the decider need not remember it.
const keySign = "."

// areThere is the error that words of the order mean nothing, or what is another user's.
func (o *order) areThere(s *seen) error {
	for _, subject := range o.Words {
		if err := o.isOwn(s, subject); err != nil {
			return err
		}
	}
	part := partOf(s.look, o.reader)
	return missing(part, o.named(part))
}

// settled waits, and looks, until two looks have seen what the order may reap. What only the last of them has seen
// gets one more.
func (o *order) settled(ctx context.Context, a asker, s *seen) (_ *seen, err error) {
	for range 2 {
		if err := o.settle(ctx, s); err != nil {
			return nil, err
		}
		if s, err = a.seenAfter(ctx, time.Now()); err != nil {
			return nil, err
		}
		now := s.snapshot().TakenAt
		isNew := func(v policy.Verdict) bool { return v.Decision == policy.Pending && v.NeedsLook && !v.DueAt.After(now) }
		if !slices.ContainsFunc(o.meant(o.judged(s.look, s.underWay, 2)), isNew) {
			break
		}
	}
	return s, nil
}

// settle waits until what the order may reap has been seen for as long as it wants. Nobody has
// watched anything before the first look.
func (o *order) settle(ctx context.Context, s *seen) error {
	wait := time.Duration(0)
	for _, v := range o.meant(o.judged(s.look, s.underWay, 1)) {
		if v.Decision != policy.Keep {
			wait = max(wait, o.Settle-v.Target.Held)
		}
	}
	if s.first {
		wait = o.Settle - time.Since(s.snapshot().TakenAt)
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Act implements [account.Asker].
func (a asker) Act(ctx context.Context, plan *account.Plan) (*account.Result, error) {
	s, err := a.seen(ctx, false)
	if err != nil {
		return nil, err
	}
	o, err := a.orderOf(plan.Order, s.policy)
	if err == nil {
		err = o.refused(s)
	}
	if err != nil {
		return nil, err
	}
	if err := o.settle(ctx, s); err != nil {
		return nil, err
	}
	began := time.Now()
	acted, outcomes, err := o.carryOut(ctx, s.look, strings.Split(plan.ID, keySign))
	if err != nil {
		return nil, err
	}
	result := account.ResultOf(acted, outcomes)
	result.Took = time.Since(began)
	return result, nil
}

// carryOut has the decider look, and carries out what was shown and still holds. The loop calls what it
// is handed, and may go on after whoever waits has gone: then nothing here is read.
func (o *order) carryOut(ctx context.Context, l account.Look, shown []string) (*account.Plan, []policy.Outcome, error) {
	var planned *account.Plan
	var outcomes []policy.Outcome
	err := o.decider.carryOut(ctx, &sweep.Order{
		Shown: shown,
		Plan: func(view sweep.View, underWay policy.UnderWay) (sweep.View, policy.Plan) {
			l.Graph = view.Graph
			l = o.judged(l, underWay, 2)
			plan := policy.StillHolds(shown, o.plan(l))
			planned = account.PlanOf(account.Of(l).For(o.reader), o.meant(l), plan.Acts, o.Order)
			return sweep.View{First: view.First, Graph: l.Graph, Verdicts: l.Verdicts}, plan
		},
		KeptNow: func(t *graph.Target) (why string, kept bool) {
			if ctx.Err() != nil {
				return "nobody waits for the sweep any more", true
			}
			return "it, or a part of it, is another user's", !o.owns(l.Graph, t) // such as what goes along with a session
		},
		Told: func(outcome sweep.Outcome) { outcomes = append(outcomes, outcome.Told()) },
	})
	if err != nil {
		return nil, nil, o.notActed(err)
	}
	return planned, outcomes, nil
}

// notActed tells a person why nothing was acted on.
func (o *order) notActed(err error) error {
	var unrecorded *sweep.UnrecordedError
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &unrecorded):
		return human.Failed(journal.Remedy(err), "%w", err)
	}
	return human.Failed("reaperd sweep", "%w", err)
}

// refused is why nothing may be acted on now.
func (o *order) refused(s *seen) error {
	const show = "reaperd sweep --dry-run   shows the plan"
	pause, paused := o.pausedNow()
	switch {
	case reap.CanAct() != nil:
		return human.Failed(show, "%w", reap.CanAct())
	case s.policy.Mode != policy.ModeEnforce && !o.Enforce:
		return human.Misused("reaperd sweep --yes --mode enforce", "the policy (%s) says mode: report, so a sweep may not act", cmp.Or(s.policy.Identity().Source, "built-in"))
	case paused:
		return human.Failed("reaperd resume", "nothing is reaped: %s", pause)
	}
	return nil
}
