package graph

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/usage"
)

// Recalled is what one program hands to another of a target: its finding, since when,
// and what it used. A tool that has just begun to look thus knows what the daemon has
// watched for hours. It does not count as a look: where two looks are needed, the
// tool takes both itself.
type Recalled struct {
	LookedAt time.Time `json:"looked_at"`
	Finding  Finding   `json:"finding"`
	// Since is when the finding was first seen, HeldSeconds the time awake from then to
	// LookedAt.
	Since       time.Time `json:"since,omitzero"`
	HeldSeconds float64   `json:"held_seconds,omitempty"`
	// Usage is what its processes had used by LookedAt; nil if that is not known.
	Usage *usage.Remembered `json:"usage,omitempty"`
	// ByShape: only the shape that it had below a session or gateway made it a server, see
	// [Target.ByShape]. Nobody sees that any more once it is leaked.
	ByShape bool `json:"by_shape,omitempty"`
	// Began is the session that was seen to start it.
	Began Began `json:"-"`
}

// Recall is what this look hands over of a target. known is false if there is nothing to
// tell: it has no finding, and what it used is not known.
func (t *Target) Recall(lookedAt time.Time) (r Recalled, known bool) {
	r = Recalled{LookedAt: lookedAt, Finding: t.Finding, ByShape: t.ByShape}
	if t.Finding != FindingNone {
		r.Since, r.HeldSeconds = t.Since, t.Held.Seconds()
	}
	if t.used.IOKnown { // what was in use, or seen for the first time, may be idle from this look on
		r.Usage = new(t.used.Remember(lookedAt, t.Idle.Or(0), t.IdleAtLeast))
		r.Usage.CPUPercent = t.CPUPercent
	}
	return r, r.Usage != nil || !r.Since.IsZero()
}

// ByShape are the servers of a look that nothing but the shape told which they had below a session
// or gateway, by their ids, in order.
func (g *Graph) ByShape() (ids []string) {
	for _, t := range g.Targets {
		if t.ByShape && t.Container == nil {
			ids = append(ids, t.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// RecalledByShape is what [Graph.ByShape] hands to a program that looks later. It tells that they
// are servers and nothing else of them.
func RecalledByShape(ids []string) map[string]Recalled {
	recalled := make(map[string]Recalled, len(ids))
	for _, id := range ids {
		recalled[id] = Recalled{ByShape: true}
	}
	return recalled
}

// record is the record with which a first look at now continues.
func (r Recalled) record(now inventory.Moment) record {
	apart := now.At.Sub(r.LookedAt)
	if r.LookedAt.IsZero() || apart < 0 {
		return record{}
	}
	past := record{condition: r.Finding}
	if !r.Since.IsZero() {
		past.since = now.Earlier(apart + time.Duration(r.HeldSeconds*float64(time.Second)))
		past.since.At = r.Since
	}
	if r.Usage != nil {
		past.usage = r.Usage.History(now)
	}
	return past
}
