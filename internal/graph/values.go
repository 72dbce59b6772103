package graph

import (
	"cmp"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// Catalogue recognises sessions, servers, gateways, wrappers and boundaries.
type Catalogue interface {
	Process(*inventory.Process) inventory.Class
	Container(*inventory.Container) inventory.Class
	// Managed names who looks after a container (compose, testcontainers, …); empty is nobody.
	Managed(*inventory.Container) string
	// Watches reports a process or a container that is connected to an engine and attaches to
	// no container of others: a dashboard, or what the policy trusts.
	Watches(*inventory.Process, *inventory.Container) bool
	// Program is a process's name for people: the package that a launcher runs, the
	// script that an interpreter runs, else the program.
	Program(*inventory.Process) string
}

// Kind is what kind of thing a target is.
type Kind string

// The kinds of targets.
const (
	KindServer    Kind = "server"
	KindGateway   Kind = "gateway"
	KindSession   Kind = "session"
	KindContainer Kind = "container"
)

// Liveness tells whether an owner still lives; the zero value is unknown.
type Liveness string

// The states of an owner; Unknown is what a target without proof has.
const (
	LivenessUnknown Liveness = ""
	LivenessLive    Liveness = "live"
	LivenessGone    Liveness = "gone"
)

// unknown is the spelling of [LivenessUnknown] in outputs.
const unknown = "unknown"

func (l Liveness) String() string { return cmp.Or(string(l), unknown) }

// MarshalText spells the zero value too: unknown.
func (l Liveness) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (l *Liveness) UnmarshalText(text []byte) error {
	*l = wordOf[Liveness](string(text), unknown)
	return nil
}

// OwnerKind is what kind of thing an owner is.
type OwnerKind string

// The kinds of owners. Only a session or a gateway is a recognised one.
const (
	OwnerSession OwnerKind = "session"
	OwnerGateway OwnerKind = "gateway"
	OwnerProcess OwnerKind = "process" // live, and not recognised
	OwnerService OwnerKind = "service" // systemd or launchd
)

// Owner is the session, gateway, process or service that a target belongs to. The
// zero value means that none is known.
type Owner struct {
	Name     string
	Kind     OwnerKind
	ID       inventory.ID // zero where it is no process or was never seen
	Liveness Liveness
	Since    time.Time // gone: first seen gone
}

// Recognised reports whether the owner is a session or gateway of the catalogue.
func (o Owner) Recognised() bool { return o.Kind == OwnerSession || o.Kind == OwnerGateway }

// IsUnseen reports an owner of which nothing is known but that it may live: the other end of a
// pipe is open, and who has it cannot be seen from here.
func (o Owner) IsUnseen() bool {
	return o.Liveness == LivenessLive && o.ID.IsZero() && o.Name == ""
}

// Target is a server, a gateway, a session or a container: the unit that is decided,
// reported and reaped.
type Target struct {
	ID   string // "pid:start", or the container's full id
	Kind Kind
	Name string
	// How says how it was recognised as a server.
	How string
	// Incidental marks a container that is no MCP server, and a session without a
	// finding. Rules may name it; reports leave it out.
	Incidental bool
	// ByShape marks a server that its shape alone tells. Likely marks what is only likely to
	// be a server.
	ByShape, Likely bool
	// Job is why it may be at work although nobody speaks to it: it goes after a longer rest. Zero
	// where it cannot be.
	Job human.Sentence
	// Behind are the ids of leaked targets by which somebody could still come to this one: it goes
	// no sooner than they.
	Behind []string
	// Holders are the ids of leaked targets that have an end of its stdio: what must stay keeps it.
	Holders []string

	// Root and Members are the tree, parents before children; nil for a container.
	// Root is its outermost process.
	Root    *inventory.Process
	Members []*inventory.Process
	// Left are the processes below the tree that are no part of it: they are left open.
	Left []Outsider
	// Container is set for a container.
	Container *inventory.Container
	// Runner is the target id of the container's `docker run`; Containers are the ids of
	// the containers that this server runs.
	Runner     string
	Containers []string
	// Below are the ids of the targets that end with this one: those inside a gateway's tree, and what a
	// session holds.
	Below []string

	Owner   Owner
	Finding Finding
	// Deduced marks a container whose owner follows from what the docker runs of its class
	// need, all of them together. It tells what a session holds; no rule goes by it.
	Deduced bool
	// Stranger is who may be attached to it, where nothing but that keeps it; zero is nobody.
	Stranger Stranger
	// Reused is why somebody may start a container again once it has ended; empty if nothing
	// says so. It is then stopped at most, and not removed.
	Reused string
	// Since is when the finding was first seen. Held is how long it has held, without
	// the time the host was asleep. Looks is how many looks in a row saw it.
	Since time.Time
	Held  time.Duration
	Looks int

	Evidence []Evidence
	Vetoes   []Veto

	// Age is the time from the start of the root or container to the snapshot; for a
	// container that has ended, from its end.
	Age       time.Duration
	Listening inventory.Fact[bool]
	InUse     bool
	// Zombies is the number of its dead children that it has not waited for.
	Zombies int
	// Respawns is how many servers it started again within a minute of their reaping.
	Respawns int
	// Idle is how long it has been idle ([history.IsIdle]), as far as looks have seen.
	Idle inventory.Fact[time.Duration]
	// Rested is for how long a session has done nothing, also where only one look has seen that yet; zero is not
	// known. Nothing is decided by it.
	Rested time.Duration
	// Samples are its use at each look.
	Samples *Samples
	// Generation numbers the copies of a server that one owner has; 1 is the newest,
	// 0 means that there is one only.
	Generation int
	newest     *Target // the newest of these copies

	MemoryBytes uint64
	MemoryKind  string
	CPUPercent  inventory.Fact[float64] // of one core, between the last two looks
	User        string
	UID         inventory.Fact[int]

	used  totalUse // up to this look
	nodes []*node  // of Members; nil once the graph is made
	// speaksTo is the session of whose stdio it holds an end; nil is none, and once the graph is made.
	speaksTo *node
}

// Recognised is how well it is known for what it is: known or likely; empty for what is no
// MCP server and no session.
func (t *Target) Recognised() string {
	switch {
	case t.Incidental && t.Container != nil:
		return ""
	case t.Likely:
		return RecognisedLikely
	}
	return RecognisedKnown
}

// The words of [Target.Recognised].
const (
	RecognisedKnown  = "known"
	RecognisedLikely = "likely"
)

// PIDs are the members' PIDs, parents before children.
func (t *Target) PIDs() []int {
	pids := make([]int, len(t.Members))
	for i, member := range t.Members {
		pids[i] = member.PID
	}
	return pids
}

// Handle is what a person calls a target beside its name: the name or the first digits of a
// container, or a PID. It may contain a secret; for screens it is that of package word.
func (t *Target) Handle() string {
	if t.Container != nil {
		return t.Container.Handle()
	}
	return human.Handle(t.ID)
}

// named is the target by name and PID, for people.
func (t *Target) named() human.Named { return human.Named{Name: t.Name, PID: t.Root.PID} }

// Started is when the target's root or container started, by its age at that moment if
// it is not recorded; zero is unknown.
func (t *Target) Started(at time.Time) time.Time {
	switch {
	case t.Root != nil && !t.Root.StartedAt.IsZero():
		return t.Root.StartedAt
	case t.Container != nil && !t.Container.StartedAt.IsZero():
		return t.Container.StartedAt
	case t.Container != nil && !t.Container.CreatedAt.IsZero():
		return t.Container.CreatedAt
	case t.Age > 0 && !at.IsZero():
		return at.Add(-t.Age)
	}
	return time.Time{}
}

// NeverStarted reports a container that was created only: then that is when it started, for [Target.Started].
func (t *Target) NeverStarted() bool { return t.Container != nil && t.Container.State == "created" }

// Session is a live agent client.
type Session struct {
	Process  *inventory.Process // its outermost process
	Members  []*inventory.Process
	Name     string
	Liveness Liveness
	// Package idle sets these: Servers, Containers and MemoryBytes are what the session
	// holds, its own memory included; Unmeasured counts the containers that run and whose memory
	// is not among it, because it is not known; Activity is what it did.
	Servers     int
	Containers  int
	MemoryBytes uint64
	Unmeasured  int
	Activity    Activity
	// Target is the session as a target. It is Incidental if it has no finding.
	Target *Target
}

// Graph is the meaning of a snapshot. Together with its memory it is all that one
// sweep hands to the next.
type Graph struct {
	Snapshot *inventory.Snapshot
	Sessions []Session
	Targets  []*Target
	// AlsoLeft are the sessions that have ended, with what a look saw below them, that still
	// runs and is no MCP server: nothing acts on it.
	AlsoLeft []AlsoLeft

	memory memory
}

// Target returns the target of that id.
func (g *Graph) Target(id string) (*Target, bool) {
	target := first(g.Targets, func(t *Target) bool { return t.ID == id })
	return target, target != nil
}
