package account

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// Fate is what becomes of a thing: one of the six words of every screen.
type Fate string

// The fates.
const (
	InUse  Fate = "in use"
	Idle   Fate = "idle"   // a session that does nothing, and what it holds
	Leaked Fate = "leaked" // nobody uses it, and it is stopped: now, or at its time
	Kept   Fate = "kept"   // nobody uses it, or that cannot be told, and it stays
	Ending Fate = "ending" // its end has begun
	Gone   Fate = "gone"
)

// fateOf is what becomes of a target by its verdict. idle: the session that has it does
// nothing.
func fateOf(v *policy.Verdict, idle bool) Fate {
	t := v.Target
	live := t.Owner.Liveness == graph.LivenessLive || t.InUse || t.Owner.Kind == graph.OwnerService
	switch {
	case v.UnderWay():
		return Ending
	case isLeak(t) && v.Goes():
		return Leaked
	case isLeak(t), t.Finding == graph.FindingAmbiguous:
		return Kept
	case idle, t.Finding == graph.FindingIdle:
		return Idle
	case live, t.Kind == graph.KindSession:
		return InUse
	case v.Goes():
		return Leaked
	}
	return Kept
}

// isLeak reports a finding that says that nobody uses a thing any more.
func isLeak(t *graph.Target) bool {
	return t.Finding == graph.FindingOrphaned || t.Finding == graph.FindingDisconnected || t.Finding == graph.FindingExited
}

// dueOf is when a target goes by its verdict, and whether only if it stays idle. It is zero
// for what stays.
func dueOf(v *policy.Verdict, at time.Time) (due time.Time, ifIdle bool) {
	switch v.Decision {
	case policy.Reap:
		due = at
	case policy.Pending:
		due = v.DueAt
	}
	return due, v.IfIdle || v.Target.Finding == graph.FindingIdle || v.Target.Finding == graph.FindingDuplicate
}

// finish makes what follows from the sessions and things that a reader may see.
func (a *Account) finish() {
	a.tieContainers()
	a.Summary = a.sum()
	a.Sections = a.tree()
	a.Premise, a.Headline = a.premise(), a.headline()
	a.Notes, a.Said = a.notes(), nil
	for _, note := range a.Notes {
		a.Said = append(a.Said, note.String())
	}
}

// tieContainers marks the containers that are shown as their docker run. Of docker runs of one name and owner
// nobody can tell which has which container: each is paired with one of the containers.
func (a *Account) tieContainers() {
	runs, free := map[string]bool{}, map[string]int{}
	for i := range a.Things {
		t := &a.Things[i]
		if t.Kind == graph.KindContainer {
			continue
		}
		runs[t.ID] = true
		if len(t.Containers) == 0 && slices.Contains(t.Argv, "run") {
			free[t.ofKind()]++
		}
	}
	for i := range a.Things {
		t := &a.Things[i]
		if t.Kind != graph.KindContainer {
			continue
		}
		t.Held = runs[t.Client]
		if t.Client == "" && free[t.ofKind()] > 0 {
			free[t.ofKind()]--
			t.Held = true
		}
	}
}

// ofKind is the name and the owner of a thing.
func (t *Thing) ofKind() string { return t.Name + " " + idOf(t.Owner.PID, t.Owner.Start) }

func (a *Account) sum() Summary {
	s := Summary{Processes: a.Summary.Processes, Sessions: len(a.Sessions), Findings: map[graph.Finding]int{}}
	for _, f := range policy.Findings() {
		s.Findings[f] = 0
	}
	for i := range a.Things {
		s.add(&a.Things[i])
	}
	for i := range a.Sessions {
		if a.Sessions[i].Fate == Idle {
			s.IdleSessions, s.IdleBytes = s.IdleSessions+1, s.IdleBytes+a.Sessions[i].MemoryBytes
		}
	}
	for _, act := range a.Outcomes {
		s.ReclaimedBytes += act.FreedBytes
	}
	return s
}

func (s *Summary) add(t *Thing) {
	for _, count := range []struct {
		is bool
		n  *int
	}{
		{t.Kind == graph.KindContainer, &s.Containers}, {t.Kind == graph.KindServer || t.Kind == graph.KindGateway, &s.Servers},
		{t.Decision == reaps, &s.Reap}, {t.Decision == waits, &s.Pending}, {t.failing() != "", &s.Failing}, {t.Pinned != "", &s.Pinned}, {t.isOlder(), &s.OlderCopies},
		{t.Counts() && t.Fate == Ending, &s.Ending}, {t.Counts() && t.Fate == InUse, &s.InUse}, {t.Counts() && t.Fate == Idle, &s.Idle},
		{t.Counts() && t.Fate == Leaked, &s.Leaked}, {t.Counts() && t.Fate == Kept, &s.Kept},
	} {
		if count.is {
			*count.n++
		}
	}
	if t.Finding != graph.FindingNone {
		s.Findings[t.Finding]++
	}
	if t.Decision == reaps {
		s.ReclaimableBytes += t.MemoryBytes
	}
	if t.Fate == Leaked {
		s.LeakedBytes += t.MemoryBytes
	}
}

// The decisions of the policy, as a [Thing] has them.
const keeps, waits, reaps = "keep", "pending", "reap"

// Counts reports a thing that a person counts: a server, or a container without a docker run.
func (t *Thing) Counts() bool { return t.Kind != graph.KindSession && !t.Held }

// acts reports a decider that does something about what is due.
func (d Decider) acts() bool { return d.Kind == ByDaemon && d.Rests == "" }
