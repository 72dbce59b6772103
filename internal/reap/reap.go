package reap

import (
	"cmp"
	"context"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
)

// KindContainer is the kind of an act that ends a container. Any other kind ends a
// tree of processes.
const KindContainer = "container"

// Act is one thing to end.
type Act struct {
	// ID names the act in its plan and in the journal.
	ID       string
	TargetID string
	Rule     string
	Name     string
	Kind     string // server, gateway, session or container
	Remove   bool   // a container: delete it too
	Volumes  bool   // and its anonymous volumes

	// Root and Members are the tree, parents before children. A gateway's members do
	// not include the trees that are targets themselves.
	Root    inventory.ID
	Members []inventory.ID
	// ContainerID is a container's full id.
	ContainerID string
	// Runner is the `docker run` that ends by itself with this container, while no act is on it: the outcome tells
	// whether it did. Zero is none.
	Runner      inventory.ID
	RunnerBytes uint64 // its recorded memory
	// User is the user whose share of the places the act takes: acts of
	// different users are begun in turn. "" is a share of its own, for unknown users.
	User string
	// Grace is the time between SIGTERM and SIGKILL; for a container it is the stop
	// timeout. Zero is the default, negative is none.
	Grace time.Duration

	// After are the acts that must succeed first: those on this runner's
	// containers. The runner is then expected to exit by itself.
	After []string
	// Below are the acts on targets below a gateway. They are carried out while it
	// is frozen.
	Below []string

	// Record is the journal's entry: evidence, and the tree as it was. Its memory
	// figures tell how much is freed. Reap fills in identity, phase, time and result.
	Record journal.Entry
}

// Outcome is the result of one act, with details.
type Outcome struct {
	ActID    string
	TargetID string
	Result   human.Result
	Detail   string // one sentence
	// Survivors are the members that are known to live.
	Survivors []inventory.ID
	// InKernel: all survivors were killed, and will end when the kernel lets them.
	// Nothing more can be done.
	InKernel bool
	// FreedBytes is the recorded memory of the processes that this act ended; 0 is
	// unknown.
	FreedBytes uint64
	Took       time.Duration
	// JournalError is set if the outcome could not be journalled.
	JournalError error
}

// Processes reads the process table: all processes now, zombies included.
type Processes interface {
	Table() ([]inventory.Row, error)
}

// Evidence checks, right before acting, that the reasons against a target still hold.
// It is asked from several goroutines, when handles to the processes are open, so
// that their numbers cannot pass to others meanwhile.
type Evidence interface {
	StillHolds(ctx context.Context, act Act) (holds bool, why string)
}

// Containers ends containers by their full id.
type Containers interface {
	Stop(ctx context.Context, id string, grace time.Duration) (human.Stop, error)
	// Remove deletes a container that does not run. One that is gone, or is being
	// removed, is no error.
	Remove(ctx context.Context, id string, volumes bool) error
	// Gone reports that the container no longer runs.
	Gone(ctx context.Context, id string) (bool, error)
}

// Recorder is the journal. If Intend fails, the act does not begin.
type Recorder interface {
	// Ready reports that an intention of any length could be written now.
	Ready() error
	Intend(journal.Entry) error
	Done(journal.Entry) error
}

// Options are times and limits. Zero means each field's default.
type Options struct {
	Grace            time.Duration // between TERM and KILL; default 5s
	SettleContainers time.Duration // for a runner to exit after its container; default 2s
	KillWait         time.Duration // for the kernel to end what was killed; default 5s
	FreezeWait       time.Duration // for a tree to hold still; default 5s
	ContainerWait    time.Duration // for the engine to answer, beyond the stop timeout; default 30s
	BeginWithin      time.Duration // what has not begun by then is deferred; default never
	Poll             time.Duration // between two looks at a tree that was asked to end, rarer as time goes by; default 20ms
	Concurrency      int           // acts that are worked on at a time; default 8
}

func (o Options) withDefaults() Options {
	o.Grace = cmp.Or(o.Grace, 5*time.Second)
	o.SettleContainers = cmp.Or(o.SettleContainers, 2*time.Second)
	o.KillWait = cmp.Or(o.KillWait, 5*time.Second)
	o.FreezeWait = cmp.Or(o.FreezeWait, 5*time.Second)
	o.ContainerWait = cmp.Or(o.ContainerWait, 30*time.Second)
	o.Poll = cmp.Or(o.Poll, 20*time.Millisecond)
	o.Concurrency = cmp.Or(o.Concurrency, 8)
	return o
}

// Reaper carries out plans. Without Processes or Evidence it refuses every tree,
// without Containers or Evidence every container. Without a Recorder it journals
// nothing.
type Reaper struct {
	Processes  Processes
	Kernel     Kernel // nil is the system's own
	Evidence   Evidence
	Containers Containers
	Recorder   Recorder
	// Untouchable reports processes that must never be touched: live sessions, members of
	// targets that are kept. A tree that contains one is left alone. nil is none.
	Untouchable func(inventory.ID) bool
	// Outside reports processes that are no part of the tree above them: they are not
	// ended with it, and are no reason to keep it. nil reports none.
	Outside func(inventory.ID) bool
	// Kin says whether a process comes from a tree. It is asked about processes that
	// appeared while the tree was being reaped and whose parent adopts orphans. Proven
	// ones are ended with the tree, likely ones are reported. nil knows none.
	Kin func(ctx context.Context, act Act, stray inventory.ID) Kinship
	// Begun is called with the id of each act once its intention is recorded, right before the first signal, from several
	// goroutines; nil for nobody.
	Begun func(actID string)
	// Told is called with each outcome after it is journalled, from several
	// goroutines; nil for nobody.
	Told func(Outcome)
	// Shared is what plans that run at the same time have in common; nil if there is
	// only one.
	Shared  *Shared
	Options Options
}
