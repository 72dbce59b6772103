package serve

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// Result is how a sweep ended.
type Result string

// The results of a sweep.
const (
	ResultOK         Result = "ok"
	ResultIncomplete Result = "incomplete" // a source could not be read, or an act did not succeed
	ResultFailed     Result = "failed"     // it did not come to its end
)

// Origin is the kind of place that a policy comes from; it does not name the file.
type Origin string

// The origins of a policy.
const (
	OriginBuiltin Origin = "built-in"
	OriginUser    Origin = "user"   // the user's configuration directory
	OriginSystem  Origin = "system" // /etc
	OriginFile    Origin = "file"   // named by flag or environment
)

// Begun is one act that runs beside the sweeps.
type Begun struct {
	Target string
	Tree   []string // the ids of its processes: what is left of it may be a tree of its own by now
	// Imminent means that nothing of it has been touched, as in [policy.Act]: a pin, a pause or use still keeps it.
	Imminent bool
}

// Ends reports that the act ends a target: its own, or what is left of its tree.
func (b *Begun) Ends(id string) bool { return b.Target == id || slices.Contains(b.Tree, id) }

// Update is everything that one finished sweep publishes. Its values no longer
// change.
type Update struct {
	// Again marks the sweep of the update before, published again because acts of it
	// have ended. It is not counted twice.
	Again    bool
	Trigger  human.Trigger
	Result   Result
	Why      string // why it failed or is incomplete: one sentence
	Started  time.Time
	Duration time.Duration
	// Schedule is the one in effect. An empty one keeps the one published before.
	Schedule policy.Schedule

	// Graph is the meaning of the look. nil means that the sweep saw nothing; the
	// look before stays published.
	Graph    *graph.Graph
	Verdicts []policy.Verdict
	Outcomes []policy.Outcome
	UnderWay []Begun // acts of this sweep and of earlier ones that go on

	Paused bool
	Pins   int // that hold by the look
	// Respawns counts, by the gateway's id, the servers started again after they were
	// reaped, since the update before. They count for the gateway's client.
	Respawns map[string]int
	// Events says of each source whether its stream of events works.
	Events map[string]bool
	// JournalErrors counts the writes to the journal that have failed since the daemon started.
	JournalErrors uint64
}
