package account

import (
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// Version is the version of the JSON of an [Account].
const Version = 1

// Account is what one look came to.
type Account struct {
	Version  int                `json:"version"`
	TakenAt  time.Time          `json:"taken_at"`
	Complete bool               `json:"complete"` // no source failed, and no act did
	Mode     policy.Mode        `json:"mode,omitempty"`
	Decider  Decider            `json:"decider"`
	Reader   *int               `json:"reader_uid,omitempty"` // whose things these are; nil: everybody's
	Policy   Policy             `json:"policy"`
	Host     inventory.Host     `json:"host"`
	Sources  []inventory.Source `json:"sources"`
	Sessions []Session          `json:"sessions"`
	Things   []Thing            `json:"targets"`
	AlsoLeft []AlsoLeft         `json:"also_left,omitempty"`
	Outcomes []Act              `json:"outcomes,omitzero"`  // of the sweep that this came of; nil in a scan
	Acts     []Act              `json:"last_acts,omitzero"` // what was done lately, the newest first
	Today    Today              `json:"today,omitzero"`
	Summary  Summary            `json:"summary"`
	// Premise is by what was judged, where that is not what holds here: a what-if, a replay.
	Premise Text `json:"premise,omitempty"`
	// Headline is the answer in one sentence, Sections are its rows, in the order in which
	// every screen shows them.
	Headline Text      `json:"headline"`
	Sections []Section `json:"sections"`
	// Notes are what is not well, each with its remedy; Said is the same as text alone.
	Notes []Note   `json:"remarks,omitempty"`
	Said  []string `json:"notes,omitempty"`

	processes map[int]int // how many there are, by user
	today     map[int]Today
	pauses    map[int]Pause
	told      []Note // those that do not follow from the account
}

// Today is what was stopped on the present day.
type Today struct {
	Stopped    int    `json:"stopped"`
	FreedBytes uint64 `json:"freed_bytes,omitempty"`
}

// Decider is who decides about the things of an account, and whether it acts.
type Decider struct {
	// Kind is "daemon", "command" (one pass) or "replay" (saved snapshots).
	Kind string `json:"kind"`
	PID  int    `json:"pid,omitempty"`
	User string `json:"user,omitempty"`
	// Whole means that it decides for the whole host, and not for one user alone.
	Whole bool `json:"whole,omitempty"`
	// Rests is why nothing is acted on; empty where it acts. [Of] finds it.
	Rests       Rest      `json:"rests,omitempty"`
	StartedAt   time.Time `json:"started_at,omitzero"`
	NextLook    time.Time `json:"next_look,omitzero"`
	PausedUntil time.Time `json:"paused_until,omitzero"`
	PauseReason string    `json:"pause_reason,omitempty"`
	// Daemon is what a daemon says of itself; nil of any other.
	Daemon *Daemon `json:"daemon,omitempty"`
}

// Rest is why a decider acts on nothing.
type Rest string

// The reasons.
const (
	Paused      Rest = "paused"
	OnlyReports Rest = "report" // the policy says so
	Unrecorded  Rest = "unrecorded"
	NoPolicy    Rest = "no policy"
)

// Daemon is what a daemon says of itself. What is well is empty.
type Daemon struct {
	Build           Build         `json:"build,omitzero"`
	Listen          string        `json:"listen,omitempty"`
	IntervalSeconds float64       `json:"interval_seconds,omitempty"`
	LookedFor       human.Trigger `json:"looked_for,omitempty"` // what started the last look
	LookSeconds     float64       `json:"look_seconds,omitempty"`
	LookFault       string        `json:"look_fault,omitempty"` // why the last look failed
	// NotReady is why it does not work as it should, and Faults the causes with the names of files.
	NotReady string   `json:"not_ready,omitempty"`
	Faults   []string `json:"faults,omitempty"`
	// PolicyFaults are those of the file RefusedFile, in place of which the policy before it holds.
	PolicyReadAt time.Time `json:"policy_read_at,omitzero"`
	PolicyFaults []string  `json:"policy_faults,omitempty"`
	RefusedFile  string    `json:"refused_file,omitempty"`
	RefusedAt    time.Time `json:"refused_at,omitzero"`
	// NoRoomIn is the state directory if its disk is full, Unrecorded the journal if it takes no record.
	NoRoomIn           string    `json:"no_room_in,omitempty"`
	Unrecorded         string    `json:"unrecorded,omitempty"`
	StateFaults        []string  `json:"state_faults,omitempty"`
	JournalWriteErrors uint64    `json:"journal_write_errors,omitempty"`
	JournalFailedAt    time.Time `json:"journal_failed_at,omitzero"`
	JournalUnwritten   uint64    `json:"journal_unwritten,omitempty"`
}

// Build is the program that runs.
type Build struct {
	Version  string `json:"version,omitempty"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go,omitempty"`
}

// The kinds of deciders.
const (
	ByDaemon  = "daemon"
	ByCommand = "command"
	ByReplay  = "replay"
)

// Policy is the policy by which was judged.
type Policy struct {
	Source string `json:"source,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	// File marks a policy that a person asked about with --policies: a what-if.
	File bool `json:"what_if,omitempty"`
}

// Session is one live agent client and what it holds.
type Session struct {
	ID          string         `json:"id"`
	Name        string         `json:"name,omitempty"`
	PID         int            `json:"pid"`
	Start       uint64         `json:"start"`
	StartedAt   time.Time      `json:"started_at,omitzero"`
	Liveness    graph.Liveness `json:"liveness"`
	Servers     int            `json:"servers"`
	Containers  int            `json:"containers"`
	MemoryBytes uint64         `json:"memory_bytes,omitempty"` // with all that it holds
	Unmeasured  int            `json:"unmeasured,omitempty"`   // containers whose memory is not known, and not among that
	Cwd         string         `json:"cwd,omitempty"`
	TTY         string         `json:"tty,omitempty"`
	User        string         `json:"user,omitempty"`
	// Fate is that of the session and of what it holds.
	Fate Fate `json:"fate"`
	// IdleSeconds is how long the session and all that works for it have done nothing;
	// missing if it is in use or nobody has watched it for long enough to know. IdleAtLeast
	// means that it may be longer.
	IdleSeconds    *float64  `json:"idle_seconds,omitempty"`
	IdleAtLeast    bool      `json:"idle_at_least,omitempty"`
	IdleSince      time.Time `json:"idle_since,omitzero"`
	TerminalUsedAt time.Time `json:"terminal_used_at,omitzero"`
	// LastUse is the last sign of use, and LastUsePID the process that showed it.
	LastUse    graph.Sign `json:"last_use,omitempty"`
	LastUsePID int        `json:"last_use_pid,omitempty"`
	UsedAt     time.Time  `json:"used_at,omitzero"` // when it was last seen in use
	// Resume is the command that resumes it in a new session, in its folder.
	Resume string `json:"resume,omitempty"`
	Pinned string `json:"pinned,omitempty"` // why it is pinned
	// StopsAt is when it is stopped by the rule StopsBy, if it goes on doing nothing.
	StopsAt time.Time `json:"stops_at,omitzero"`
	StopsBy string    `json:"stops_by,omitempty"`
	// Bound is what it holds and must stay, and why: nothing stops the session then.
	Bound string `json:"bound,omitempty"`

	uid inventory.Fact[int]
}

// Thing is a server, a gateway, a container, or a session with a finding.
type Thing struct {
	ID          string     `json:"id"`
	Kind        graph.Kind `json:"kind"`
	Name        string     `json:"name,omitempty"`
	Handle      string     `json:"handle,omitempty"` // the shortest word that names it on a command line
	Group       string     `json:"group"`
	PID         int        `json:"pid,omitempty"`
	Start       uint64     `json:"start,omitempty"`
	StartedAt   time.Time  `json:"started_at,omitzero"`
	PIDs        []int      `json:"pids,omitempty"`
	LeftOpen    []int      `json:"left,omitempty"`      // what of it stays open, such as a person's browser
	Leaves      string     `json:"left_open,omitempty"` // the same, for people
	ContainerID string     `json:"container_id,omitempty"`
	Container   string     `json:"container_name,omitempty"`
	Image       string     `json:"image,omitempty"`
	State       string     `json:"state,omitempty"` // of a container
	Engine      string     `json:"engine,omitempty"`
	Client      string     `json:"client,omitempty"` // of a container: the id of its docker run
	Containers  []string   `json:"containers,omitempty"`
	Below       []string   `json:"below,omitempty"`
	Argv        []string   `json:"argv,omitempty"`
	Cwd         string     `json:"cwd,omitempty"`
	User        string     `json:"user,omitempty"`
	Ports       []int      `json:"ports,omitempty"`   // on which it listens
	Clients     int        `json:"clients,omitempty"` // connections to it

	Recognised   string `json:"recognised,omitempty"`
	RecognisedBy string `json:"recognised_by,omitempty"`

	Owner        Owner         `json:"owner"`
	Finding      graph.Finding `json:"finding"`
	FindingSince time.Time     `json:"finding_since,omitzero"`

	// Fate is what becomes of it, and Why the reason in one sentence without a full stop.
	Fate Fate   `json:"fate"`
	Why  string `json:"reason,omitempty"`
	// Remedy is what ends that reason, where it is that somebody may be attached to it who may only watch.
	Remedy string `json:"remedy,omitempty"`
	// Decision, Rule and Action are the policy's. DueAt is when it goes; missing where nobody
	// counts. Head is the id of the thing with which it ends; empty if it ends by itself.
	Decision string        `json:"decision"`
	UnderWay bool          `json:"under_way,omitempty"`
	Imminent bool          `json:"imminent,omitempty"` // under way, and nothing of it has been touched
	DueAt    time.Time     `json:"due_at,omitzero"`
	IfIdle   bool          `json:"if_idle,omitempty"`  // it goes then if it stays idle
	StopsBy  string        `json:"stops_by,omitempty"` // by this rule, where Rule is not the one
	Rule     string        `json:"rule,omitempty"`
	Origin   string        `json:"rule_origin,omitempty"` // file and line of the rule
	Action   policy.Action `json:"action,omitempty"`
	EndsWith string        `json:"ends_with,omitempty"` // of a docker run: its container goes, and it exits then
	WaitsFor string        `json:"waits_for,omitempty"`
	Head     string        `json:"reaped_with,omitempty"`
	Protect  string        `json:"protected_by,omitempty"`
	// Unclear: nothing is wrong with it, and nothing proves whose it is.
	Unclear      bool      `json:"unclear,omitempty"`
	NeedsSeconds float64   `json:"needs_seconds,omitempty"` // how far apart two looks must be that prove it
	PausedUntil  time.Time `json:"paused_until,omitzero"`   // its user has paused what is done about it

	Evidence []graph.Evidence `json:"evidence"`
	Guards   []graph.Veto     `json:"vetoes"`

	Listening   *bool    `json:"listening,omitempty"`
	Generation  int      `json:"generation,omitempty"`
	Zombies     int      `json:"zombies,omitempty"`
	Respawns    int      `json:"respawns,omitempty"`
	IdleSeconds *float64 `json:"idle_seconds,omitempty"`
	AgeSeconds  *float64 `json:"age_seconds,omitempty"`
	MemoryBytes uint64   `json:"memory_bytes,omitempty"`
	MemoryKind  string   `json:"memory_kind,omitempty"`
	CPUPercent  *float64 `json:"cpu_percent,omitempty"`
	Pinned      string   `json:"pinned,omitempty"` // why it is pinned
	Unpin       string   `json:"unpin,omitempty"`  // the command that ends the pin

	Held bool `json:"held,omitempty"` // of a container: it is shown as its docker run

	uid    inventory.Fact[int]
	engine string // of a container: the endpoint at which it was seen
}

// AlsoLeft is what a session that has ended left running beside its servers: nothing acts on it.
type AlsoLeft struct {
	Session      Owner    `json:"session"`
	PIDs         []int    `json:"pids"` // the outermost, with all below them
	ContainerIDs []string `json:"container_ids,omitempty"`
	Names        []string `json:"names"` // of these and those: "next dev :3000", "container db"
	Cwd          string   `json:"cwd,omitempty"`
	MemoryBytes  uint64   `json:"memory_bytes,omitempty"` // of the processes

	uid inventory.Fact[int]
}

// Owner is who has a thing, or had it.
type Owner struct {
	Name     string          `json:"name,omitempty"`
	Kind     graph.OwnerKind `json:"kind,omitempty"`
	PID      int             `json:"pid,omitempty"`
	Start    uint64          `json:"start,omitempty"`
	Liveness graph.Liveness  `json:"liveness"`
	Since    time.Time       `json:"since,omitzero"` // gone: first seen gone
}

// Act is one act that is over, and what came of it.
type Act struct {
	ID         string        `json:"id"`
	Target     string        `json:"target"`
	Name       string        `json:"name,omitempty"`
	Handle     string        `json:"handle,omitempty"` // the shortest word that names it
	Kind       graph.Kind    `json:"kind,omitempty"`
	Owner      string        `json:"owner,omitempty"`
	Cwd        string        `json:"cwd,omitempty"`
	Action     policy.Action `json:"action"`
	Rule       string        `json:"rule,omitempty"`
	By         string        `json:"by,omitempty"`      // the person who asked for it; empty is the daemon
	ByHand     string        `json:"by_hand,omitempty"` // the command by which
	Outcome    human.Result  `json:"outcome"`
	Detail     string        `json:"detail,omitempty"`
	FreedBytes uint64        `json:"freed_bytes,omitempty"`
	At         time.Time     `json:"at,omitzero"`

	uid inventory.Fact[int]
}

// Summary are the sums. A container and its docker run are two targets and one server.
type Summary struct {
	Processes int `json:"processes"`
	Sessions  int `json:"sessions"`
	// Servers includes gateways. Containers counts those that are targets.
	Servers    int                   `json:"servers"`
	Containers int                   `json:"containers"`
	Findings   map[graph.Finding]int `json:"findings"`
	Reap       int                   `json:"reap"`
	Pending    int                   `json:"pending"`
	// ReclaimableBytes is the memory of what is to be reaped now.
	ReclaimableBytes uint64 `json:"reclaimable_bytes"`
	ReclaimedBytes   uint64 `json:"reclaimed_bytes,omitempty"`

	// What a person counts: servers, a container and its docker run as one.
	InUse        int    `json:"in_use"`
	Idle         int    `json:"idle"`
	Leaked       int    `json:"leaked"`
	Kept         int    `json:"kept"`
	Ending       int    `json:"ending,omitempty"`
	Failing      int    `json:"failing,omitempty"`      // gateways below a live session
	OlderCopies  int    `json:"older_copies,omitempty"` // in use or not: a newer one serves the same owner
	Pinned       int    `json:"pinned,omitempty"`
	LeakedBytes  uint64 `json:"leaked_bytes,omitempty"`
	IdleSessions int    `json:"idle_sessions,omitempty"`
	IdleBytes    uint64 `json:"idle_bytes,omitempty"`
}

// Note is something that is not well, and the command or the step that mends it.
type Note struct {
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

// Section is one of the parts of the tree: [Leaked], [Kept] or in use.
type Section struct {
	Fate Fate  `json:"fate"`
	Rows []Row `json:"rows"`
}

// Row is one line of the tree: a session with what it has or left, or a kind of thing.
type Row struct {
	ID    string `json:"id"`    // of the session or thing; else a name that stays from look to look
	Title string `json:"title"` // "claude-code 91"
	Place string `json:"place,omitempty"`
	// State is what is so of it and what comes: "ended 21m ago · stops in 24s".
	State       Text     `json:"state"`
	Servers     int      `json:"servers"`
	MemoryBytes uint64   `json:"memory_bytes,omitempty"`
	Things      []string `json:"things"` // ids, in order
	// Word names all of it on a command line.
	Word string `json:"word,omitempty"`
}
