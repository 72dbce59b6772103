package daemon

import (
	"maps"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/internal/word"
)

// departed finds the sessions and targets that a look no longer shows, and how each ended.
// It is for the log and for reports: nothing is judged by it.
type departed struct {
	before map[string]present // of the last complete look, by id
	reaped map[string]bool    // targets that the daemon has ended, until a look shows them no more
	byHand map[string]bool    // targets that a sweep by hand has begun to end, likewise
}

// present is a session or a target in a look.
type present struct {
	serve.Gone
	owner      graph.Owner
	containers []string // of a docker run: it ends with them
	engine     string   // of a container: the endpoint at which it was seen
	told       bool     // something was wrong with it, or a rule was to end it
}

// hear takes what sweeps by hand have recorded: the targets that they have begun to end.
func (d *departed) hear(byHand []journal.Entry) {
	for _, entry := range byHand {
		if entry.Phase != journal.PhaseIntend {
			continue
		}
		if d.byHand == nil {
			d.byHand = map[string]bool{}
		}
		d.byHand[entry.TargetID] = true
		for _, part := range entry.Parts() {
			d.byHand[part] = true
		}
	}
}

// in returns what was there at the last complete look and is not in this one, in the order
// of the ids. A look that could not see everything shows nobody's end.
func (d *departed) in(round sweep.Round) []serve.Gone {
	for _, outcome := range round.Outcomes {
		if outcome.Result.Gone() {
			if d.reaped == nil {
				d.reaped = map[string]bool{}
			}
			d.reaped[outcome.Act.TargetID] = true
			for _, part := range outcome.Act.Parts() {
				d.reaped[part] = true
			}
		}
	}
	g := round.View.Graph
	if round.Again || g == nil || g.Snapshot == nil || !g.Snapshot.Complete() {
		return nil
	}
	now := presentIn(round)
	d.carryOver(now)
	d.keepUnread(now, g.Snapshot.Engines())
	for _, act := range round.UnderWay { // its outcome is not known yet
		if was, known := d.before[act.TargetID]; known && now[act.TargetID].ID == "" {
			now[act.TargetID] = was
		}
	}
	gone := d.missing(now, g.Snapshot)
	d.keepOnly(d.before, now)
	d.before = now
	return gone
}

// carryOver keeps what a look does not show any more of targets that are on their way out: a
// container that is being removed has no owner and no docker run.
func (d *departed) carryOver(now map[string]present) {
	for id, is := range now {
		was, known := d.before[id]
		switch {
		case known && d.endedByHand(was):
			was.told = was.told || is.told
			now[id] = was
		case len(is.containers) == 0 && len(was.containers) > 0:
			is.containers = was.containers
			now[id] = is
		}
	}
}

// keepUnread keeps the containers whose engine this look did not read, or not whole: it does
// not show their end.
func (d *departed) keepUnread(now map[string]present, engines inventory.Engines) {
	for id, was := range d.before {
		if _, runs := now[id]; !runs && was.Kind == graph.KindContainer && !engines.ReadAll(was.engine) {
			now[id] = was
		}
	}
}

func (d *departed) missing(now map[string]present, s *inventory.Snapshot) []serve.Gone {
	var gone []serve.Gone
	for _, id := range slices.Sorted(maps.Keys(d.before)) {
		was := d.before[id]
		_, runs := now[id]
		session, owned := d.before[was.owner.ID.String()]
		endedWith := owned && session.Kind == graph.KindSession && now[session.ID].ID == ""
		if runs {
			continue
		}
		one := was.Gone
		one.InUse = !was.told && !endedWith && !was.owner.IsUnseen() // nobody knows what was right with that
		one.At, one.How = s.TakenAt, serve.EndedByItself
		switch {
		case d.reaped[id]:
			one.How = serve.EndedByReaperd
		case d.endedByHand(was):
			one.How = serve.EndedByHand
		}
		gone = append(gone, one)
	}
	return gone
}

// endedByHand reports that a sweep by hand has begun to end a target, or the containers with
// which it ends.
func (d *departed) endedByHand(was present) bool {
	return d.byHand[was.ID] || slices.ContainsFunc(was.containers, func(id string) bool { return d.byHand[id] })
}

// leaving reports that a target of the last look is about to go, as a sweep by hand has begun
// to end it or the containers with which it ends.
func (d *departed) leaving(id string) bool { return d.byHand[id] || d.endedByHand(d.before[id]) }

// keepOnly forgets the ends of targets that neither of two looks shows. A docker run may end a
// look after its container.
func (d *departed) keepOnly(before, now map[string]present) {
	here := map[string]bool{}
	for _, look := range []map[string]present{before, now} {
		for id, one := range look {
			here[id] = true
			for _, container := range one.containers {
				here[container] = true
			}
		}
	}
	for _, ends := range []map[string]bool{d.reaped, d.byHand} {
		maps.DeleteFunc(ends, func(id string, _ bool) bool { return !here[id] })
	}
}

// presentIn are the live sessions and the targets of a round, by id.
func presentIn(round sweep.Round) map[string]present {
	found := map[string]present{}
	for i := range round.View.Verdicts {
		v := &round.View.Verdicts[i]
		if t := v.Target; v.Reported() && t.Kind != graph.KindSession {
			found[t.ID] = presentTarget(v)
		}
	}
	for _, s := range round.View.Graph.Sessions {
		if s.Process == nil || s.Liveness == graph.LivenessGone {
			continue
		}
		id := s.Process.ID().String()
		found[id] = present{Gone: serve.Gone{ID: id, Kind: graph.KindSession, Name: redact.Name(s.Name), Handle: word.Thing{ID: id}.Handle(), Cwd: redact.Text(s.Process.Cwd)}, told: true}
	}
	return found
}

func presentTarget(v *policy.Verdict) present {
	t := v.Target
	waits := v.Decision == policy.Pending || v.Decision == policy.Reap
	p := present{owner: t.Owner, containers: t.Containers, told: waits || t.Finding == graph.FindingOrphaned || t.Finding == graph.FindingExited}
	p.Gone = serve.Gone{ID: t.ID, Kind: t.Kind, Name: redact.Name(t.Name), Handle: word.Of(t).Handle(), Owner: redact.Name(t.Owner.Name)}
	if !t.Owner.ID.IsZero() {
		p.OwnerID = t.Owner.ID.String()
	}
	if t.Container != nil {
		p.engine = t.Container.Engine
	}
	return p
}
