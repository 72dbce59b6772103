package inventory

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Version is the version of the snapshot file this package reads and writes.
const Version = 1

// Snapshot is what one look saw.
type Snapshot struct {
	Version   int       `json:"version"`
	TakenAt   time.Time `json:"taken_at"`
	Host      Host      `json:"host"`
	Sources   []Source  `json:"sources"`
	Processes []Process `json:"processes"`
	// Unlisted counts the processes that this snapshot leaves out because they cannot
	// matter to a verdict. It is 0 in a saved snapshot.
	Unlisted   int         `json:"unlisted,omitempty"`
	Containers []Container `json:"containers"`
}

// Host is the machine, or the part of it, that was looked at.
type Host struct {
	Hostname string `json:"hostname,omitempty"`
	OS       string `json:"os,omitempty"`
	BootID   string `json:"boot_id,omitempty"`
	// PIDNamespace says whether the table is the whole host's ("init"), that of
	// another PID namespace ("other"), or not known ("unknown" or empty).
	PIDNamespace string `json:"pid_namespace,omitempty"`
	// PIDNamespaceID is the namespace's inode number, as in REAPERD_OWNER; 0 is
	// unknown.
	PIDNamespaceID uint64    `json:"pid_namespace_id,omitempty"`
	UID            Fact[int] `json:"uid,omitzero"`
	// AwakeSeconds is the time the host has been awake since boot, in seconds
	// (CLOCK_MONOTONIC). If it is known, it is the clock for how long findings have
	// held.
	AwakeSeconds Fact[float64] `json:"awake_seconds,omitzero"`
	// SelfPID is the PID of the reaperd that looked; 0 in a file that leaves it out.
	SelfPID     int    `json:"self_pid,omitempty"`
	MemoryBytes uint64 `json:"memory_bytes,omitempty"`
	// Kernel is the kernel's release.
	Kernel   string    `json:"kernel,omitempty"`
	BootedAt time.Time `json:"booted_at,omitzero"`
	// Virtualization is the virtual machine or container that the host runs in, such
	// as kvm or docker.
	Virtualization string `json:"virtualization,omitempty"`
}

// Status tells how a source could be read.
type Status string

// The ways a source can be read.
const (
	StatusOK      Status = "ok"
	StatusPartial Status = "partial" // read, but not all of it
	StatusAbsent  Status = "absent"  // there is no such source here
	StatusError   Status = "error"   // it is here and did not answer
)

// The names of the sources.
const (
	SourceProcesses = "processes"
	SourceDocker    = "docker"
	// SourceConfiguration is named only where the clients' configuration could not
	// all be read.
	SourceConfiguration = "configuration"
)

// Source is one place that observations come from, and how well it could be read.
type Source struct {
	Name     string `json:"name"`
	Endpoint string `json:"endpoint,omitempty"`
	Status   Status `json:"status"`
	Reason   string `json:"reason,omitempty"`
	// Remedy is what helps, where that is known: Reason ends with it. It is not saved.
	Remedy string `json:"-"`
	// Gaps name what could not be read of it.
	Gaps []Gap `json:"gaps,omitempty"`
	// RunnersVisible says whether every runner of its containers must be in the process
	// table. If it is left out, it is true for a unix endpoint seen from the host's
	// own PID namespace.
	RunnersVisible Fact[bool] `json:"clients_visible,omitzero"`
	// RowsMissing says, of a partial process table, whether processes are missing
	// from it (hidepid, files that could not be read), or only facts about those that
	// it lists. If it is left out, this is unknown.
	RowsMissing Fact[bool] `json:"rows_missing,omitzero"`
	// SameClock says whether the engine uses this host's clock; one in a virtual
	// machine has its own. If it is left out, it is true for a unix endpoint of a
	// Linux host.
	SameClock Fact[bool] `json:"same_clock,omitzero"`
	// RunnerUIDs are the users beside root who are known to reach the engine.
	RunnerUIDs []int `json:"client_uids,omitempty"`
	// Engine is the engine's own id, so that two ways to one engine count once.
	Engine string `json:"engine,omitempty"`
	// Program is [ProgramPodman] for an engine that is podman. It is left out for Docker and
	// what speaks as it does.
	Program string `json:"program,omitempty"`
	// Connections are those that are open to the engine's sockets, all of them. Whoever
	// attaches to a container of Docker's needs one. null: they could not all be read.
	Connections Fact[[]Connection] `json:"connections,omitzero"`
	// Sockets are the paths of the unix sockets that the engine is known to listen on. They
	// are not saved.
	Sockets []string `json:"-"`
}

// Connection is an open connection to an engine's socket, or to the socket at which a
// container's monitor lets clients attach, seen from the client's side.
type Connection struct {
	// ID is the kernel's name for the client's end, such as "socket:[623188]".
	ID string `json:"id,omitempty"`
	// PIDs have the client's end open; empty is that nobody was found who has.
	PIDs []int `json:"pids"`
	// UID is the user who opened the client's end.
	UID Fact[int] `json:"uid,omitzero"`
}

// ProgramPodman is the engine that speaks as Docker does and is none.
const ProgramPodman = "podman"

// IsDenied reports an engine that the user who looked may not ask.
func (s Source) IsDenied() bool { return slices.Contains(s.Gaps, GapDenied) }

// Called is what people call the source: its name, or the program's if that is another.
func (s Source) Called() string { return cmp.Or(s.Program, s.Name) }

// Whole reports that the source lists everything that exists, even if facts about it
// could not be read: what it does not list does not exist.
func (s Source) Whole() bool {
	switch s.Status {
	case StatusOK:
		return !s.RowsMissing.Or(s.RowsMissing.IsUnreadable())
	case StatusPartial:
		return !s.RowsMissing.Or(true)
	}
	return false
}

// ID is the identity of a process: a reused PID has another start mark.
type ID struct {
	PID   int
	Start uint64
}

func (id ID) String() string { return strconv.Itoa(id.PID) + ":" + strconv.FormatUint(id.Start, 10) }

// IsZero reports whether the identity names nothing.
func (id ID) IsZero() bool { return id == ID{} }

// ByStart compares by start marks, the oldest first: the time of day that follows from a mark may
// differ by a little from process to process and from look to look.
func ByStart(a, b ID) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.PID, b.PID)) }

// ParseID reads "pid:start".
func ParseID(s string) (ID, error) {
	pid, start, ok := strings.Cut(s, ":")
	if !ok {
		return ID{}, fmt.Errorf("process identity %q: want PID:START", s)
	}
	p, err := strconv.Atoi(pid)
	if err != nil || p <= 0 {
		return ID{}, fmt.Errorf("process identity %q: %q is no PID", s, pid)
	}
	st, err := strconv.ParseUint(start, 10, 64)
	if err != nil {
		return ID{}, fmt.Errorf("process identity %q: %q is no start mark", s, start)
	}
	return ID{PID: p, Start: st}, nil
}

// Process is one process as it was seen.
type Process struct {
	PID int `json:"pid"`
	// Start is the system's own start mark: clock ticks since boot on Linux
	// (field 22 of /proc/PID/stat), microseconds elsewhere. Opaque: equal or
	// ordered, never a time.
	Start     uint64    `json:"start"`
	StartedAt time.Time `json:"started_at,omitzero"`
	PPID      Fact[int] `json:"ppid,omitzero"`
	PGID      Fact[int] `json:"pgid,omitzero"`
	// SID is the session id; 0 means the leader stands outside this PID namespace.
	SID     Fact[int] `json:"sid,omitzero"`
	UID     Fact[int] `json:"uid,omitzero"`
	User    string    `json:"user,omitempty"`
	State   string    `json:"state,omitempty"` // one letter, as in ps
	Threads Fact[int] `json:"threads,omitzero"`
	Comm    string    `json:"comm,omitempty"`
	Exe     string    `json:"exe,omitempty"`
	// Argv is the argument vector with all empty arguments, those included that a
	// program leaves at the end when it renames itself. nil is unknown; a zombie's is
	// empty. [Process.Args] normalises it.
	Argv []string `json:"argv,omitempty"`
	// ArgvHash stands for a command line that was too long to keep; Argv is then its
	// beginning. Two such command lines are equal if their hashes are. Empty: Argv is
	// complete.
	ArgvHash string `json:"argv_sha256,omitempty"`
	Cwd      string `json:"cwd,omitempty"`
	TTY      string `json:"tty,omitempty"`
	// TTYUsedAt is when the terminal on its stdin or stdout was last typed on or
	// written to, to within some seconds; zero is not known.
	TTYUsedAt time.Time `json:"tty_used_at,omitzero"`
	// Cgroup is the path below the cgroup root.
	Cgroup      string `json:"cgroup,omitempty"`
	ContainerID string `json:"container_id,omitempty"`
	// UserNamespace and PIDNamespace are the inode numbers of its namespaces. 0 is not known.
	UserNamespace uint64 `json:"user_namespace,omitempty"`
	PIDNamespace  uint64 `json:"pid_namespace,omitempty"`
	// Service is the systemd unit or launchd job whose main process this is.
	Service string `json:"service,omitempty"`
	// Env holds the allow-listed markers of the environment, nothing else.
	Env map[string]string `json:"env,omitempty"`
	// EnvWithheld means that the system keeps the environment secret, as macOS does
	// for Apple's own programs: Env may then be incomplete.
	EnvWithheld bool          `json:"env_withheld,omitempty"`
	CPUSeconds  Fact[float64] `json:"cpu_seconds,omitzero"`
	RSSBytes    Fact[uint64]  `json:"rss_bytes,omitzero"`
	// MemoryBytes is the best figure, of MemoryKind, for the memory that ending the
	// process frees.
	MemoryBytes Fact[uint64] `json:"memory_bytes,omitzero"`
	MemoryKind  string       `json:"memory_kind,omitempty"` // pss, footprint or rss
	// IOChars is characters read plus written (rchar + wchar), not calls.
	IOChars Fact[uint64] `json:"io_chars,omitzero"`
	// KernelEvents is what macOS counts instead: its calls to the kernel, Mach messages, changes of context
	// and blocks of disks, one sum since it started. It says that a process has worked, not what it did.
	KernelEvents Fact[uint64] `json:"kernel_events,omitzero"`
	// OpenFDs counts the open descriptors. If they could not be read, or what its threads or
	// io_urings have apart from them, it is unreadable, and the process may hold anything.
	OpenFDs Fact[int]   `json:"open_fds,omitzero"`
	Stdin   Fact[Stdio] `json:"stdin,omitzero"`
	Stdout  Fact[Stdio] `json:"stdout,omitzero"`
	// Listening tells whether it has a listening TCP or Unix socket, or receives datagrams at
	// a UDP port or under a name of its choice. The docker CLI's socket for its own plugin
	// does not count.
	Listening Fact[bool] `json:"listening,omitzero"`
	// ListenPorts are the TCP ports it listens on, in order.
	ListenPorts []int `json:"listen_ports,omitempty"`
	// Connections counts those to its listening sockets from outside its
	// own tree, established or in TIME_WAIT. If it has none and receives datagrams, it is
	// unreadable: who sends those cannot be told.
	Connections Fact[int] `json:"clients,omitzero"`
	// Shares are the PIDs of other processes that have the other end of an unnamed pipe
	// or socket which this one has open on a descriptor above 2, or of a connection that it
	// has accepted: it may speak to them there. It is empty if there are none, and unreadable
	// if somebody has such an end who cannot be seen. What is below the process is none of
	// them. What an older process has open too, and not the other end of it, is that one's.
	// Shares are looked for in processes of servers, where stdin and stdout do not show who
	// uses them.
	Shares Fact[[]int] `json:"shares,omitzero"`
	// Connects are the PIDs of the processes at the other side of local connections that
	// it opened itself, to somebody who listens; looked for where Shares are. For a user,
	// other users' processes that cannot be seen are none of them.
	Connects Fact[[]int] `json:"connects,omitzero"`
	// UnseenFDs counts the descriptors that were sent to its sockets and that it has not
	// received yet. No table shows on what they are open, so it may hold any end. They are
	// counted where all holders of some end are searched; left out, none was found.
	UnseenFDs Fact[int] `json:"unseen_fds,omitzero"`
	// Display tells whether it is connected to a display, X11 or Wayland: a program for a
	// person. It is asked for below candidates, where somebody offers a display.
	Display Fact[bool] `json:"display,omitzero"`
	// Configured is the name that a client's configuration gives this server.
	Configured string `json:"configured,omitempty"`
	// ConfiguredBy is "command", "url", or "elsewhere" for an address in another user's configuration, or in one outside
	// its container, which only says that somebody uses it; empty is unknown.
	ConfiguredBy string `json:"configured_by,omitempty"`
	// ConfiguredIn is the folder of the project whose file names it; empty for a user's own file. Such a file counts
	// for what hangs below a session in that folder.
	ConfiguredIn string `json:"configured_in,omitempty"`
	// ContainerFile is the container id that its --cidfile holds.
	ContainerFile string `json:"cidfile_id,omitempty"`
	// OriginalParent is the [ID] of the process that forked it, on systems that
	// remember that (macOS); empty elsewhere.
	OriginalParent string `json:"original_parent,omitempty"`
	// Reparented means that it has lost the parent that it was first seen with, at a
	// time when no snapshot listed it.
	Reparented bool `json:"reparented,omitempty"`
}

// ID is the process's identity.
func (p *Process) ID() ID { return ID{PID: p.PID, Start: p.Start} }

// Alive reports whether the process still runs. A zombie with more than one
// thread is alive: only its leading thread has exited.
func (p *Process) Alive() bool {
	switch p.State {
	case "X", "x":
		return false
	case "Z":
		return p.Threads.Or(1) > 1
	}
	return true
}

// Args is the argument vector as a person would write it. If a program such as npm
// has renamed itself to one string, that is split at spaces and the padding behind it
// dropped. Empty arguments in between stay.
func (p *Process) Args() []string {
	argv := TrimArgs(p.Argv)
	if len(argv) == 1 && p.retitled() {
		return strings.Fields(argv[0])
	}
	return argv
}

// TrimArgs leaves out the empty arguments at the end of a command line.
func TrimArgs(argv []string) []string {
	for len(argv) > 0 && strings.TrimSpace(argv[len(argv)-1]) == "" {
		argv = argv[:len(argv)-1]
	}
	return argv
}

// retitled reports that the only argument is a title and no program: it holds spaces
// and is not the path of the executable.
func (p *Process) retitled() bool {
	title := p.Argv[0]
	return strings.Contains(strings.TrimSpace(title), " ") && title != p.Exe && !strings.HasPrefix(title, "/")
}

// Kind tells what a standard stream is connected to.
type Kind string

// The kinds of standard streams.
const (
	KindPipe    Kind = "pipe"
	KindSocket  Kind = "socket"
	KindNull    Kind = "null"
	KindTTY     Kind = "tty"
	KindFile    Kind = "file"
	KindClosed  Kind = "closed"
	KindUnknown Kind = "unknown"
)

// Peer says whether anybody has the other end of a stream open.
type Peer string

// The states of the other end.
const (
	PeerOpen    Peer = "open"
	PeerClosed  Peer = "closed"
	PeerUnknown Peer = "unknown"
)

// Stdio is a process's stdin or stdout.
type Stdio struct {
	Kind Kind `json:"kind"`
	// ID is the kernel's name for it, such as "pipe:[721053]".
	ID   string `json:"id,omitempty"`
	Peer Peer   `json:"peer,omitempty"`
	// Named is a FIFO that still has a name: whoever opens it next has the other end, so its
	// peer is open, and its holders are not searched.
	Named bool `json:"named,omitempty"`
	// Holders are the PIDs that have the other end open; nil means that they were not
	// looked for, empty that none was found. The list may be incomplete once a listed
	// holder proves that the stream is in use. If none does, it is complete.
	Holders []int `json:"holders,omitzero"`
}

// Connected reports a pipe or a socket: a stream with another end.
func (s Stdio) Connected() bool { return s.Kind == KindPipe || s.Kind == KindSocket }

// Source returns the first source of that name.
func (s *Snapshot) Source(name string) (Source, bool) {
	for _, source := range s.Sources {
		if source.Name == name {
			return source, true
		}
	}
	return Source{}, false
}

// Complete reports that no source failed. Absent and partial ones do not count as
// failed.
func (s *Snapshot) Complete() bool {
	for _, source := range s.Sources {
		if source.Status == StatusError {
			return false
		}
	}
	return true
}
