package report

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/usage"
)

type sessionJSON struct {
	ID          string         `json:"id"`
	Name        string         `json:"name,omitempty"`
	PID         int            `json:"pid"`
	Start       uint64         `json:"start"`
	StartedAt   time.Time      `json:"started_at,omitzero"`
	Liveness    graph.Liveness `json:"liveness"`
	Servers     int            `json:"servers"`
	Containers  int            `json:"containers"`
	MemoryBytes uint64         `json:"memory_bytes,omitempty"`
	Cwd         string         `json:"cwd,omitempty"`
	TTY         string         `json:"tty,omitempty"`
	// IdleSeconds is how long the session and all that works for it have done nothing;
	// missing if it is in use or nobody has watched it for long enough to know. IdleAtLeast means that it may be
	// longer.
	IdleSeconds    *float64  `json:"idle_seconds,omitempty"`
	IdleAtLeast    bool      `json:"idle_at_least,omitempty"`
	IdleSince      time.Time `json:"idle_since,omitzero"`
	TerminalUsedAt time.Time `json:"terminal_used_at,omitzero"`
	// LastUse is the last sign of use, and LastUsePID the process that showed it.
	LastUse    usage.Sign `json:"last_use,omitempty"`
	LastUsePID int        `json:"last_use_pid,omitempty"`
	// Resume is the command that resumes it in a new session, in its folder.
	Resume string `json:"resume,omitempty"`
	Pinned string `json:"pinned,omitempty"` // why it is pinned
	// StopsAt is when the daemon stops it by the rule StopsBy if it goes on doing nothing. Bound is what it holds
	// and must stay, and why: nothing stops the session then.
	StopsAt time.Time `json:"stops_at,omitzero"`
	StopsBy string    `json:"stops_by,omitempty"`
	Bound   string    `json:"bound,omitempty"`
}

// sessionsJSON are the sessions that the names mean, and those of what they mean.
func (v *view) sessionsJSON() []sessionJSON {
	out, asked := []sessionJSON{}, newChoice(v.in, v.in.Names)
	for i := range v.sessions() {
		s := &v.sessions()[i]
		if s.Process == nil {
			continue
		}
		holds := func(verdict *policy.Verdict) bool {
			return slices.ContainsFunc(v.held[s.Process.ID()], func(t *graph.Target) bool { return t.ID == verdict.Target.ID })
		}
		if len(v.in.Names) == 0 || asked.means(graph.Owner{Name: s.Name, ID: s.Process.ID()}) || slices.ContainsFunc(v.shown, holds) {
			out = append(out, v.sessionJSON(s))
		}
	}
	return out
}

func (v *view) sessionJSON(s *graph.Session) sessionJSON {
	p, a := s.Process, s.Activity
	out := sessionJSON{
		ID: p.ID().String(), Name: redact.Name(s.Name), PID: p.PID, Start: p.Start,
		StartedAt: p.StartedAt, Liveness: s.Liveness, Servers: s.Servers, Containers: s.Containers,
		MemoryBytes: s.MemoryBytes, Cwd: redact.Text(p.Cwd), TTY: p.TTY, TerminalUsedAt: a.TerminalUsed,
		LastUse: a.Last.Sign, LastUsePID: a.Last.PID, Resume: v.in.Resumes[s.Name], Pinned: pinOf(s.Target),
	}
	if idle, known := a.Idle().Get(); known && idle > 0 && !isHardlyWatched(s) {
		out.IdleSeconds, out.IdleAtLeast, out.IdleSince = rounded(idle.Seconds()), a.AtLeast, a.IdleSince.At
	}
	verdict, found := v.verdict(out.ID)
	switch {
	case !found:
	case verdict.Bound != nil:
		out.Bound = redact.Text(verdict.Bound.Sentence().String())
	case verdict.Ahead != nil && v.daemonActs():
		out.StopsAt, out.StopsBy = verdict.Ahead.DueAt, verdict.Ahead.Rule
	}
	return out
}
