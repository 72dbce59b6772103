package graph

import (
	"cmp"
	"time"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/sentence"
)

// Catalogue recognises sessions, servers, gateways, wrappers and boundaries.
type Catalogue interface {
	Process(*inventory.Process) catalogue.Class
	Container(*inventory.Container) catalogue.Class
	// Managed names who looks after a container (compose, testcontainers, …).
	Managed(*inventory.Container) (by string, managed bool)
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

// Check is the source of a line of evidence.
type Check string

// The checks.
const (
	CheckAncestor  Check = "ancestor"
	CheckStdin     Check = "stdin"
	CheckStdout    Check = "stdout"
	CheckMemory    Check = "memory"
	CheckDeclared  Check = "declared"
	CheckService   Check = "service"
	CheckClients   Check = "clients"
	CheckContainer Check = "container"
	CheckZombies   Check = "zombies"
	CheckActivity  Check = "activity"
)

// Says is the conclusion that a line of evidence supports. The zero value supports none.
type Says string

// The conclusions of evidence.
const (
	SaysSilent   Says = ""
	SaysOrphaned Says = "orphaned"
	SaysOwned    Says = "owned"
)

// String is silent for the zero value.
func (s Says) String() string { return cmp.Or(string(s), saysNothing) }

const saysNothing = "silent"

// MarshalText spells the zero value too: silent.
func (s Says) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Says) UnmarshalText(text []byte) error {
	*s = wordOf[Says](string(text), saysNothing)
	return nil
}

// Evidence is one fact about the owner of a target.
type Evidence struct {
	Check Check     `json:"check"`
	Says  Says      `json:"says"`
	Proof bool      `json:"proof"`
	Since time.Time `json:"since,omitzero"`
	Text  string    `json:"text"` // a sentence for a person, no full stop
	// Said is the text as words and facts; the zero value where only the text is known.
	Said sentence.S `json:"-"`
}

// Masked is evidence as programs read it, its texts masked.
func Masked(evidence []Evidence, mask func(string) string) []Evidence {
	masked := make([]Evidence, 0, len(evidence))
	for _, e := range evidence {
		e.Text, e.Said = mask(e.Text), sentence.S{}
		masked = append(masked, e)
	}
	return masked
}

// Sentence is the evidence as words and facts.
func (e Evidence) Sentence() sentence.S { return sentenceOf(e.Said, e.Text) }

func sentenceOf(said sentence.S, text string) sentence.S {
	if said.IsZero() && text != "" {
		return sentence.Of("%s", text)
	}
	return said
}

// Veto is a guard that applies: whatever the policy says, the target is kept.
type Veto struct {
	Guard Guard  `json:"guard"`
	Text  string `json:"text"`
	// Said is the text as words and facts; the zero value where only the text is known.
	Said sentence.S `json:"-"`
	// Marked means that a pin is a label of the container or a variable of the process:
	// reaperd unpin does not end it.
	Marked bool `json:"-"`
	// For is the id of the pinned target for whose sake this one is kept; empty if this one
	// is pinned itself.
	For string `json:"-"`
	// By is the name of the other user whose pin it is; empty if it is the present user's.
	By string `json:"-"`
}

// Unpin is the command that ends a pin, by the word for what is pinned: only who has pinned it ends it.
func (v Veto) Unpin(word string) string { return UnpinAs(v.By, word) }

// UnpinAs is the command with which a user, by name, ends a pin; the present one if the name is empty.
func UnpinAs(user, word string) string {
	command := "reaperd unpin " + word
	if user == "" {
		return command
	}
	return human.AsUser(user, command)
}

// MaskedVetoes are vetoes as programs read them, their texts masked.
func MaskedVetoes(vetoes []Veto, mask func(string) string) []Veto {
	masked := make([]Veto, 0, len(vetoes))
	for _, v := range vetoes {
		masked = append(masked, Veto{Guard: v.Guard, Text: mask(v.Text), Marked: v.Marked, For: v.For, By: v.By})
	}
	return masked
}

// VetoOf makes a veto of a guard and its reason.
func VetoOf(guard Guard, said sentence.S) Veto {
	return Veto{Guard: guard, Text: said.String(), Said: said}
}

// Sentence is the reason as words and facts.
func (v Veto) Sentence() sentence.S { return sentenceOf(v.Said, v.Text) }

// Guard names a guard of the code, as in the metric vetoes_total{guard}.
type Guard string

// The guards.
const (
	GuardSystem     Guard = "system"       // PID <= 2, a kernel thread
	GuardFirst      Guard = "first"        // the first process of a container
	GuardSelf       Guard = "self"         // reaperd and what it runs below
	GuardForeign    Guard = "foreign"      // another user's process, and not root
	GuardSession    Guard = "live-session" // a live session below it
	GuardService    Guard = "service"      // a service's main process
	GuardInUse      Guard = "in-use"       // it listens and has connections, or somebody uses its container
	GuardPinned     Guard = "pinned"       // REAPERD_KEEP, reaperd.keep, a lease, a pin
	GuardProtected  Guard = "protected"    // something would end with it that the policy protects
	GuardUnproven   Guard = "unproven"     // ambiguous, or a peer could not be told
	GuardRestarts   Guard = "restarts"     // its session starts again what is ended below it
	GuardEngine     Guard = "engine"       // its container could not be seen or told
	GuardIncomplete Guard = "incomplete"   // the process table could not be read
	GuardShapeOnly  Guard = "shape"        // known by its shape alone
)

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
	Job sentence.S
	// Behind are the ids of leaked targets by which somebody could still come to this one: it goes
	// no sooner than they.
	Behind []string

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
	// KeptFor are the ids of all other targets whose pins keep this one, the nearest first: a gateway, and
	// the session that has the gateway. The veto names one of them.
	KeptFor []string

	// Age is the time from the start of the root or container to the snapshot; for a
	// container that has ended, from its end.
	Age       time.Duration
	Listening inventory.Fact[bool]
	InUse     bool
	// Zombies is the number of its dead children that it has not waited for;
	// OldestZombie is the age of the oldest.
	Zombies      int
	OldestZombie time.Duration
	// Respawns is how many servers it started again within a minute of their reaping.
	Respawns int
	// Idle is how long it has been idle ([history.IsIdle]), as far as looks have seen.
	Idle inventory.Fact[time.Duration]
	// Rested is for how long a session has done nothing, also where only one look has seen that yet; zero is not
	// known. Nothing is decided by it.
	Rested time.Duration
	// IdleAtLeast means that no look has seen it in use: it may have been idle before the first.
	IdleAtLeast bool
	// Samples are its use at each look, oldest first.
	Samples []Sample
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

// IsDown reports a container that does not run, such as one that has exited: it has an age, and is not up.
func (t *Target) IsDown() bool {
	return t.Container != nil && t.Container.State != "" && !t.Container.Running()
}

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
	for _, target := range g.Targets {
		if target.ID == id {
			return target, true
		}
	}
	return nil, false
}
