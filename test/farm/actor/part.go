package actor

import (
	"strconv"
	"strings"
)

// Stream is the file behind a part's stdin or stdout.
type Stream string

// The streams. The zero value is the parent's own stream, as wrappers pass it on.
const (
	Inherit Stream = ""
	Null    Stream = "null"
	File    Stream = "file"
	TTY     Stream = "tty"
	Closed  Stream = "closed"
	Pipe    Stream = "pipe"    // a pipe whose other end the parent holds
	Socket  Stream = "socket"  // a socket pair whose other end the parent holds
	Fifo    Stream = "fifo"    // a FIFO with a name, open for both; nobody else has it open
	Backlog Stream = "backlog" // a connection that the parent, which listens, has not accepted
	Half    Stream = "half"    // a TCP connection over which the parent has sent its last byte, and reads on
)

const namedPrefix = "pipe:"

// Named is a pipe between siblings: the stdout of one is the stdin of another. The parent
// keeps neither end. If only one sibling uses a name, nobody has the other end.
func Named(name string) Stream { return Stream(namedPrefix + name) }

const passedPrefix = "passed:"

// Passed is a descriptor that the parent has beside its own streams.
func Passed(fd int) Stream { return Stream(passedPrefix + strconv.Itoa(fd)) }

// passed is the number of a passed descriptor.
func (s Stream) passed() (fd int, ok bool) {
	number, ok := strings.CutPrefix(string(s), passedPrefix)
	fd, err := strconv.Atoi(number)
	return fd, ok && err == nil
}

// name is the name of a named pipe.
func (s Stream) name() (string, bool) { return strings.CutPrefix(string(s), namedPrefix) }

// Role is the task of a part once it is up.
type Role string

// The roles. The zero value does nothing.
const (
	Idle     Role = ""
	Server   Role = "server"   // answers pings on stdin and ends with it
	Wrapper  Role = "wrapper"  // passes its streams on and ends with its children
	Relay    Role = "relay"    // copies between its own streams and its child's
	Launcher Role = "launcher" // ends as soon as its children are up
	Client   Role = "client"   // keeps a connection to Calls
	Visitor  Role = "visitor"  // connects to Calls once in a while
	Drain    Role = "drain"    // copies stdin to stdout and ends with stdin
	Renewer  Role = "renewer"  // answers pings and restarts each child that ends
)

// Part is one process of a world.
type Part struct {
	Name string `json:"name"`
	// Exe is its name, below the world's bin folder. A name with a slash is below the
	// world's folder; an absolute path is a real program.
	Exe string `json:"exe"`
	// Argv is its argument vector. $W is the world's folder; empty means Exe alone.
	Argv []string `json:"argv,omitempty"`
	Env  []string `json:"env,omitempty"`
	// Cwd is its working directory, below the world's folder; empty means its parent's.
	Cwd    string `json:"cwd,omitempty"`
	Stdin  Stream `json:"stdin,omitempty"`
	Stdout Stream `json:"stdout,omitempty"`
	// Dropped makes the parent close its ends of the streams once all parts are up.
	Dropped bool `json:"dropped,omitempty"`
	// Holds are further descriptors: the write ends of named pipes, or of the stdin of
	// siblings that started earlier.
	Holds []string `json:"holds,omitempty"`
	// Beside are the next: "fifo", a FIFO with a name; "pair", one end of a socket pair whose other end
	// the parent holds; "pair NAME", the very end that a sibling has; "stdin" and "stdout", the parent's.
	Beside []string `json:"beside,omitempty"`
	// Hides puts its descriptor 3 where no table of a process shows it: "queue" of a socket, or the table
	// of a "thread".
	Hides string `json:"hides,omitempty"`
	UID   int    `json:"uid,omitempty"`
	// Setsid makes it the leader of a session of its own.
	Setsid bool `json:"setsid,omitempty"`
	// Subreaper makes it adopt the orphans below it.
	Subreaper bool `json:"subreaper,omitempty"`

	Does       Role `json:"does,omitempty"`
	IgnoreEOF  bool `json:"ignore_eof,omitempty"`
	IgnoreTerm bool `json:"ignore_term,omitempty"`
	// Unwaited leaves its dead children as zombies.
	Unwaited bool `json:"unwaited,omitempty"`
	// Zombies are children beside its parts that ended at once, and that it never waits for.
	Zombies int `json:"zombies,omitempty"`
	// Comm is the name that its first thread gives itself; empty: the name of Exe.
	Comm string `json:"comm,omitempty"`
	// Chatty makes it write notices to its stdout again and again.
	Chatty bool `json:"chatty,omitempty"`
	// Busy keeps it computing.
	Busy bool `json:"busy,omitempty"`
	// LeaderEnds ends the first thread. The others work on: the process looks like a
	// zombie and lives.
	LeaderEnds bool `json:"leader_ends,omitempty"`
	// Listen is "tcp" (loopback) or "unix"; empty does not listen.
	Listen string `json:"listen,omitempty"`
	// Hangup makes a listening part close each connection after one answer, and a Visitor
	// wait for that: so TIME_WAIT is on the listening side.
	Hangup bool `json:"hangup,omitempty"`
	// Calls is the listening part to which a Client or Visitor talks.
	Calls string `json:"calls,omitempty"`

	Children []Part `json:"children,omitempty"`
}

// Walk calls do for every part of a tree, parents first.
func Walk(parts []Part, do func(*Part)) {
	for i := range parts {
		do(&parts[i])
		Walk(parts[i].Children, do)
	}
}

// Plays reports whether an actor plays the part; otherwise it is a real program.
func (p *Part) Plays() bool { return !strings.HasPrefix(p.Exe, "/") }
