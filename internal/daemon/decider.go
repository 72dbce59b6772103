package daemon

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// eyes look at a host and act there: the loop of a service, or a single pass.
type eyes interface {
	// newest is the newest look, nil before the first, and what closes with the next.
	newest() (*seen, <-chan struct{})
	// look looks after a moment. With an error comes the look before, if there is one.
	look(ctx context.Context, after time.Time) (*seen, error)
	// carryOut looks, and carries out what an order makes of it. It returns when its acts are over.
	carryOut(ctx context.Context, order *sweep.Order) error
	runs(inventory.ID) bool
}

// decider answers about a host and takes orders. What looks and acts for it are its eyes.
type decider struct {
	eyes
	state   state.Dir
	journal string        // the file
	lost    func() uint64 // how many outcomes are not in it; nil: none
	log     *slog.Logger
	settle  time.Duration // between the first two looks, without which nothing is answered
	within  time.Duration // how long a question waits for another look; 0 is as long as it takes
}

// As is the decider for one user: it tells what that user may see, and takes orders about it.
func (d *decider) As(r account.Reader) account.Asker { return asker{d, r} }

// asker is a decider for one user.
type asker struct {
	*decider
	reader account.Reader
}

// lookWithin is how long a question to a daemon waits for a look, once there is one. Then the one
// before is the answer, and tells when it was taken.
const lookWithin = 5 * time.Second

// seen is the last look or, if that has to be fresh, a new one.
func (a asker) seen(ctx context.Context, fresh bool) (*seen, error) {
	s, err := a.told(ctx, fresh)
	if err == nil && s.policy == nil {
		_, err = a.look(ctx, time.Now()) // it says why
		return nil, couldNotLook(err)
	}
	return s, err
}

// told is what seen is, also where there is no policy by which anything is judged.
func (a asker) told(ctx context.Context, fresh bool) (*seen, error) {
	now := time.Now()
	if newest, _ := a.newest(); newest != nil && (!fresh || newest.isFresh(now)) {
		return newest, nil
	}
	return a.seenAfter(ctx, now)
}

// seenAfter is a look after a moment, else the one before.
func (a asker) seenAfter(ctx context.Context, at time.Time) (*seen, error) {
	within, cancel := ctx, context.CancelFunc(func() {})
	if newest, _ := a.newest(); newest != nil && a.within > 0 {
		within, cancel = context.WithTimeout(ctx, a.within)
	}
	defer cancel()
	s, err := a.look(within, at)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case s != nil:
		return s, nil
	}
	return nil, couldNotLook(err)
}

func couldNotLook(err error) error {
	if isAdvised(err) {
		return err
	}
	return human.Failed("reaperd doctor", "look at this host: %w", err)
}

// twice is what told is, once two looks have seen every finding.
func (a asker) twice(ctx context.Context, fresh bool) (*seen, error) {
	s, err := a.told(ctx, fresh)
	if err != nil || !s.first {
		return s, err
	}
	select {
	case <-time.After(time.Until(s.snapshot().TakenAt.Add(a.settle))):
		return a.seenAfter(ctx, time.Now())
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Account implements [account.Asker].
func (a asker) Account(ctx context.Context, fresh bool) (*account.Account, error) {
	s, err := a.twice(ctx, fresh)
	if err != nil {
		return nil, err
	}
	return s.account(a.reader), nil
}

// Follow implements [account.Asker].
func (a asker) Follow(ctx context.Context, tell func(*account.Account)) error {
	for {
		newest, next := a.newest()
		if newest != nil {
			tell(newest.account(a.reader))
		}
		select {
		case <-next:
		case <-ctx.Done():
			return nil
		}
	}
}

// Explain implements [account.Asker].
func (a asker) Explain(ctx context.Context, subject string) (*account.Explanation, error) {
	s, err := a.twice(ctx, true)
	if err == nil && a.hasEnded(s, subject) {
		s, err = a.seenAfter(ctx, time.Now())
	}
	if err == nil {
		err = a.isOwn(s, subject)
	}
	if err != nil {
		return nil, err
	}
	part := partOf(s.look, a.reader)
	subject = called(part, subject)
	past := a.past()
	entries := past.entries(journal.Filter{Choose: func(e *journal.Entry) bool {
		itself, had := account.Concerns(e, subject)
		return itself || had
	}})
	e, err := account.ExplainOf(part, subject, entries)
	if err == nil && e.Gone != nil {
		e.Complete, e.Gone.Torn = e.Complete && past.isWhole(), past.torn
	}
	return e, err
}

// hasEnded reports that a word means a process of a look that no longer runs. A look that is taken
// while a tree ends may show the rest of it without what tells whose it was.
func (a asker) hasEnded(s *seen, subject string) bool {
	p := account.ProcessMeant(s.snapshot(), subject)
	return p != nil && !a.runs(p.ID())
}

// partOf is the part of a look that a reader may see.
func partOf(l account.Look, r account.Reader) account.Look {
	if r.UID == 0 {
		return l
	}
	g, s := *l.Graph, *l.Graph.Snapshot
	sees := func(t *graph.Target) bool { return r.Sees(l.Graph.UserOf(t), engineOf(t)) }
	g.Snapshot, g.Targets = &s, slices.DeleteFunc(slices.Clone(g.Targets), func(t *graph.Target) bool { return !sees(t) })
	g.Sessions = slices.DeleteFunc(slices.Clone(g.Sessions), func(x graph.Session) bool { return x.Process == nil || !r.Sees(x.Process.UID, "") })
	g.AlsoLeft = slices.DeleteFunc(slices.Clone(g.AlsoLeft), func(left graph.AlsoLeft) bool { return !r.Sees(left.UID, "") })
	s.Processes = slices.DeleteFunc(slices.Clone(s.Processes), func(p inventory.Process) bool { return !r.Sees(p.UID, "") })
	s.Containers = slices.DeleteFunc(slices.Clone(s.Containers), func(c inventory.Container) bool { _, shown := g.Target(c.ID); return !shown })
	l.Graph, l.Verdicts = &g, slices.DeleteFunc(slices.Clone(l.Verdicts), func(v policy.Verdict) bool { return !sees(v.Target) })
	return l
}

// engineOf is the engine of a container; empty for anything else.
func engineOf(t *graph.Target) string {
	if t.Container == nil {
		return ""
	}
	return t.Container.Engine
}

// isOwn refuses the number of a process of another user. Everybody can see that it is there. A name
// is not looked for among what others have.
func (a asker) isOwn(s *seen, subject string) error {
	p := account.ProcessMeant(s.snapshot(), subject)
	if p == nil || a.reader.Sees(p.UID, "") {
		return nil
	}
	return human.Misused("its user may ask about it, and root", "process %d is another user's", p.PID)
}
