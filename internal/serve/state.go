package serve

import (
	"cmp"
	"fmt"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/trigger"
	"github.com/reaperd/reaperd/internal/usage"
)

// Version is the version of [State] as JSON. Within one version keys are only
// added.
const Version = 1

// State is the daemon's account of itself: /api/v1/status.
type State struct {
	Version   int       `json:"version"`
	Build     Build     `json:"build"`
	PID       int       `json:"pid"`
	StartedAt time.Time `json:"started_at"`
	// Listen is the address of the port; "" if there is none.
	Listen string `json:"listen,omitempty"`
	// Ready is what /readyz says, and NotReady why it is not. Faults have the causes, with
	// the names of files.
	Ready    bool     `json:"ready"`
	NotReady string   `json:"not_ready,omitempty"`
	Faults   []string `json:"faults"`
	// NoRoomIn is the state directory if its disk has no room for a file: pins and pauses
	// cannot be changed; "" if there is room.
	NoRoomIn string `json:"no_room_in,omitempty"`
	// Unrecorded is the file of the journal if it takes no record: nothing is acted on then,
	// by a sweep by hand either. "" if it does.
	Unrecorded string      `json:"unrecorded,omitempty"`
	Mode       policy.Mode `json:"mode"`
	// ModeFrom is what set the mode over that of the policy; "" if nothing did.
	ModeFrom string      `json:"mode_from,omitempty"`
	Policy   PolicyState `json:"policy"`

	Sources         []inventory.Source `json:"sources"`
	LastSweep       *Sweep             `json:"last_sweep,omitempty"`
	NextSweep       time.Time          `json:"next_sweep,omitzero"`
	IntervalSeconds float64            `json:"interval_seconds,omitempty"`

	InUse []Client `json:"in_use"`
	// TargetsInUse counts what is in use, without what idle sessions hold and what is being stopped. An older copy
	// counts until it is idle for as long as its rule asks. TargetsInUseGoing counts those of
	// them that rules stop, now or later.
	TargetsInUse      int `json:"targets_in_use"`
	TargetsInUseGoing int `json:"targets_in_use_going,omitempty"`
	// ContainersInUse counts those of TargetsInUse that are containers; nil from a daemon that does not tell.
	ContainersInUse *int `json:"containers_in_use,omitempty"`
	// TargetsMaybeInUse counts what may be in use beside these, by a process that the daemon
	// cannot see.
	TargetsMaybeInUse int       `json:"targets_maybe_in_use,omitempty"`
	Findings          []Count   `json:"findings"`
	Pending           []Pending `json:"pending"`
	// Due are the targets whose time has come and whose end has not begun: a pause, the mode or a fault holds
	// them back, or they are about to end.
	Due []Pending `json:"due"`
	// Resting are the older copies that a rule stops once they have been idle for as long as it asks: with the first look
	// after DueAt, if they go on doing nothing. They count as in use.
	Resting []Pending `json:"resting"`
	// UnderWay are the acts that have begun and not ended.
	UnderWay []Begun `json:"under_way"`
	// Leavers are the sessions that have ended, each with what it left behind.
	Leavers []Leaver `json:"leavers"`
	// Gone are sessions that have ended since the daemon started, and things of theirs and
	// others that were to go and went; the last ones, the newest last.
	Gone []Gone `json:"gone"`
	// Containers are the MCP containers of the last look, and those that it cannot show because
	// their engine could not be read.
	Containers []SeenContainer `json:"containers"`
	// Stays are the things that have a finding or are pinned, and stay.
	Stays    []Stay `json:"stays"`
	LastActs []Act  `json:"last_acts"` // the newest first

	ReapedToday     int    `json:"reaped_today"`
	FreedTodayBytes uint64 `json:"freed_today_bytes"`

	// Remembered is what a tool takes over of each target when it begins to look, by the
	// target's id, and Watched of each session, by the session's.
	Remembered map[string]graph.Recalled `json:"remembered,omitempty"`
	Watched    map[string]usage.Watched  `json:"watched,omitempty"`

	// Pins counts the pins of the daemon's user, and UsersPins those of other users that hold for a root daemon too.
	Pins        int       `json:"pins"`
	UsersPins   int       `json:"users_pins,omitempty"`
	Paused      bool      `json:"paused"`
	PausedUntil time.Time `json:"paused_until,omitzero"`
	PauseReason string    `json:"pause_reason,omitempty"`
	// JournalWriteErrors counts the writes to the journal that failed at first, since the
	// daemon started, JournalFailedAt is when the last of them was, and JournalUnwritten counts
	// the outcomes of acts that the journal does not have.
	JournalWriteErrors uint64    `json:"journal_write_errors"`
	JournalFailedAt    time.Time `json:"journal_failed_at,omitzero"`
	JournalUnwritten   uint64    `json:"journal_unwritten"`
}

// NextLook is when the daemon looks next, if nothing wakes it before: by its schedule, or as something is due.
// Zero is never.
func (s *State) NextLook() time.Time {
	next := s.NextSweep
	earlier := func(at time.Time) {
		isAhead := s.LastSweep != nil && at.After(s.LastSweep.At) // what was due before and stays is not waited for
		if isAhead && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	for _, pending := range s.Pending {
		earlier(pending.DueAt)
	}
	for i := range s.InUse {
		earlier(s.InUse[i].StopsAt)
	}
	return next
}

// IdleSince are the sessions that did nothing at the last look, and since when.
func (s *State) IdleSince() map[inventory.ID]time.Time {
	since := map[inventory.ID]time.Time{}
	if s.LastSweep == nil {
		return since
	}
	s.eachSession(func(id inventory.ID, client *Client) {
		if client.rests() {
			since[id] = s.LastSweep.At.Add(-time.Duration(*client.IdleSeconds * float64(time.Second)))
		}
	})
	return since
}

// eachSession visits the sessions whose identity is known.
func (s *State) eachSession(visit func(id inventory.ID, client *Client)) {
	for i := range s.InUse {
		if id, err := inventory.ParseID(s.InUse[i].ID); err == nil {
			visit(id, &s.InUse[i])
		}
	}
}

// rests reports a session that did nothing at the last look.
func (c *Client) rests() bool { return c.IdleSeconds != nil && *c.IdleSeconds > 0 }

// PolicyState is the policy in effect, and the faults of the file that was read last.
type PolicyState struct {
	Source string `json:"source,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	// FileMode is the mode that the policy's files say, where something else has set that of the daemon.
	FileMode policy.Mode `json:"file_mode,omitempty"`
	ReadAt   time.Time   `json:"read_at,omitzero"`
	Faults   []string    `json:"faults"`
	// RefusedAt is when the file with the faults was read; zero if there are none.
	RefusedAt time.Time `json:"refused_at,omitzero"`
	// RefusedFile is that file; "" if there are none.
	RefusedFile string `json:"refused_file,omitempty"`
}

// Sweep is one finished sweep.
type Sweep struct {
	At              time.Time       `json:"at"`
	DurationSeconds float64         `json:"duration_seconds"`
	Trigger         trigger.Trigger `json:"trigger"`
	Result          Result          `json:"result"`
	Why             string          `json:"why,omitempty"`
}

// Duration is how long it took.
func (s *Sweep) Duration() time.Duration {
	return time.Duration(s.DurationSeconds * float64(time.Second))
}

// AfterRoots is the state of a daemon that only reports because root's daemon ran, and that one has ended: from the next
// look on it goes by its policy. The mode of that is in it, or report if it is not told. It returns false for any other.
func (s *State) AfterRoots(runs bool) (*State, bool) {
	if s.ModeFrom != policy.BesideSystem || runs {
		return s, false
	}
	after := *s
	after.Mode, after.ModeFrom = cmp.Or(s.Policy.FileMode, s.Mode), ""
	return &after, true
}

// ModeText is the mode with what set it over that of the policy: "report (--mode)".
func (s *State) ModeText() string {
	if s.ModeFrom == "" {
		return string(s.Mode)
	}
	return fmt.Sprintf("%s (%s)", s.Mode, s.ModeFrom)
}

// Client is one live session and its use.
type Client struct {
	Name        string `json:"name"`
	PID         int    `json:"pid"`
	Servers     int    `json:"servers"`
	Containers  int    `json:"containers,omitempty"`
	MemoryBytes uint64 `json:"memory_bytes,omitempty"`
	// Unmeasured counts the running containers whose memory is not known, and not in MemoryBytes.
	Unmeasured int    `json:"unmeasured,omitempty"`
	ID         string `json:"id,omitempty"`
	Cwd        string `json:"cwd,omitempty"`
	User       string `json:"user,omitempty"`
	// IdleSeconds is how long it and all that works for it have done nothing; nil if
	// it is in use or that is not known. IdleAtLeast means that it may be longer: it
	// was never seen in use.
	IdleSeconds *float64 `json:"idle_seconds,omitempty"`
	// Idle means that it has been idle for as long as the policy asks.
	Idle        bool      `json:"idle,omitempty"`
	IdleAtLeast bool      `json:"idle_at_least,omitempty"`
	IdleSince   time.Time `json:"idle_since,omitzero"`
	// UnderWay means that it is being stopped, with all that it holds. It is as idle then as when that began.
	UnderWay bool `json:"under_way,omitempty"`
	// StopsAt is when a rule, StopsBy, stops it if it goes on doing nothing; zero if none does.
	StopsAt time.Time `json:"stops_at,omitzero"`
	StopsBy string    `json:"stops_by,omitempty"`
	// LastUse is the last sign of use that was seen, and LastUsePID the process that showed it.
	LastUse    usage.Sign `json:"last_use,omitempty"`
	LastUsePID int        `json:"last_use_pid,omitempty"`
	// UsedAt is when it was last seen in use, also where not all of it can be measured.
	UsedAt time.Time `json:"used_at,omitzero"`
}

// Pending is one target that will be reaped when it is due. DueAt is zero where that has come.
type Pending struct {
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	Rule  string    `json:"rule"`
	DueAt time.Time `json:"due_at,omitzero"`
	User  string    `json:"user,omitempty"`
	// Owner is the live session or program that has it: "claude-code 44"; "" if none lives.
	Owner string `json:"owner,omitempty"`
	// Container is what a container is called.
	Container string `json:"container_name,omitempty"`
	// AtOnce marks what nobody owns: `sweep --now` does not let it wait.
	AtOnce bool `json:"at_once,omitempty"`
	// WaitsFor is the id of the target for which it waits although its own time is over, and With that of the target with which this
	// one goes.
	WaitsFor    string `json:"waits_for,omitempty"`
	With        string `json:"reaped_with,omitempty"`
	MemoryBytes uint64 `json:"memory_bytes,omitempty"`
}

// Act is one act of a sweep and its outcome.
type Act struct {
	At     time.Time     `json:"at"`
	Target string        `json:"target"`
	Name   string        `json:"name"`
	Handle string        `json:"handle,omitempty"` // the shortest word that names it
	Kind   graph.Kind    `json:"kind"`
	Rule   string        `json:"rule"`
	Action policy.Action `json:"action"`
	// ByHand is the command by which a person asked for the act, as in [policy.Outcome].
	ByHand     string      `json:"by_hand,omitempty"`
	Outcome    done.Result `json:"outcome"`
	FreedBytes uint64      `json:"freed_bytes,omitempty"`
}

// maxActs is how many acts are shown.
const maxActs = 20

// today counts what was reaped on one day, in local time.
type today struct {
	day    string
	reaped int
	freed  uint64
}

func dayOf(at time.Time) string { return at.Local().Format(time.DateOnly) }

// on is the count of the day of that moment.
func (t today) on(at time.Time) today {
	if day := dayOf(at); day != t.day {
		return today{day: day}
	}
	return t
}

// add counts what was reaped at a moment. An act of an earlier day does not change
// this day's count.
func (t *today) add(at time.Time, reaped int, freed uint64) {
	if dayOf(at) < t.day {
		return
	}
	*t = t.on(at)
	t.reaped += reaped
	t.freed += freed
}

// current is the state of the last update, without the server's part. Its lists no
// longer change.
func (m *Metrics) current() State {
	state, _ := m.currentLook()
	return state
}

// currentLook is the current state, and makes the tree of the same update; nil before
// the first.
func (m *Metrics) currentLook() (State, func() overview.Tree) {
	now := m.now()
	m.mu.RLock()
	defer m.mu.RUnlock()
	state := m.state
	day := m.today.on(now)
	state.ReapedToday, state.FreedTodayBytes = day.reaped, day.freed
	return state, m.tree
}

// handedOver is what a look hands over to a tool: the targets and the sessions, by their ids.
type handedOver struct {
	targets  map[string]graph.Recalled
	sessions map[string]usage.Watched
}

// handedOver is that of the last look; empty before the first.
func (m *Metrics) handedOver() handedOver {
	m.mu.RLock()
	recall := m.recall
	m.mu.RUnlock()
	if recall == nil {
		return handedOver{}
	}
	return recall()
}

func handOver(g *graph.Graph) handedOver {
	all := handedOver{targets: map[string]graph.Recalled{}, sessions: map[string]usage.Watched{}}
	for _, t := range g.Targets {
		if r, known := t.Recall(g.Snapshot.TakenAt); known && t.Kind != graph.KindSession {
			all.targets[t.ID] = r
		}
	}
	for i := range g.Sessions {
		s := &g.Sessions[i]
		if w, known := s.Activity.Watched(); known && s.Process != nil {
			all.sessions[s.Process.ID().String()] = w
		}
	}
	return all
}

// Sessions are the sessions that the daemon has watched.
func (s *State) Sessions() map[inventory.ID]usage.Watched {
	sessions := make(map[inventory.ID]usage.Watched, len(s.Watched))
	for text, watched := range s.Watched {
		if id, err := inventory.ParseID(text); err == nil {
			sessions[id] = watched
		}
	}
	return sessions
}
