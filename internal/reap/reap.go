package reap

import (
	"cmp"
	"context"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
)

// KindContainer is the kind of an action that ends a container; any other ends a
// tree of processes.
const KindContainer = "container"

// Action is one thing to end.
type Action struct {
	// ID names the action in its plan and in the journal.
	ID       string
	TargetID string
	Rule     string
	Name     string
	Kind     string // server, gateway, session or container
	Remove   bool   // a container: delete it too

	// Root and Members are the tree, parents before children. A gateway's
	// members leave out the trees that are targets themselves.
	Root    inventory.ID
	Members []inventory.ID
	// ContainerID is a container's full id.
	ContainerID string
	// User is whose share of the places it takes: acts of different users are begun
	// in turn. Empty is a share of its own, that of what nobody is known of.
	User string
	// Grace is the time between asking and killing, for a container its stop
	// timeout: zero is the default, negative is none.
	Grace time.Duration

	// After are the actions that must have succeeded before: the containers of
	// this client, which is expected to exit by itself then.
	After []string
	// Below are the actions on what lies below a gateway: done while it is frozen.
	Below []string

	// Record is what the journal is to hold: evidence, and the tree as it was.
	// Its memory figures tell what is freed. Identity, phase, time and result
	// are filled in here.
	Record journal.Entry
}

// Result is what came of one action.
type Result = done.Result

// The results.
const (
	ResultExited      = done.Exited
	ResultKilled      = done.Killed
	ResultAlreadyGone = done.AlreadyGone
	ResultChanged     = done.Changed
	ResultRefused     = done.Refused
	ResultEscaped     = done.Escaped
	ResultFailed      = done.Failed
	ResultDeferred    = done.Deferred
)

// Outcome is what came of one action.
type Outcome struct {
	ActionID string
	TargetID string
	Result   Result
	Detail   string // one sentence
	// Survivors are the members known to live on.
	Survivors []inventory.ID
	// InKernel: all survivors were killed, and end when the kernel lets them. Nothing
	// is left to do about them.
	InKernel bool
	// FreedBytes is the recorded memory of what was ended here; 0 is unknown.
	FreedBytes uint64
	Took       time.Duration
	// JournalError is set where the outcome could not be journalled.
	JournalError error
}

// Row is one process of the table.
type Row struct {
	ID    inventory.ID
	PPID  int
	State byte // one letter, as in ps
	SID   int  // 0 is unknown, or outside this PID namespace
}

// Processes reads the process table: all live processes now, zombies included.
type Processes interface {
	Table() ([]Row, error)
}

// Evidence looks again, right before acting, whether what condemned the target
// still holds. It is asked from several goroutines at once, when handles to the
// processes are open, so that they cannot be mistaken for others meanwhile.
type Evidence interface {
	StillHolds(ctx context.Context, action Action) (holds bool, why string)
}

// Containers ends containers by their full id.
type Containers interface {
	Stop(ctx context.Context, id string, grace time.Duration) (done.Stop, error)
	// Remove deletes a container that does not run; one that is gone, or whose
	// removal is in progress, is no error.
	Remove(ctx context.Context, id string) error
	// Gone reports whether the container runs no more.
	Gone(ctx context.Context, id string) (bool, error)
}

// Recorder is the journal. Where Intend is an error the act is not begun.
type Recorder interface {
	// Ready reports whether an intention of any length could be written now.
	Ready() error
	Intend(journal.Entry) error
	Done(journal.Entry) error
}

// Options are times and limits; zero is the default of each.
type Options struct {
	Grace            time.Duration // between TERM and KILL; default 5s
	SettleContainers time.Duration // for a client to exit after its container; default 2s
	KillWait         time.Duration // for the kernel to end what was killed; default 5s
	FreezeWait       time.Duration // for a tree to hold still; default 5s
	ContainerWait    time.Duration // for the engine to answer, beyond the stop timeout; default 30s
	BeginWithin      time.Duration // what has not begun by then is deferred; default never
	Poll             time.Duration // between two looks at a tree that was asked to end, rarer as time goes by; default 20ms
	Concurrency      int           // actions that are worked on at a time; default 8
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
// without Containers or Evidence every container; without a Recorder nothing is
// journalled.
type Reaper struct {
	Processes  Processes
	Kernel     Kernel // nil is the system's own
	Evidence   Evidence
	Containers Containers
	Recorder   Recorder
	// Spare names the processes that are never to be touched: live sessions,
	// members of targets that are kept. A tree in which one turns up is left
	// alone. nil spares none.
	Spare func(inventory.ID) bool
	// Leave names the processes that are no part of the tree above them: they are
	// neither ended with it nor a reason to leave it alone. nil is none.
	Leave func(inventory.ID) bool
	// Kin tells whether a process that appeared while the tree was being ended,
	// and whose parent is a process that adopts orphans, comes from that tree,
	// for what no process table shows. What is proven is ended with the tree, what
	// is likely is reported. nil knows of none.
	Kin func(ctx context.Context, action Action, stray inventory.ID) Kinship
	// Told is told of each outcome as soon as it is journalled, from several
	// goroutines; nil is nobody.
	Told func(Outcome)
	// Shared is what plans share that are carried out at the same time; nil shares
	// nothing.
	Shared  *Shared
	Options Options
}
