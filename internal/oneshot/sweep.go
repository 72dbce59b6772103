package oneshot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/install"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/internal/word"
)

// Sweep is an order, and a sight that has looked twice.
type Sweep struct {
	*Sight
	Order
}

// Plan is what would be done now. The error names things that do not exist here.
func (s *Sweep) Plan() (policy.Plan, error) {
	if err := s.Missing(s.Named); err != nil {
		return policy.Plan{}, err
	}
	return s.plan(), nil
}

func (s *Sweep) plan() policy.Plan { return s.sweeper.Plan(s.narrowed(), s.View.Graph) }

// narrowed are the verdicts on the named targets by the named rules. An order about idle sessions is
// about those too that the policy protects, of which no rule is asked.
func (s *Sweep) narrowed() []policy.Verdict {
	verdicts := s.View.Verdicts
	if len(s.Rules) > 0 {
		verdicts = policy.ByRule(verdicts, s.Rules)
	}
	if len(s.Rules) > 0 && s.Ends.IdleOver > 0 {
		verdicts = slices.Concat(verdicts, s.protectedIdle())
	}
	if len(s.Named) > 0 {
		left := s.left()
		verdicts = policy.Select(verdicts, func(t *graph.Target) bool { return left.Means(s.View.Graph, s.Named, t) || s.isCopyOfNamed(t) })
	}
	return verdicts
}

// NothingStopped is printed if nobody agreed to a plan.
const NothingStopped = "Nothing stopped."

// Report is the input for the report of the sweep's plan.
func (s *Sweep) Report() report.Input {
	narrow := *s.Sight
	narrow.View.Verdicts = s.narrowed()
	in := narrow.Report("sweep")
	in.DryRun, in.Nothing, in.Asked = s.DryRun, s.nothing(), s.Order.Asked
	whole := in // the narrowed report does not have what named things go with
	whole.Verdicts = s.View.Verdicts
	in.Asked.Names = report.ByHeads(whole, in.Asked.Names)
	return in
}

// nothing says what a narrowed sweep has looked for and not found.
func (s *Sweep) nothing() report.Nothing {
	over := human.Exact(s.Ends.IdleOver)
	switch {
	case len(s.Named) > 0:
		return s.namedStay()
	case s.Ends.IdleOver > 0 && s.Ends.Duplicates && s.busyCopies() != "":
		return report.Nothing{Text: s.busyCopies() + " No session was seen idle for " + over + "."}
	case s.Ends.IdleOver > 0 && s.Ends.Duplicates:
		return report.Nothing{Text: "No older copies here, and no session that was seen idle for " + over + "."}
	case s.Ends.IdleOver > 0 && s.keptIdle() != "":
		return report.Nothing{Text: s.keptIdle(), Seen: true}
	case s.Ends.IdleOver > 0:
		return report.Nothing{Text: "No session here was seen idle for " + over + "."}
	case s.Ends.Duplicates && s.busyCopies() != "":
		return report.Nothing{Text: s.busyCopies(), Seen: true}
	case s.Ends.Duplicates:
		return report.Nothing{Text: "No older copies here."}
	case s.idleByRule() > 0:
		return report.Nothing{Text: fmt.Sprintf("%s idle, and rule %s only reports.", human.Count(s.idleByRule(), "session"), human.Or(s.Rules)), Seen: true}
	case len(s.Rules) > 0:
		return report.Nothing{Text: "Nothing here for rule " + human.Or(s.Rules) + "."}
	}
	return report.Nothing{}
}

// namedStay says that what the order names stays; of --duplicates why that is.
func (s *Sweep) namedStay() report.Nothing {
	names := s.namedHere()
	text := human.List(names) + " " + human.Verb(len(names), "stays", "stay")
	if s.Ends.Duplicates {
		return report.Nothing{Text: text + s.noCopies(len(names)), Seen: len(s.olderCopies().names) > 0}
	}
	return report.Nothing{Text: text + ".", Seen: true}
}

// namedHere are what the words of the order name, each as it is called; the words themselves
// if that is many things, or nothing.
func (s *Sweep) namedHere() []string {
	var names, words []string
	if g := s.View.Graph; g != nil {
		left := s.left()
		for _, t := range g.Targets {
			if left.Means(g, s.Named, t) {
				names = append(names, calledTarget(t))
			}
		}
	}
	if len(names) > 0 && len(names) <= mostNamed {
		return names
	}
	for _, word := range s.Named {
		words = append(words, human.Safe(word))
	}
	return words
}

// wordFor is the name of the thing of an id: that of its target or, where no look shows it, the
// short form of the id.
func (s *Sweep) wordFor(id string, name func(*graph.Target) string) string {
	if s.View.Graph != nil {
		if t, found := s.View.Graph.Target(id); found {
			return name(t)
		}
	}
	return human.Handle(id)
}

// stops reports whether the order stops anything.
func (s *Sweep) stops() bool {
	return slices.ContainsFunc(s.narrowed(), func(v policy.Verdict) bool { return v.Decision == policy.Reap })
}

// Notes explain results that may surprise the person who gave the order, one line
// each.
func (s *Sweep) Notes() []string {
	return slices.Concat(s.idleNotes(), s.nowNotes(), s.sessionNotes(), s.withNotes(), s.restNotes(), s.copyNotes(), s.laterCopies(), s.onceIdle(), s.unpins())
}

// withNotes say what named things go with, without which they stay.
func (s *Sweep) withNotes() (notes []string) {
	if len(s.Named) == 0 || s.Sight == nil || s.View.Graph == nil {
		return nil
	}
	going := map[*graph.Target]bool{}
	for _, v := range s.narrowed() {
		going[v.Target] = v.Decision != policy.Keep || v.EndsWith != ""
	}
	for i := range s.View.Verdicts {
		v := &s.View.Verdicts[i]
		head, found := s.View.Graph.Target(v.With)
		if !found || !word.AnyMeans(s.Named, v.Target) || going[v.Target] || len(notes) == mostNamed {
			continue
		}
		order := s.Order.Asked
		order.Names, order.Yes = []string{head.Handle()}, false
		notes = append(notes, fmt.Sprintf("note: %s goes with %s, and not without it: %s", calledTarget(v.Target), calledTarget(head), order.Sweep()))
	}
	return notes
}

// nowNotes say why named things wait although they are to go now.
func (s *Sweep) nowNotes() []string {
	if !s.Ends.Now || len(s.Named) == 0 {
		return nil
	}
	var notes []string
	for _, v := range s.narrowed() {
		if v.Decision == policy.Pending && v.Needs > 0 {
			notes = append(notes, fmt.Sprintf("note: %s waits all the same: --now is for what nobody owns; here the %s of rule %s are part of the proof",
				calledTarget(v.Target), human.Exact(v.For), v.Rule))
		}
	}
	return notes
}

// idleNotes say why a sweep finds nothing idle if nobody has looked before it.
func (s *Sweep) idleNotes() []string {
	if !s.noDaemon() {
		return nil
	}
	what, least := "", time.Duration(0)
	if over := s.Ends.IdleOver; over > s.Settle && !s.endsSessions() && s.measuresSome() {
		what, least = "a session", over
	}
	if s.Ends.Duplicates && s.busyCopies() != "" && s.staysFor() > max(least, s.Settle) {
		what, least = "a server", s.staysFor()
	}
	if what == "" {
		return nil
	}
	return s.lookLonger(what, least)
}

// measuresSome reports that the order means a session of which a longer look can tell more.
func (s *Sweep) measuresSome() bool {
	return slices.ContainsFunc(s.meantSessions(), func(v *policy.Verdict) bool { return s.unmeasured(v.Target) == "" })
}

// lookLonger tells who knows for how long something has done nothing: the daemons of other users
// that look all the time or, where none runs, nobody yet.
func (s *Sweep) lookLonger(what string, over time.Duration) []string {
	measured := fmt.Sprintf("note: what %s does is measured from look to look", what)
	longer := s.Order.Asked
	longer.Settle = human.Exact(over)
	if others := s.watching(); len(others) > 0 {
		plan := s.Order.Asked
		plan.Settle, plan.Yes, plan.DryRun = "", false, true
		knows := measured + ", and only " + others.Known() + " for how long"
		apart := s.watchedByNobody()
		if len(apart) > 0 {
			knows += ", but not of " + human.List(fewest(apart))
		}
		notes := []string{knows + ": " + others.Commands(plan.Sweep())}
		switch _, roots := others.Of(0); {
		case roots:
		case over <= asked.LongestSettle:
			notes = append(notes, "hint: "+longer.Sweep()+"   looks for long enough, also at what a container does")
		case len(apart) > 0:
			notes = append(notes, "hint: "+install.HowToStart().Command()+"   starts a daemon of root, which looks all the time, also at what a container does")
		}
		return notes
	}
	hint := "hint: " + install.HowToStart().Command() + "   starts a daemon, which looks all the time"
	if over <= asked.LongestSettle {
		hint += "; " + longer.Sweep() + "   looks for long enough"
	}
	whose := ""
	if len(s.beside(context.Background())) > 0 {
		whose = " of root"
	}
	return []string{fmt.Sprintf("%s. No daemon%s answers, so only the looks of this sweep count, %s apart.", measured, whose, human.Span(s.Settle)), hint}
}

// watching are the daemons of other users that can tell what a session does which the order means.
func (s *Sweep) watching() (watching beside.Daemons) {
	for _, daemon := range s.beside(context.Background()) {
		if slices.ContainsFunc(s.View.Graph.Sessions, func(session graph.Session) bool {
			uid, known := session.Process.UID.Get()
			return known && daemon.Measures(uid, session.Containers) && s.means(&session)
		}) {
			watching = append(watching, daemon)
		}
	}
	return watching
}

// watchedByNobody names the sessions that the order means and no daemon of another user can measure.
func (s *Sweep) watchedByNobody() (names []string) {
	for _, session := range s.View.Graph.Sessions {
		uid, known := session.Process.UID.Get()
		isWatched := func(daemon beside.Daemon) bool { return known && daemon.Measures(uid, session.Containers) }
		if s.means(&session) && session.Target != nil && !slices.ContainsFunc(s.beside(context.Background()), isWatched) {
			names = append(names, calledTarget(session.Target))
		}
	}
	return names
}

// means reports that the order names a session, or none.
func (s *Sweep) means(session *graph.Session) bool {
	return len(s.Named) == 0 || slices.ContainsFunc(s.meantSessions(), func(v *policy.Verdict) bool { return v.Target.ID == session.Process.ID().String() })
}

// noDaemon reports that no daemon has told what sessions did before this sweep.
func (s *Sweep) noDaemon() bool { return s.sweeper == nil || s.sweeper.Recalled.Sessions == nil }

func (s *Sweep) endsSessions() bool {
	return slices.ContainsFunc(s.narrowed(), func(v policy.Verdict) bool { return v.Target.Kind == graph.KindSession && v.Decision == policy.Reap })
}

// Act looks again and carries out the part of the shown plan that still holds. notes
// are further remarks.
func (s *Sweep) Act(ctx context.Context, shown policy.Plan) (done report.Input, notes []string, err error) {
	if err := s.refused(s.Policy, s.state); err != nil { // somebody may have paused it since the plan was shown
		return report.Input{}, nil, err
	}
	settle, planned := s.Settle, s.View.Graph.Snapshot.TakenAt
	s.Recall(ctx)
	if err := s.Again(ctx); err != nil {
		return report.Input{}, nil, err
	}
	s.Settle = settle                                       // what the person took to answer proves nothing
	record, _ := journal.Open(s.Journal, journal.Options{}) // whether it can be written is asked before the first act
	defer record.Close()
	s.sweeper.Reaper = s.host.Reaper(record)
	plan := policy.StillHolds(shown, s.plan())
	notes = s.dropped(shown, plan, s.reapedSince(planned))
	outcomes, err := s.sweeper.Act(ctx, plan, s.View, inventory.Moment{At: time.Now()})
	var unrecorded *sweep.UnrecordedError
	switch {
	case errors.As(err, &unrecorded):
		return report.Input{}, nil, advice.Failed(journal.Remedy(err), "%w", err)
	case err != nil:
		return report.Input{}, nil, advice.Failed(s.Order.Asked.Sweep(), "%w", err)
	}
	rest, told := s.stopRest(ctx, plan, outcomes)
	notes = append(notes, told...)
	if slices.ContainsFunc(outcomes, func(o reap.Outcome) bool { return o.Result.Gone() }) {
		s.tellDaemon(ctx)
	}
	if failures := record.Failures().Writes; failures > 0 {
		notes = append(notes, fmt.Sprintf("warning: journal %s: %d lines could not be written", record.Path(), failures))
	}
	done = s.Report()
	done.Verdicts, done.Outcomes = rest.among(done.Verdicts), append(sweep.OutcomesOf(plan, outcomes), rest.outcomes...)
	return done, notes, nil
}
