package daemon

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// post shows a round to whoever asks; with adds what the decider says of itself.
func (m *mind) post(round sweep.Round, with func(account.Look) account.Look) {
	if round.View.Graph == nil {
		before, _ := m.newest()
		m.board.post(before.failed(round.Err), round.Err)
		return
	}
	if !round.Again {
		m.gone = map[string]bool{}
	}
	for _, outcome := range round.Outcomes {
		if outcome.Result.Gone() {
			m.gone[outcome.Act.TargetID] = true
			m.gone[outcome.Act.Runner.String()] = true
			for _, member := range outcome.Act.Members { // of which a look meanwhile may have seen the last alone
				m.gone[member.String()] = true
			}
		}
	}
	g, verdicts := asOfNow(round, m.gone)
	m.board.post(newSeen(seen{
		look: with(account.Look{Graph: g, Verdicts: verdicts, Policy: round.Policy.Identity(), Resumes: catalogue.Resumes()}), began: round.Started, took: round.Duration,
		first: round.View.First == nil, policy: round.Policy, programs: m.names, underWay: policy.UnderWay{Acts: round.UnderWay},
	}), nil)
}

// asOfNow is a look without what has ended since, and with the acts that have begun.
func asOfNow(round sweep.Round, gone map[string]bool) (*graph.Graph, []policy.Verdict) {
	now := *round.View.Graph
	now.Sessions = slices.DeleteFunc(slices.Clone(now.Sessions), func(s graph.Session) bool { return s.Process != nil && gone[s.Process.ID().String()] })
	now.Targets = slices.DeleteFunc(slices.Clone(now.Targets), func(t *graph.Target) bool { return gone[t.ID] })
	verdicts := slices.DeleteFunc(slices.Clone(round.View.Verdicts), func(v policy.Verdict) bool { return gone[v.Target.ID] })
	begun := map[string]policy.Act{}
	for _, act := range round.UnderWay {
		begun[act.TargetID] = act
	}
	for i := range verdicts {
		if act, goesOn := begun[verdicts[i].Target.ID]; goesOn {
			verdicts[i].Begun = &act
		}
	}
	return &now, verdicts
}

// acts are those of the last day, whoever asked for them. It is safe for concurrent use.
type acts struct {
	mu   sync.Mutex
	list []account.Act // the newest first
	day  map[int]account.Today
	date string // of day
}

// actsFor is for how long an act is told with each look, and mostActs how many are.
const (
	actsFor  = 24 * time.Hour
	mostActs = 200
)

// nobody is the user in the day's sums of what was nobody's, as far as is known.
const nobody = -1

// add adds outcomes, the oldest first.
func (a *acts) add(outcomes ...policy.Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]account.Act, 0, len(outcomes)+len(a.list))
	for _, o := range slices.Backward(outcomes) {
		list = append(list, account.ActOf(o))
	}
	list = append(list, a.list...)
	a.list = list[:min(len(list), mostActs)]
	for _, o := range outcomes {
		if a.begin(o.At); o.Result.Reaped() && dateOf(o.At) == a.date {
			day := a.day[o.User.Or(nobody)]
			a.day[o.User.Or(nobody)] = account.Today{Stopped: day.Stopped + 1, FreedBytes: day.FreedBytes + o.FreedBytes}
		}
	}
}

// begin begins the sums of a day that is later than theirs. mu is held.
func (a *acts) begin(at time.Time) {
	if date := dateOf(at); date > a.date {
		a.day, a.date = map[int]account.Today{}, date
	}
}

func dateOf(at time.Time) string { return at.Local().Format(time.DateOnly) }

// lately are the acts of the last day, and the sums of the present one.
func (a *acts) lately(now time.Time) ([]account.Act, map[int]account.Today) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if old := slices.IndexFunc(a.list, func(act account.Act) bool { return now.Sub(act.At) > actsFor }); old >= 0 {
		a.list = a.list[:old]
	}
	a.begin(now)
	return a.list, maps.Clone(a.day)
}

// pausesOf are the other users who have paused what is theirs. The first of the wishes are the decider's own.
func pausesOf(wishes []state.Wishes) map[int]account.Pause {
	pauses := map[int]account.Pause{}
	for _, w := range wishes[1:] {
		if w.Paused {
			pauses[w.UID] = account.Pause{Until: w.Pause.Until, User: state.UserName(w.UID), Why: w.Pause.Reason}
		}
	}
	return pauses
}
