package inventory

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Version is the version of the snapshot file this package reads and writes.
const Version = 1

// Snapshot is what was seen at one moment.
type Snapshot struct {
	Version   int       `json:"version"`
	TakenAt   time.Time `json:"taken_at"`
	Host      Host      `json:"host"`
	Sources   []Source  `json:"sources"`
	Processes []Process `json:"processes"`
	// Unlisted is how many processes there were beside these: none of them can
	// matter to a verdict. A snapshot that was saved leaves none out.
	Unlisted   int         `json:"unlisted,omitempty"`
	Containers []Container `json:"containers"`
}

// Host is the machine, or the scope of it, that was looked at.
type Host struct {
	Hostname string `json:"hostname,omitempty"`
	OS       string `json:"os,omitempty"`
	BootID   string `json:"boot_id,omitempty"`
	// PIDNamespace tells whether the table is the whole host's ("init"), a
	// scope of its own ("other") or cannot be told ("unknown" or empty).
	PIDNamespace string `json:"pid_namespace,omitempty"`
	// PIDNamespaceID is the namespace's inode, as in REAPERD_OWNER; 0 is unknown.
	PIDNamespaceID uint64    `json:"pid_namespace_id,omitempty"`
	UID            Fact[int] `json:"uid,omitzero"`
	// AwakeSeconds is the time the host has been awake since boot, in seconds
	// (CLOCK_MONOTONIC); where it is known, held times are measured on it.
	AwakeSeconds Fact[float64] `json:"awake_seconds,omitzero"`
	// SelfPID is the observer's own PID in this table; 0 in a file that leaves it out.
	SelfPID     int    `json:"self_pid,omitempty"`
	MemoryBytes uint64 `json:"memory_bytes,omitempty"`
	// Kernel is the kernel's release.
	Kernel   string    `json:"kernel,omitempty"`
	BootedAt time.Time `json:"booted_at,omitzero"`
	// Virtualization is what the host is a guest of, such as kvm or docker.
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

// Source is one place observations come from, and how well it could be read.
type Source struct {
	Name     string `json:"name"`
	Endpoint string `json:"endpoint,omitempty"`
	Status   Status `json:"status"`
	Reason   string `json:"reason,omitempty"`
	// Gaps name what could not be read of it.
	Gaps []Gap `json:"gaps,omitempty"`
	// ClientsVisible tells whether every client of this engine must stand in
	// the process table. Left out, it is true for a unix endpoint seen from
	// the host's own PID namespace.
	ClientsVisible Fact[bool] `json:"clients_visible,omitzero"`
	// RowsMissing tells of a partial process table whether processes are missing
	// from it altogether (hidepid, files that could not be read), or only things
	// about those that are listed. Left out of a partial one it is unknown.
	RowsMissing Fact[bool] `json:"rows_missing,omitzero"`
	// SameClock tells whether the engine's times are by this host's clock; one in
	// a virtual machine has its own. Left out, it is true for a unix endpoint of a
	// Linux host.
	SameClock Fact[bool] `json:"same_clock,omitzero"`
	// ClientUIDs are the users beside root who are known to reach the engine.
	ClientUIDs []int `json:"client_uids,omitempty"`
	// Engine is the engine's own id, so that two ways to one engine count once.
	Engine string `json:"engine,omitempty"`
}

// Whole reports whether everything there is was listed, whatever could not be
// read about it: what is not in the list is not there.
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
	// Argv is the argument vector with empty arguments kept and trailing
	// padding (what a program that renames itself leaves behind) kept too; nil
	// is unknown, empty is a zombie's. Normalised reading is [Process.Args].
	Argv []string `json:"argv,omitempty"`
	// ArgvHash stands for the whole of a command line that was too long to be
	// kept, of which Argv is the beginning: two such command lines are the same
	// where the hashes are. Empty: Argv is the whole of it.
	ArgvHash string `json:"argv_sha256,omitempty"`
	Cwd      string `json:"cwd,omitempty"`
	TTY      string `json:"tty,omitempty"`
	// TTYUsedAt is when the terminal that is its stdin or stdout was last typed on
	// or written to, to some seconds; zero is not known.
	TTYUsedAt time.Time `json:"tty_used_at,omitzero"`
	// Cgroup is the path below the cgroup root.
	Cgroup      string `json:"cgroup,omitempty"`
	ContainerID string `json:"container_id,omitempty"`
	// Service is the systemd unit or launchd job whose main process this is.
	Service string `json:"service,omitempty"`
	// Env holds the allow-listed markers of the environment, nothing else.
	Env map[string]string `json:"env,omitempty"`
	// EnvWithheld tells that the system keeps the environment back, as macOS does
	// for Apple's own programs: what stands in Env is then not all there is.
	EnvWithheld bool          `json:"env_withheld,omitempty"`
	CPUSeconds  Fact[float64] `json:"cpu_seconds,omitzero"`
	RSSBytes    Fact[uint64]  `json:"rss_bytes,omitzero"`
	// MemoryBytes is the best figure for what ending it gives back, of MemoryKind.
	MemoryBytes Fact[uint64] `json:"memory_bytes,omitzero"`
	MemoryKind  string       `json:"memory_kind,omitempty"` // pss, footprint or rss
	// IOChars is characters read plus written (rchar + wchar), not calls.
	IOChars Fact[uint64] `json:"io_chars,omitzero"`
	// OpenFDs is the number of open descriptors; unreadable where this
	// process's descriptors could not be read, so that it may hold anything.
	OpenFDs Fact[int]   `json:"open_fds,omitzero"`
	Stdin   Fact[Stdio] `json:"stdin,omitzero"`
	Stdout  Fact[Stdio] `json:"stdout,omitzero"`
	// Listening tells whether it has a listening TCP or Unix socket.
	Listening Fact[bool] `json:"listening,omitzero"`
	// ListenPorts are the TCP ports it listens on, in order.
	ListenPorts []int `json:"listen_ports,omitempty"`
	// Clients counts connections to its listening sockets from outside its
	// own tree, established or in TIME_WAIT.
	Clients Fact[int] `json:"clients,omitzero"`
	// Configured is the name under which a client's configuration names it.
	Configured string `json:"configured,omitempty"`
	// ConfiguredBy is "command" or "url"; empty is unknown.
	ConfiguredBy string `json:"configured_by,omitempty"`
	// ContainerFile is the container id that its --cidfile holds.
	ContainerFile string `json:"cidfile_id,omitempty"`
	// OriginalParent is the start identity of the process that forked it,
	// where the system remembers it (macOS); empty elsewhere.
	OriginalParent string `json:"original_parent,omitempty"`
	// Reparented tells that it has another parent than when it was first seen,
	// and got that while no snapshot listed it.
	Reparented bool `json:"reparented,omitempty"`
}

// ID is the process's identity.
func (p *Process) ID() ID { return ID{PID: p.PID, Start: p.Start} }

// Alive reports whether the process still runs. A zombie with more than one
// thread is alive: only its leading thread has ended.
func (p *Process) Alive() bool {
	switch p.State {
	case "X", "x":
		return false
	case "Z":
		return p.Threads.Or(1) > 1
	}
	return true
}

// Args is the argument vector as a person would write it: the one string that
// npm and others leave after renaming themselves is split at spaces, and the
// padding behind it is dropped. Empty arguments between real ones stay.
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

// retitled reports whether the only argument is a title rather than a program:
// it holds spaces and is not the path of the executable.
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

// Peer tells whether anybody has the other end of a stream open.
type Peer string

// What can be known of the other end.
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
	// Holders are the PIDs that have the other end open: nil is not looked for,
	// empty is looked for and none found. The list may be incomplete once a listed
	// holder proves the stream in use; if none does, it is complete.
	Holders []int `json:"holders,omitzero"`
}

// Connected reports whether it is a pipe or a socket: something with another end.
func (s Stdio) Connected() bool { return s.Kind == KindPipe || s.Kind == KindSocket }

// Container is one container as it was seen.
type Container struct {
	ID        string            `json:"id"`
	Name      string            `json:"name,omitempty"`
	Image     string            `json:"image,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	State     string            `json:"state,omitempty"`
	CreatedAt time.Time         `json:"created_at,omitzero"`
	StartedAt time.Time         `json:"started_at,omitzero"`
	// FinishedAt is when it last ended; zero while it runs.
	FinishedAt time.Time `json:"finished_at,omitzero"`
	Command    []string  `json:"command,omitempty"`
	// PID is its first process in the engine's PID namespace; 0 when not running.
	PID        int        `json:"pid,omitempty"`
	OpenStdin  Fact[bool] `json:"open_stdin,omitzero"`
	StdinOnce  Fact[bool] `json:"stdin_once,omitzero"`
	AutoRemove Fact[bool] `json:"auto_remove,omitzero"`
	// Stdin tells whether the shim still holds the write end of its stdin.
	Stdin Peer `json:"stdin,omitempty"`
	// Engine is the endpoint it was seen at.
	Engine string `json:"engine,omitempty"`
	// ExecPIDs are the processes that docker exec brought in and that run on.
	ExecPIDs []int `json:"exec_pids,omitempty"`
}

// Running reports whether it runs.
func (c *Container) Running() bool { return c.State == "running" || c.State == "paused" }

// Source returns the first source of that name.
func (s *Snapshot) Source(name string) (Source, bool) {
	for _, source := range s.Sources {
		if source.Name == name {
			return source, true
		}
	}
	return Source{}, false
}

// Complete reports whether no source failed; absent and partial ones do not count.
func (s *Snapshot) Complete() bool {
	for _, source := range s.Sources {
		if source.Status == StatusError {
			return false
		}
	}
	return true
}

// Moment is a point in time on both of the host's clocks.
type Moment struct {
	At    time.Time
	Awake Fact[float64] // seconds awake since boot
}

// Moment is when the snapshot was taken.
func (s *Snapshot) Moment() Moment { return Moment{At: s.TakenAt, Awake: s.Host.AwakeSeconds} }

// Since is the time from earlier to m: time awake where both know it, so that
// a night of sleep is no time held, and wall clock time where they do not. It
// is never negative.
func (m Moment) Since(earlier Moment) time.Duration {
	from, known := earlier.Awake.Get()
	to, alsoKnown := m.Awake.Get()
	if known && alsoKnown {
		return max(0, time.Duration((to-from)*float64(time.Second)))
	}
	return max(0, m.At.Sub(earlier.At))
}
