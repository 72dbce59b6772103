package account

import (
	"context"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
)

// Asker is who answers about a host and takes orders: the daemon, asked over its socket, or
// the command itself for one pass. The caller is the user of this process; what is not the
// caller's own is refused, and is not in an answer.
type Asker interface {
	// Account is the account of the last look. fresh asks for a look first, unless the last
	// one is younger than a second.
	Account(ctx context.Context, fresh bool) (*Account, error)
	// Follow calls tell with the account of each look, until ctx ends.
	Follow(ctx context.Context, tell func(*Account)) error
	// Explain tells all that is known of what a word means.
	Explain(ctx context.Context, word string) (*Explanation, error)
	History(ctx context.Context, query Period) (*History, error)
	// Record calls tell with each entry of the journal since a moment, and then with new ones, until
	// ctx ends.
	Record(ctx context.Context, since time.Time, tell func(journal.Entry)) error

	Pins(ctx context.Context) ([]Pin, error)
	Pin(ctx context.Context, word string, until time.Time, why string) ([]Pin, error)
	Unpin(ctx context.Context, words []string) ([]Pin, error)
	// Pause and Resume are about the things of the caller; of root about all.
	Pause(ctx context.Context, until time.Time, why string) (Pause, error)
	Resume(ctx context.Context) (Pause, error)

	// Plan is what a sweep would do. Act carries it out: it looks again and acts on what was
	// planned and still holds.
	Plan(ctx context.Context, order Order) (*Plan, error)
	Act(ctx context.Context, plan *Plan) (*Result, error)
}

// Order is what a person asks of a sweep. The zero value wants all that the policy wants.
type Order struct {
	Words      []string      `json:"words,omitempty"` // narrow it
	Rules      []string      `json:"rules,omitempty"`
	Duplicates bool          `json:"duplicates,omitempty"` // older copies too, which the policy only reports
	IdleOver   time.Duration `json:"idle_over,omitempty"`  // and sessions that have done nothing for so long
	// Settle is the least time between two looks that agree; for a daemon, for which it must
	// have seen a finding.
	Settle time.Duration `json:"settle,omitempty"`
	// Enforce lets a sweep act under a policy of mode report.
	Enforce bool `json:"enforce,omitempty"`
}

// Plan is what a sweep would do, as it was asked for.
type Plan struct {
	ID       string   `json:"id"` // under which the decider knows it
	Account  *Account `json:"account"`
	Order    Order    `json:"order"`
	Targets  []string `json:"targets"`  // ids, in the order of the acts
	Servers  int      `json:"servers"`  // as a person counts them
	Sessions int      `json:"sessions"` // ended ones that left them
	Bytes    uint64   `json:"bytes,omitempty"`
	// Rows are what goes. Live are the rows among them that a live session uses: an idle session, a failing
	// gateway, an older copy.
	Rows []Row `json:"rows"`
	Live []Row `json:"live,omitempty"`
	// Stays is what was named and stays, each with the reason.
	Stays []Stay `json:"stays,omitempty"`
	// Question is what a person is asked: "Stop 42 MCP servers of 7 ended sessions, 1.9 GB?"
	Question string        `json:"question,omitempty"`
	Grace    time.Duration `json:"grace,omitempty"` // the longest
	// What goes, counted, and what the plan comes to where nobody is asked.
	What  string `json:"what,omitempty"`
	Would Text   `json:"would"`
}

// Stay is something that stays although it was named or waits for its time.
type Stay struct {
	Called string `json:"called"`
	More   int    `json:"more,omitempty"` // how many more stay for the same reason
	Why    string `json:"why"`
}

// Result is what came of a plan.
type Result struct {
	Account  *Account      `json:"account"` // after the acts; Acts has the outcomes
	Stopped  int           `json:"stopped"` // servers, as a person counts them
	Sessions int           `json:"sessions,omitempty"`
	Freed    uint64        `json:"freed_bytes,omitempty"`
	Took     time.Duration `json:"took"`
	Stays    []Stay        `json:"stays,omitempty"` // what failed, or did not hold any more
}

// Pin is a person's word that something stays.
type Pin struct {
	Target string `json:"id"`
	Called string `json:"name"`
	// Members are its processes, and BootID the boot to which they belong; of a container Container is its name.
	Members   []string  `json:"members,omitempty"`
	BootID    string    `json:"boot_id,omitempty"`
	Container string    `json:"container,omitempty"`
	Owner     string    `json:"owner,omitempty"` // who had it: "claude-code 44"
	OwnerID   string    `json:"owner_id,omitempty"`
	UID       int       `json:"by_uid"`
	User      string    `json:"user,omitempty"`
	At        time.Time `json:"at"`
	Until     time.Time `json:"until,omitzero"`
	Why       string    `json:"reason,omitempty"`
	There     bool      `json:"running"` // the thing is there
}

// Pause is a person's word that nothing is done for a while. The zero value is none.
type Pause struct {
	Until time.Time `json:"until,omitzero"`
	User  string    `json:"user,omitempty"`
	Why   string    `json:"reason,omitempty"`
}

// Period is what a history is about.
type Period struct {
	Since  time.Time `json:"since,omitzero"`
	PID    int       `json:"pid,omitempty"`
	Rule   string    `json:"rule,omitempty"`
	Name   string    `json:"name,omitempty"`   // a glob for the name of what was acted on, or its id
	Newest int       `json:"newest,omitempty"` // how many acts are told, the last ones; zero is all
	// Now is when it is asked, in the reader's zone: days are those of this zone.
	Now time.Time `json:"now,omitzero"`
}

// History is what the journal tells of a period, of what a reader may see.
type History struct {
	Version int `json:"version"`
	// Journal is its file, Complete that all of it could be read, TornLines counts lines that were cut
	// short, and Unwritten outcomes that are not in it yet: the reader of the journal sets them.
	Journal   string        `json:"journal"`
	Complete  bool          `json:"complete"`
	TornLines int           `json:"torn_lines"`
	Unwritten uint64        `json:"unwritten"`
	Unread    string        `json:"unread,omitempty"` // why a part of it could not be read
	Summary   Sums          `json:"summary"`
	Days      []Day         `json:"days"`
	Entries   []RecordedAct `json:"entries"` // the oldest first
	Older     int           `json:"older_entries,omitempty"`
	Lines     []HistoryLine `json:"lines"`         // the newest first
	From      time.Time     `json:"from,omitzero"` // where the journal begins, if later than what was asked for
}

// HistoryLine is a sweep that a person asked for, or the end of a session with what it left.
type HistoryLine struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"` // "claude-code 91 ~/src/web ended: 6 servers stopped, 280 MB"
	Acts []string  `json:"acts"` // ids of the acts
}

// RecordedAct is an act as the journal has it: its outcome, or its intention where there is no outcome.
type RecordedAct struct {
	journal.Entry
	Unfinished bool `json:"unfinished,omitempty"`
	// Again: another act was ending the same thing at the same time, and only that one counts.
	Again bool `json:"again,omitempty"`

	began time.Time
}

// Sums count acts and what they freed.
type Sums struct {
	Reaped      int    `json:"reaped"`
	FreedBytes  uint64 `json:"freed_bytes"`
	AlreadyGone int    `json:"already_gone"`
	LeftAlone   int    `json:"left_alone"`
	Failed      int    `json:"failed"`
	Unfinished  int    `json:"unfinished"`
}

// Day is the sums of one day.
type Day struct {
	Day string `json:"day"`
	Sums
}

// Explanation is all that is known of one thing, of a process that is none, or of what has
// gone.
type Explanation struct {
	Version  int         `json:"version"`
	TakenAt  time.Time   `json:"taken_at,omitzero"`
	Complete bool        `json:"complete"`
	Mode     policy.Mode `json:"mode,omitempty"`
	Policy   Policy      `json:"policy"`
	Word     string      `json:"word"` // what was asked for

	// Thing and Session are it; Holds is what a session holds, also through gateways.
	Thing        *Thing   `json:"target,omitempty"`
	Session      *Session `json:"session,omitempty"`
	Holds        []Thing  `json:"holds,omitzero"`
	ForSeconds   *float64 `json:"for_seconds,omitempty"` // how long its rule wants the finding to hold
	HeldSeconds  *float64 `json:"held_seconds,omitempty"`
	GraceSeconds *float64 `json:"grace_seconds,omitempty"`
	Looks        int      `json:"looks,omitempty"` // how many in a row saw the finding
	RuleOrigin   string   `json:"rule_origin,omitempty"`

	// Process is a process that is no thing of reaperd's; Gone is what is not here.
	Process *Process `json:"process,omitempty"`
	Gone    *Absent  `json:"gone,omitempty"`

	Told
	// Notes are what is not well, each with its remedy; Said is the same as text alone, under the key that it
	// has always had.
	Notes []Note   `json:"remarks,omitempty"`
	Said  []string `json:"notes,omitempty"`

	uid inventory.Fact[int]
}

// Told is what an explanation says in words.
type Told struct {
	Answer   Text       `json:"answer"` // in a sentence or two
	Facts    []Fact     `json:"facts"`
	Tree     []TreeLine `json:"tree,omitempty"`
	Commands []Command  `json:"commands,omitempty"`
}

// IsOf reports that what is explained is a user's own.
func (e *Explanation) IsOf(uid int) bool { own, known := e.uid.Get(); return known && own == uid }

// IsKnown reports that something is known of it.
func (e *Explanation) IsKnown() bool { return e.Gone == nil || e.Gone.Touched || len(e.Gone.Left) > 0 }

// Process is a process that is neither a session nor part of a server.
type Process struct {
	PID    int      `json:"pid"`
	ID     string   `json:"id"`
	Reason string   `json:"reason"`
	Owns   []string `json:"owns,omitempty"` // the ids of what it has: it is a client that nobody knows
}

// Absent is what is known of something that is not here.
type Absent struct {
	Subject string `json:"subject"`
	Touched bool   `json:"touched"`    // reaperd acted on it, or on what it had
	Torn    int    `json:"torn_lines"` // of the journal, as its reader says
	// Journal are the entries about it; of an owner, Held has the last entry of each act on its things. The
	// oldest come first.
	Journal []journal.Entry `json:"journal"`
	Held    []journal.Entry `json:"held,omitempty"`
	Left    []Thing         `json:"left,omitempty"` // what it left, and what is here still
	// AlsoLeft is what else it left running.
	AlsoLeft []AlsoLeft `json:"also_left,omitempty"`
}

// Fact is a line of an explanation: what it is about, and what is so. An empty one separates
// parts.
type Fact struct {
	About string `json:"about,omitempty"` // "what", "whose", "stdin", …; empty goes on with the one above
	Text  Text   `json:"text,omitempty"`
	// SpeaksFor is what evidence shows: "orphaned, proof".
	SpeaksFor string `json:"speaks_for,omitempty"`
}

// TreeLine is a process of a thing's tree.
type TreeLine struct {
	PID         int      `json:"pid"`
	Depth       int      `json:"depth"`
	Argv        []string `json:"argv,omitempty"`
	MemoryBytes uint64   `json:"memory_bytes,omitempty"`
}
