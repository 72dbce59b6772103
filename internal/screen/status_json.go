package screen

import (
	"cmp"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/trigger"
)

// silentStatus is the status of a daemon that runs and does not answer.
type silentStatus struct {
	Version  int    `json:"version"`
	Running  bool   `json:"running"` // true
	NoAnswer string `json:"no_answer"`
}

// noStatus is the status where no daemon runs.
type noStatus struct {
	Version     int       `json:"version"`
	Running     bool      `json:"running"` // false
	Paused      bool      `json:"paused,omitempty"`
	PausedUntil time.Time `json:"paused_until,omitzero"`
	PauseReason string    `json:"pause_reason,omitempty"`
}

// daemonStatus is what a daemon says of itself and of its last look.
type daemonStatus struct {
	Version         int                `json:"version"`
	Running         bool               `json:"running"` // true
	Build           account.Build      `json:"build"`
	PID             int                `json:"pid"`
	User            string             `json:"user,omitempty"`
	Whole           bool               `json:"whole,omitempty"` // it decides for the whole host
	StartedAt       time.Time          `json:"started_at"`
	Listen          string             `json:"listen,omitempty"`
	Ready           bool               `json:"ready"`
	NotReady        string             `json:"not_ready,omitempty"`
	Faults          []string           `json:"faults"`
	NoRoomIn        string             `json:"no_room_in,omitempty"`
	Unrecorded      string             `json:"unrecorded,omitempty"`
	Mode            policy.Mode        `json:"mode"`
	Rests           account.Rest       `json:"rests,omitempty"`
	Policy          statusPolicy       `json:"policy"`
	Sources         []inventory.Source `json:"sources"`
	LastSweep       statusSweep        `json:"last_sweep"`
	NextSweep       time.Time          `json:"next_sweep,omitzero"`
	IntervalSeconds float64            `json:"interval_seconds,omitempty"`
	InUse           []statusSession    `json:"in_use"`
	TargetsInUse    int                `json:"targets_in_use"`
	ContainersInUse int                `json:"containers_in_use"`
	Findings        []statusCount      `json:"findings"`
	Pending         []statusThing      `json:"pending"`
	Due             []statusThing      `json:"due"`
	Resting         []statusThing      `json:"resting"`
	UnderWay        []statusThing      `json:"under_way"`
	Leavers         []statusLeaver     `json:"leavers"`
	Stays           []statusThing      `json:"stays"`
	Containers      []statusThing      `json:"containers"`
	Gone            []statusThing      `json:"gone"`
	LastActs        []account.Act      `json:"last_acts"`
	ReapedToday     int                `json:"reaped_today"`
	FreedToday      uint64             `json:"freed_today_bytes"`
	Pins            int                `json:"pins"`
	Paused          bool               `json:"paused"`
	PausedUntil     time.Time          `json:"paused_until,omitzero"`
	PauseReason     string             `json:"pause_reason,omitempty"`
	WriteErrors     uint64             `json:"journal_write_errors"`
	FailedAt        time.Time          `json:"journal_failed_at,omitzero"`
	Unwritten       uint64             `json:"journal_unwritten"`
	StateFaults     []string           `json:"state_faults"`
	Headline        account.Text       `json:"headline"`
	Notes           []string           `json:"notes,omitempty"`
}

type statusPolicy struct {
	account.Policy
	ReadAt      time.Time `json:"read_at,omitzero"`
	Faults      []string  `json:"faults"`
	RefusedAt   time.Time `json:"refused_at,omitzero"`
	RefusedFile string    `json:"refused_file,omitempty"`
}

type statusSweep struct {
	At       time.Time       `json:"at"`
	Duration float64         `json:"duration_seconds"`
	Trigger  trigger.Trigger `json:"trigger"`
	Result   string          `json:"result"` // ok or error
	Why      string          `json:"why,omitempty"`
}

type statusSession struct {
	account.Session
	Idle     bool `json:"idle,omitempty"`
	UnderWay bool `json:"under_way,omitempty"`
}

// statusThing is a thing in one of the lists.
type statusThing struct {
	account.Thing
	Target string      `json:"target"`          // its id
	Owner  string      `json:"owner,omitempty"` // "claude-code 44"
	Rule   string      `json:"rule"`            // that stops it
	Cause  string      `json:"why,omitempty"`
	Pinned bool        `json:"pinned,omitempty"`
	At     time.Time   `json:"at"`            // when it was seen so
	How    done.Result `json:"how,omitempty"` // gone
}

// statusLeaver is a session that has ended, with what it left.
type statusLeaver struct {
	Name  string        `json:"name"`
	PID   int           `json:"pid,omitempty"`
	ID    string        `json:"id,omitempty"`
	Since time.Time     `json:"since,omitzero"`
	Left  []statusThing `json:"left"`
}

// statusCount is how many things have one finding, of one client, and come to the same.
type statusCount struct {
	Finding  graph.Finding `json:"finding"`
	Kind     graph.Kind    `json:"kind"`
	Client   string        `json:"client"`
	Decision string        `json:"decision"`
	Action   policy.Action `json:"action,omitempty"`
	UnderWay bool          `json:"under_way,omitempty"`
	Count    int           `json:"count"`
}

// StatusJSON is the status for programs. noAnswer is why a daemon that runs has told nothing; else a is what a daemon
// tells, or what is known without one.
func StatusJSON(a *account.Account, noAnswer string) ([]byte, error) {
	switch {
	case noAnswer != "":
		return JSON(silentStatus{account.Version, true, noAnswer})
	case a.Decider.Kind != account.ByDaemon:
		return JSON(noStatus{Version: account.Version, Paused: !a.Decider.PausedUntil.IsZero(), PausedUntil: a.Decider.PausedUntil, PauseReason: a.Decider.PauseReason})
	}
	return JSON(statusOf(a))
}

func statusOf(a *account.Account) daemonStatus {
	d, of := a.Decider, cmp.Or(a.Decider.Daemon, &account.Daemon{})
	s := daemonStatus{
		Version: account.Version, Running: true, Build: of.Build, PID: d.PID, User: d.User, Whole: d.Whole, StartedAt: d.StartedAt, Listen: of.Listen, Ready: of.NotReady == "",
		NotReady: of.NotReady, Faults: listed(of.Faults), NoRoomIn: of.NoRoomIn, Unrecorded: of.Unrecorded, Mode: a.Mode, Rests: d.Rests,
		Policy:  statusPolicy{a.Policy, of.PolicyReadAt, listed(of.PolicyFaults), of.RefusedAt, of.RefusedFile},
		Sources: a.Sources, LastSweep: statusSweep{a.TakenAt, of.LookSeconds, of.LookedFor, "ok", of.LookFault}, NextSweep: d.NextLook, IntervalSeconds: of.IntervalSeconds,
		InUse: []statusSession{}, TargetsInUse: a.Summary.InUse, LastActs: append([]account.Act{}, a.Acts...), ReapedToday: a.Today.Stopped, FreedToday: a.Today.FreedBytes, Pins: a.Summary.Pinned,
		Paused: d.Rests == account.Paused, PausedUntil: d.PausedUntil, PauseReason: d.PauseReason, WriteErrors: of.JournalWriteErrors, FailedAt: of.JournalFailedAt,
		Unwritten: of.JournalUnwritten, StateFaults: listed(of.StateFaults), Headline: a.Headline, Notes: a.Said,
		Findings: []statusCount{}, Pending: []statusThing{}, Due: []statusThing{}, Resting: []statusThing{}, UnderWay: []statusThing{}, Leavers: []statusLeaver{},
		Stays: []statusThing{}, Containers: []statusThing{}, Gone: []statusThing{},
	}
	if of.LookFault != "" {
		s.LastSweep.Result = "error"
	}
	for _, session := range a.Sessions {
		s.InUse = append(s.InUse, statusSession{session, session.Fate == account.Idle, session.Fate == account.Ending})
	}
	for i := range a.Things {
		s.add(&a.Things[i], a.TakenAt)
	}
	for _, act := range a.Acts {
		if act.Outcome.Gone() {
			gone := account.Thing{ID: act.Target, Handle: act.Handle, Kind: act.Kind, Name: act.Name, Cwd: act.Cwd, Fate: account.Gone}
			s.Gone = append(s.Gone, statusThing{Thing: gone, Target: act.Target, Rule: act.Rule, Owner: act.Owner, At: act.At, How: act.Outcome})
		}
	}
	return s
}

func listed(texts []string) []string { return append([]string{}, texts...) }

// add puts a thing into the lists that are about it.
func (s *daemonStatus) add(t *account.Thing, at time.Time) {
	one := statusThing{Thing: *t, Target: t.ID, Owner: t.Owner.String(), Rule: cmp.Or(t.StopsBy, t.Rule), Cause: t.Why, Pinned: t.Pinned != "", At: at}
	isPending, isReaped := t.Decision == policy.Pending.String(), t.Decision == policy.Reap.String()
	for _, list := range []struct {
		is bool
		of *[]statusThing
	}{
		{isPending, &s.Pending}, {isReaped && !t.UnderWay, &s.Due}, {t.IfIdle && isPending, &s.Resting}, {t.UnderWay, &s.UnderWay},
		{t.Fate == account.Kept, &s.Stays}, {t.Kind == graph.KindContainer, &s.Containers},
	} {
		if list.is {
			*list.of = append(*list.of, one)
		}
	}
	if t.Kind == graph.KindContainer && t.Fate == account.InUse {
		s.ContainersInUse++
	}
	s.count(t)
	if t.Owner.Liveness == graph.LivenessGone && t.Owner.Name != "" {
		s.leave(t, one)
	}
}

// count counts a thing that has a finding, or goes.
func (s *daemonStatus) count(t *account.Thing) {
	if t.Finding == graph.FindingNone && t.Decision == policy.Keep.String() {
		return
	}
	count := statusCount{Finding: t.Finding, Kind: t.Kind, Client: cmp.Or(t.Owner.Name, "none"), Decision: t.Decision, UnderWay: t.UnderWay, Count: 1}
	if t.Decision == policy.Reap.String() {
		count.Action = t.Action
	}
	for i := range s.Findings {
		if like := s.Findings[i]; like == (statusCount{count.Finding, count.Kind, count.Client, count.Decision, count.Action, count.UnderWay, like.Count}) {
			s.Findings[i].Count++
			return
		}
	}
	s.Findings = append(s.Findings, count)
}

// leave adds a thing to what the session left that had it.
func (s *daemonStatus) leave(t *account.Thing, one statusThing) {
	id := inventory.ID{PID: t.Owner.PID, Start: t.Owner.Start}.String()
	at := slices.IndexFunc(s.Leavers, func(l statusLeaver) bool { return l.ID == id && l.Name == t.Owner.Name })
	if at < 0 {
		at = len(s.Leavers)
		s.Leavers = append(s.Leavers, statusLeaver{Name: t.Owner.Name, PID: t.Owner.PID, ID: id, Since: t.Owner.Since})
	}
	s.Leavers[at].Left = append(s.Leavers[at].Left, one)
}
