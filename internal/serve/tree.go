package serve

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// maxEnded is how many acts of the last day the tree lists.
const maxEnded = 200

// Tree is the tree of the last look; empty before the first. Its lists no longer
// change.
func (m *Metrics) Tree() overview.Tree {
	now := m.now()
	m.mu.RLock()
	look, ended, day, is, identity := m.tree, m.ended, m.day.Steps(now), m.state, m.policy
	m.mu.RUnlock()
	if look == nil {
		look = func() overview.Tree { return overview.Make(overview.Input{}) }
	}
	tree := look()
	tree.Mode, tree.Next, tree.Policy, tree.Pause = is.mode, is.next, identity, is.pause
	tree.Ended, tree.Day = append([]overview.Ended{}, ended...), day
	if is.policy.SHA256 != "" {
		tree.Refused, tree.RefusedFile = is.policy.Faults, is.policy.RefusedFile
	}
	return tree
}

// tree is the tree of the last look, with why the daemon does not act on it, or whose disk is
// full. Before the first
// look there is nothing to act on.
func (s *Server) tree() overview.Tree {
	tree := s.options.Metrics.Tree()
	if _, why := s.ready(); !tree.At.IsZero() {
		tree.Unfit = why
	}
	if s.options.NoRoomIn != nil {
		tree.NoRoomIn = s.options.Home.Short(s.options.NoRoomIn(), "")
	}
	return tree
}

// showTree keeps the input of the tree, which is made when it is first asked for.
func (m *Metrics) showTree(u Update) {
	m.noteEnded(u.Outcomes)
	if u.Graph == nil || u.Graph.Snapshot == nil {
		return
	}
	m.countOrphans(u)
	in := overview.Input{
		Graph: u.Graph, First: u.First, Verdicts: u.Verdicts, Acting: map[string]bool{}, Gone: m.goneIn(u), Outcomes: unended(u.Outcomes), Held: m.vetoed, IdleFor: m.idleFor,
	}
	if u.Again { // what came of this sweep's acts before
		maps.Copy(in.Outcomes, m.came.Outcomes)
	}
	for _, act := range u.UnderWay {
		in.Acting[act.Target] = !act.Imminent
	}
	m.came = in
	m.tree = sync.OnceValue(func() overview.Tree { return overview.Make(in) })
}

// goneIn are the targets that the sweep of an update has ended, by the outcomes before this update too.
func (m *Metrics) goneIn(u Update) map[string]bool {
	gone := goneOf(u.Outcomes)
	if u.Again {
		maps.Copy(gone, m.came.Gone)
	}
	return gone
}

// orphanFor is for how long a part of an orphan is known after it was last seen: acts that
// end it, by the daemon or by hand, are over by then.
const orphanFor = time.Hour

// countOrphans adds new orphans to the day's count. A tree is not new if one of its
// processes was an orphan in an earlier update, whatever the updates between said of it,
// and even if they did not have it.
//
// A docker run that ends with its container is no thing of its own: no act ends it.
func (m *Metrics) countOrphans(u Update) {
	containers := map[string]bool{}
	for _, v := range u.Verdicts {
		containers[v.Target.ID] = v.Target.Kind == graph.KindContainer
	}
	maps.DeleteFunc(m.orphans, func(_ string, seen time.Time) bool { return u.Started.Sub(seen) > orphanFor })
	for _, v := range reportedOf(u.Verdicts) {
		parts := partsOf(v.Target)
		known := slices.ContainsFunc(parts, m.wasOrphan)
		if v.EndsWith != "" || containers[v.With] {
			continue
		}
		if v.Target.Finding == graph.FindingOrphaned && !known {
			m.day.Add(u.Started, overview.Step{Found: 1})
		}
		if known || v.Target.Finding == graph.FindingOrphaned {
			m.knowOrphan(u.Started, parts...)
		}
	}
}

// countEndedOrphans adds orphans that another reaperd ended to the day's count, unless the
// daemon's own looks have found them: no more orphans are reaped than were found.
func (m *Metrics) countEndedOrphans(outcomes []policy.Outcome) {
	for _, o := range outcomes {
		if o.Finding != graph.FindingOrphaned || o.FindingSince.IsZero() {
			continue
		}
		if !m.wasOrphan(o.Target) {
			m.day.Add(o.FindingSince, overview.Step{Found: 1})
		}
		m.knowOrphan(o.At, o.Target)
	}
}

func (m *Metrics) wasOrphan(id string) bool {
	_, was := m.orphans[id]
	return was
}

func (m *Metrics) knowOrphan(seen time.Time, parts ...string) {
	if m.orphans == nil {
		m.orphans = map[string]time.Time{}
	}
	for _, id := range parts {
		m.orphans[id] = seen
	}
}

// partsOf are the ids of a target and of its processes.
func partsOf(t *graph.Target) []string {
	parts := []string{t.ID}
	for _, member := range t.Members {
		parts = append(parts, member.ID().String())
	}
	return parts
}

// unended are the acts that did not end their target, by the target's id.
func unended(outcomes []policy.Outcome) map[string]overview.Tried {
	gone, said := goneOf(outcomes), map[string]overview.Tried{}
	for _, o := range outcomes {
		if gone[o.Target] {
			continue
		}
		tried := overview.Tried{At: o.At, Result: string(o.Result)}
		if o.Detail != "" {
			tried.Result += ": " + o.Detail
		}
		said[o.Target] = tried
	}
	return said
}

// noteEnded adds acts to the day's count and to the list, the last one in front.
func (m *Metrics) noteEnded(outcomes []policy.Outcome) {
	if len(outcomes) == 0 {
		return
	}
	ended := make([]overview.Ended, 0, len(outcomes)+len(m.ended))
	for _, o := range slices.Backward(outcomes) {
		if o.Result.Reaped() {
			m.day.Add(o.At, overview.Step{Reaped: 1, FreedBytes: o.FreedBytes})
		}
		ended = append(ended, overview.EndedBy(o))
	}
	ended = append(ended, m.ended...)
	m.ended = ended[:min(len(ended), maxEnded)]
}
