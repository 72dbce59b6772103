package account

import (
	"context"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/journal"
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

	Pins(ctx context.Context) ([]Pin, error)
	Pin(ctx context.Context, word string, until time.Time, why string) ([]Pin, error)
	Unpin(ctx context.Context, words []string) ([]Pin, error)
	// Pause and Resume are about the things of the caller; of root about all.
	Pause(ctx context.Context, until time.Time, why string) (Pause, error)
	Resume(ctx context.Context) (Pause, error)

	// Plan is what a sweep would do. Act carries it out: it looks again and acts on what was
	// planned and still holds; tell hears each act as it ends.
	Plan(ctx context.Context, order Order) (*Plan, error)
	Act(ctx context.Context, plan *Plan, tell func(Act)) (*Result, error)
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
	Version  int      `json:"version"`
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
}

// Stay is something that a person named and that stays.
type Stay struct {
	Called string `json:"called"`
	Why    string `json:"why"`
}

// Result is what came of a plan.
type Result struct {
	Version int           `json:"version"`
	Account *Account      `json:"account"` // after the acts; Acts has the outcomes
	Stopped int           `json:"stopped"` // as a person counts
	Freed   uint64        `json:"freed_bytes,omitempty"`
	Took    time.Duration `json:"took"`
	Stays   []Stay        `json:"stays,omitempty"` // what failed, or did not hold any more
}

// Pin is a person's word that something stays.
type Pin struct {
	Target string    `json:"target"`
	Called string    `json:"name"`
	User   string    `json:"user,omitempty"`
	At     time.Time `json:"at,omitzero"`
	Until  time.Time `json:"until,omitzero"`
	Why    string    `json:"reason,omitempty"`
	There  bool      `json:"there"` // the thing is there
}

// Pause is a person's word that nothing is done for a while. The zero value is none.
type Pause struct {
	Until time.Time `json:"until,omitzero"`
	User  string    `json:"user,omitempty"`
	Why   string    `json:"reason,omitempty"`
}

// Period is what a history is about.
type Period struct {
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"`
	PID   int       `json:"pid,omitempty"`
	Rule  string    `json:"rule,omitempty"`
}

// History is what the journal tells of a period, of what a reader may see.
type History struct {
	Version int             `json:"version"`
	Lines   []HistoryLine   `json:"lines"` // the newest first
	Entries []journal.Entry `json:"entries,omitempty"`
	Freed   uint64          `json:"freed_bytes"`
	// From is where the journal begins, if that is later than what was asked for.
	From time.Time `json:"from,omitzero"`
}

// HistoryLine is a sweep that a person asked for, or the end of a session with what it left.
type HistoryLine struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"` // "claude-code 91 ~/src/web ended: 6 servers stopped, 280 MB"
	Acts []string  `json:"acts"` // ids of the acts
}

// Explanation is all that is known of one thing, of a process that is none, or of what has
// gone.
type Explanation struct {
	Version int        `json:"version"`
	Word    string     `json:"word"`
	Answer  string     `json:"answer"` // in one sentence: "context7 318 is leaked: reaperd stops it in 24s."
	Thing   *Thing     `json:"target,omitempty"`
	Session *Session   `json:"session,omitempty"`
	Facts   []Fact     `json:"facts"`
	Tree    []TreeLine `json:"tree,omitempty"`
	// Kept are the entries of the journal about it, the newest first.
	Kept     []journal.Entry `json:"journal,omitempty"`
	Commands []Command       `json:"commands,omitempty"`
}

// Fact is a line of an explanation: what it is about, and what is so.
type Fact struct {
	About string `json:"about,omitempty"` // "what", "owner", "rule", …; empty goes on with the one above
	Text  Text   `json:"text"`
}

// TreeLine is a process of a thing's tree.
type TreeLine struct {
	PID         int        `json:"pid"`
	Depth       int        `json:"depth"`
	Argv        []string   `json:"argv,omitempty"`
	MemoryBytes uint64     `json:"memory_bytes,omitempty"`
	Kind        graph.Kind `json:"kind,omitempty"`
}
