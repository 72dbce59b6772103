package serve

import (
	"maps"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// goneOf are the ids of targets that no longer run.
func goneOf(outcomes []policy.Outcome) map[string]bool {
	gone := map[string]bool{}
	for _, outcome := range outcomes {
		gone[outcome.Target] = gone[outcome.Target] || outcome.Result.Gone()
	}
	return gone
}

// showReclaimable counts the memory of what leaks and is to go: at once, or once it is due. In mode
// enforce nearly all of it is pending.
func (m *Metrics) showReclaimable(reported []*policy.Verdict, gone map[string]bool) {
	var bytes uint64
	for _, v := range reported {
		if v.Decision != policy.Keep && !gone[v.Target.ID] {
			bytes += v.Target.MemoryBytes
		}
	}
	m.series.reclaimable.Set(float64(bytes))
}

// countVetoes counts the vetoes of a look that the update before did not have, and notes since
// when each holds.
func (m *Metrics) countVetoes(reported []*policy.Verdict, looked time.Time) {
	held := map[overview.Hold]time.Time{}
	for _, v := range reported {
		for _, by := range v.Vetoes {
			now := overview.Hold{Target: v.Target.ID, Guard: by.Guard}
			since, before := m.vetoed[now]
			if _, counted := held[now]; !counted && !before {
				m.series.vetoes.WithLabelValues(m.guards.label(string(by.Guard))).Inc()
			}
			if !before {
				since = looked
			}
			held[now] = since
		}
	}
	m.vetoed = held
}

func (m *Metrics) countOutcomes(outcomes []policy.Outcome) {
	for _, o := range outcomes {
		m.series.actions.WithLabelValues(m.rules.label(o.Rule), m.actions.label(string(o.Action)), m.outcomes.label(string(o.Result))).Inc()
		m.series.reclaimed.Add(float64(o.FreedBytes))
		if o.Result.Reaped() {
			m.countReaped(o)
		}
	}
}

func (m *Metrics) countReaped(o policy.Outcome) {
	if since := o.At.Sub(o.OwnerGoneSince); !o.OwnerGoneSince.IsZero() && since >= 0 {
		m.series.timeToReap.Observe(since.Seconds())
	}
}

func (m *Metrics) countRespawns(respawns map[string]int, who clients) {
	for _, id := range slices.Sorted(maps.Keys(respawns)) {
		if gateway := who.targets[id]; gateway != nil {
			m.series.respawns.WithLabelValues(who.of(gateway)).Add(float64(max(0, respawns[id])))
		}
	}
}
