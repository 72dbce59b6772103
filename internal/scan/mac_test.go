package scan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/test/mac/darwintest"
)

// dev is the user whose Mac it is.
const dev = 501

// mac is a played Mac with a client and a server below it, over a pair of
// sockets, read by its user.
type mac struct {
	*darwintest.Kernel
	client, server *darwintest.Process
}

func newMac() *mac {
	k := darwintest.NewKernel()
	k.UID = dev
	m := &mac{Kernel: k}
	m.client = k.Spawn(nil, darwintest.Spec{Comm: "claude", Exe: "/opt/homebrew/bin/claude", Argv: []string{"claude"}, UID: dev,
		TTY: darwintest.Terminal(3), Setsid: true, FDs: map[int]*darwintest.File{0: darwintest.TTY(3), 1: darwintest.TTY(3)}})
	ours, theirs := k.Pair()
	k.Give(m.client, ours)
	m.server = k.Spawn(m.client, darwintest.Spec{Comm: "node", Exe: "/opt/homebrew/bin/node", Argv: []string{"node", "mcp.js", "", "x"}, UID: dev,
		Env: []string{"HOME=/Users/dev", "REAPERD_KEEP=1"}, Cwd: "/Users/dev", FDs: map[int]*darwintest.File{0: theirs, 1: theirs}})
	return m
}

func (m *mac) scanner() *Mac {
	return NewMac(m, Options{Candidate: func(p *inventory.Process) bool {
		return p.Comm == "claude" || slices.Contains(p.Argv, "mcp.js")
	}}, func() inventory.Host {
		return inventory.Host{OS: "darwin", PIDNamespace: "init", UID: inventory.Known(m.UID), SelfPID: os.Getpid()}
	})
}

func (m *mac) look(t *testing.T) Look {
	t.Helper()
	look, err := m.scanner().Processes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return look
}

func of(look Look, p *darwintest.Process) inventory.Process {
	for _, found := range look.Processes {
		if found.PID == p.PID {
			return found
		}
	}
	return inventory.Process{}
}

// streams are stdin and stdout in words.
func streams(p inventory.Process) string {
	word := func(stream inventory.Fact[inventory.Stdio]) string {
		stdio, known := stream.Get()
		switch {
		case stream.IsZero():
			return "not recorded"
		case !known:
			return "unreadable"
		case stdio.Holders != nil:
			return fmt.Sprint(stdio.Kind, " ", stdio.Peer, " ", stdio.Holders)
		case stdio.Peer != "":
			return fmt.Sprint(stdio.Kind, " ", stdio.Peer)
		}
		return string(stdio.Kind)
	}
	return word(p.Stdin) + ", " + word(p.Stdout)
}

func TestMacStreams(t *testing.T) {
	for _, world := range []struct {
		says  string
		build func(m *mac)
		want  string
	}{
		{"a client that lives holds both ends of a pair of sockets", nil, "socket open [100], socket open [100]"},
		{"a client that is gone", func(m *mac) { m.Exit(m.client) }, "socket closed, socket closed"},
		{"a client that let go of its ends", func(m *mac) { m.Close(m.client, 3) }, "socket closed, socket closed"},
		{"a pipe that nobody writes to and one that somebody reads", func(m *mac) {
			read, write := m.Pipe()
			answer, out := m.Pipe()
			fd := m.Give(m.client, write)
			m.Give(m.client, answer)
			m.open(read, out)
			m.Close(m.client, fd)
		}, "pipe closed, pipe open [100]"},
		{"a sibling inherited the write end", func(m *mac) {
			read, write := m.Pipe()
			m.open(read, darwintest.Regular(7))
			m.Spawn(nil, darwintest.Spec{UID: dev, FDs: map[int]*darwintest.File{5: write}})
		}, "pipe open [103], file"},
		{"the end is with another user, whose descriptors are hidden", func(m *mac) {
			read, write := m.Pipe()
			m.open(read, darwintest.Null())
			m.Spawn(nil, darwintest.Spec{UID: 0, FDs: map[int]*darwintest.File{5: write}})
		}, "pipe open [], null"},
		{"a terminal, and a file", func(m *mac) { m.open(darwintest.TTY(7), darwintest.Regular(9)) }, "tty, file"},
		{"a named pipe, by whose name somebody may come", func(m *mac) { m.open(darwintest.FIFO(4, 1), darwintest.Null()) }, "pipe open, null"},
		{"a pipe that has lost its name, of which nothing is told", func(m *mac) { m.open(darwintest.FIFO(4, 0), darwintest.Null()) }, "pipe unknown, null"},
		{"a kqueue, and nothing", func(m *mac) { m.Close(m.server, 0); m.Close(m.server, 1); m.server.FDs[0] = darwintest.Queue() }, "unknown, closed"},
		{"another user's server", func(m *mac) { m.server.UID = 502 }, "unreadable, unreadable"},
		{"descriptors that change at each reading", func(m *mac) {
			m.Before = func(call string) error {
				if strings.HasPrefix(call, fmt.Sprintf("fdinfo 3 %d ", m.server.PID)) {
					return syscall.ENOTSOCK
				}
				return nil
			}
		}, "unreadable, unreadable"},
		{"the kernel lays a socket out otherwise", func(m *mac) {
			m.Before = func(call string) error {
				if strings.HasPrefix(call, "fdinfo 3 ") {
					return syscall.ENOMEM
				}
				return nil
			}
		}, "unreadable, unreadable"},
		{"who it is cannot be tied to its row", func(m *mac) {
			m.Before = func(call string) error {
				if strings.HasPrefix(call, "pidinfo 18 ") {
					return syscall.EINVAL
				}
				return nil
			}
		}, "unreadable, unreadable"},
		{"the list of descriptors cannot be had", func(m *mac) {
			m.Before = func(call string) error {
				if strings.HasPrefix(call, fmt.Sprintf("pidinfo 1 %d", m.server.PID)) {
					return syscall.EPERM
				}
				return nil
			}
		}, "unreadable, unreadable"},
	} {
		t.Run(world.says, func(t *testing.T) {
			m := newMac()
			if world.build != nil {
				world.build(m)
			}
			m.server.Argv = []string{"node", "mcp.js"}
			scanner := m.scanner()
			scanner.options.Candidate = func(p *inventory.Process) bool { return p.PID == m.server.PID }
			look, err := scanner.Processes(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := streams(of(look, m.server)); got != world.want {
				t.Errorf("got %q, want %q", got, world.want)
			}
		})
	}
}

// open gives the server other streams.
func (m *mac) open(stdin, stdout *darwintest.File) {
	m.Close(m.server, 0)
	m.Close(m.server, 1)
	next := m.Spawn(m.client, darwintest.Spec{Comm: "node", Argv: []string{"node", "mcp.js"}, UID: dev, FDs: map[int]*darwintest.File{0: stdin, 1: stdout}})
	m.Exit(m.server)
	m.server = next
}

func TestMacDescribesAProcess(t *testing.T) {
	m := newMac()
	m.Job(m.client, "application.com.example.terminal")
	look := m.look(t)
	server, client := of(look, m.server), of(look, m.client)
	if got := fmt.Sprintf("%q %s %s %v %v", server.Argv, server.Exe, server.Cwd, server.Env, server.EnvWithheld); got != `["node" "mcp.js" "" "x"] /opt/homebrew/bin/node /Users/dev map[REAPERD_KEEP:1] false` {
		t.Errorf("what it runs: %s", got)
	}
	if server.MemoryKind != "footprint" || server.MemoryBytes.Or(0) == 0 || server.RSSBytes.Or(0) == 0 || !server.CPUSeconds.IsKnown() {
		t.Errorf("figures: %+v", server)
	}
	if server.OriginalParent != client.ID().String() || server.SID.Or(0) != client.PID || client.TTY != "ttys003" {
		t.Errorf("lineage: origin %s, session %d, terminal %s", server.OriginalParent, server.SID.Or(0), client.TTY)
	}
	if client.Service != "application.com.example.terminal" || server.Service != "" {
		t.Errorf("services: %q, %q", client.Service, server.Service)
	}
	if look.Source.Status != inventory.StatusPartial || !strings.Contains(look.Source.Reason, "descriptors of 1 process of other users") || !slices.Equal(look.Source.Gaps, []inventory.Gap{inventory.GapDescriptors}) {
		t.Errorf("launchd's descriptors are hidden from a user: %+v", look.Source)
	}
}

func TestMacTellsWithheldFromEmpty(t *testing.T) {
	m := newMac()
	m.server.Restricted = true
	if got := of(m.look(t), m.server); !got.EnvWithheld || len(got.Env) > 0 {
		t.Errorf("an Apple program: %v, withheld %v", got.Env, got.EnvWithheld)
	}
	m.server.Restricted, m.server.Env = false, nil
	if got := of(m.look(t), m.server); got.EnvWithheld {
		t.Error("an empty environment counts as withheld")
	}
}

func TestMacLeavesOutWhatEndsWhileItIsRead(t *testing.T) {
	for _, reuse := range []bool{false, true} {
		for _, at := range []string{"pidinfo 18 %d", "sysctl kern.procargs2", "pidinfo 1 %d", "fdinfo 3 %d 0", "fdinfo 3 %d 1", "pidinfo 17 %d"} {
			m := newMac()
			at := at
			if strings.Contains(at, "%d") {
				at = fmt.Sprintf(at, m.server.PID)
			}
			done := false
			m.Before = func(call string) error {
				if call == at && !done {
					done = true
					m.Exit(m.server)
					if reuse {
						m.Spawn(nil, darwintest.Spec{PID: m.server.PID, UID: dev, Argv: []string{"node", "mcp.js"}, Comm: "node"})
					}
				}
				return nil
			}
			if got := of(m.look(t), m.server); got.PID != 0 || !done {
				t.Errorf("ended at %q (reused: %v, came to pass: %v): listed as %v %s", at, reuse, done, got.ID(), streams(got))
			}
		}
	}
}

func TestMacDoesNotTakeARecycledHandleForAHolder(t *testing.T) {
	m := newMac()
	stranger := m.Spawn(nil, darwintest.Spec{UID: dev})
	done := false
	m.Before = func(call string) error {
		if call == fmt.Sprintf("pidinfo 1 %d", stranger.PID) && !done { // the server's streams were read
			done = true
			m.Close(m.client, 3)
			one, _ := m.Pair() // it gets the handle that was freed
			m.Give(stranger, one)
		}
		return nil
	}
	scanner := m.scanner()
	scanner.options.Candidate = func(p *inventory.Process) bool { return p.PID == m.server.PID }
	look, err := scanner.Processes(t.Context())
	if err != nil || !done {
		t.Fatal(err, done)
	}
	if got := streams(of(look, m.server)); got != "socket unknown, socket unknown" {
		t.Errorf("got %s", got)
	}
}

func TestMacFailsWithTheTable(t *testing.T) {
	m := newMac()
	m.Before = func(call string) error {
		if call == "sysctl kern.proc.all" {
			return syscall.EPERM
		}
		return nil
	}
	look, err := m.scanner().Processes(t.Context())
	if !errors.Is(err, syscall.EPERM) || look.Source.Status != inventory.StatusError || look.Host.OS != "darwin" {
		t.Errorf("%v, %+v", err, look.Source)
	}
	if _, err := m.scanner().Table(); err == nil {
		t.Error("a table was read")
	}
}

func TestMacSaysThatLaunchdDidNotAnswer(t *testing.T) {
	m := newMac()
	asked := 0
	m.Before = func(call string) error {
		if call != "launchctl" {
			return nil
		}
		asked++
		return errors.New("exit status 125")
	}
	scanner := m.scanner()
	for range 2 {
		look, err := scanner.Processes(t.Context())
		if err != nil || !strings.Contains(look.Source.Reason, "services could not be asked") {
			t.Errorf("%v, %+v", err, look.Source)
		}
	}
	if asked != 4 {
		t.Errorf("two domains were asked %d times in two looks", asked)
	}
}

func TestMacAsksLaunchdRarely(t *testing.T) {
	m := newMac()
	asked := 0
	m.Before = func(call string) error {
		if call == "launchctl" {
			asked++
		}
		return nil
	}
	scanner := m.scanner()
	look := func() int {
		asked = 0
		if _, err := scanner.Processes(t.Context()); err != nil {
			t.Fatal(err)
		}
		return asked
	}
	if first, second := look(), look(); first != 2 || second != 0 {
		t.Errorf("asked %d and %d times", first, second)
	}
	m.Spawn(nil, darwintest.Spec{Comm: "claude", UID: dev})
	if again := look(); again != 2 {
		t.Errorf("with a new client below launchd: asked %d times", again)
	}
}

func TestMacReadsOneProcessAnew(t *testing.T) {
	m := newMac()
	scanner := m.scanner()
	look, err := scanner.Processes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := of(look, m.server)
	now, err := scanner.Process(before.ID())
	if err != nil || streams(now) != streams(before) || now.Cwd != before.Cwd || now.Listening != before.Listening {
		t.Errorf("read anew: %s, %v; at the look: %s", streams(now), err, streams(before))
	}
	m.Exit(m.server)
	m.Spawn(nil, darwintest.Spec{PID: m.server.PID, UID: dev, Started: time.Now().Add(time.Second)})
	if _, err := scanner.Process(before.ID()); !errors.Is(err, ErrGone) {
		t.Errorf("a stranger with its number: %v", err)
	}
}

func TestMacTableHasZombiesAndSessions(t *testing.T) {
	m := newMac()
	m.client.Unwaited = true
	m.Exit(m.server)
	rows, err := m.scanner().Table()
	if err != nil {
		t.Fatal(err)
	}
	states := map[int]string{}
	for _, row := range rows {
		states[row.ID.PID] = fmt.Sprintf("%c below %d in %d", row.State, row.PPID, row.SID)
	}
	if states[m.server.PID] != fmt.Sprintf("Z below %d in 0", m.client.PID) || states[m.client.PID] != fmt.Sprintf("R below 1 in %d", m.client.PID) {
		t.Errorf("got %v", states)
	}
}

func TestMacStopsWhenItIsTold(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newMac().scanner().Processes(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestMacWhoElseMaySpeakToAServer has a server whose client has let go of its stdio, with
// something else that the client has the other end of.
func TestMacWhoElseMaySpeakToAServer(t *testing.T) {
	for _, world := range []struct {
		says  string
		build func(m *mac) (its, clients *darwintest.File)
		want  string // shares, connects; then the same when the client has closed its end
		then  string
	}{
		{"a pair of sockets", func(m *mac) (its, clients *darwintest.File) { return m.Pair() }, "[100], []", "[], []"},
		{"a pipe that it reads", func(m *mac) (its, clients *darwintest.File) { return m.Pipe() }, "[100], []", "[], []"},
		{"a connection that it has opened", func(m *mac) (its, clients *darwintest.File) {
			listener := m.Listen("/tmp/client.sock")
			m.Give(m.client, listener)
			clients, its = m.Connect(listener, 0)
			return its, clients
		}, "[], [100]", "[], []"},
		{"a TCP connection that it has opened", func(m *mac) (its, clients *darwintest.File) {
			listener := m.Listen("127.0.0.1:8080")
			m.Give(m.client, listener)
			clients, its = m.Connect(listener, 50000)
			return its, clients
		}, "[], [100]", "[], []"},
		{"a connection that it was given, where nobody listens", func(m *mac) (its, clients *darwintest.File) {
			return m.Connect(m.Listen("/tmp/gone.sock"), 0)
		}, "[100], []", "[], []"},
		{"the docker CLI's socket for its plugin", func(m *mac) (its, clients *darwintest.File) {
			listener := m.Listen("/tmp/docker_cli_0123456789abcdef0123456789abcdef")
			m.Give(m.client, listener)
			clients, its = m.Connect(listener, 0)
			return its, clients
		}, "[], []", "[], []"},
	} {
		t.Run(world.says, func(t *testing.T) {
			m := newMac()
			m.Close(m.client, 3)
			its, clients := world.build(m)
			m.Give(m.server, its)
			fd := m.Give(m.client, clients)
			said := func() string {
				p := of(m.look(t), m.server)
				return fmt.Sprint(p.Shares.Or([]int{-1}), ", ", p.Connects.Or([]int{-1}))
			}
			if got := said(); got != world.want {
				t.Errorf("the client has the other end: got %s, want %s", got, world.want)
			}
			m.Close(m.client, fd)
			if got := said(); got != world.then {
				t.Errorf("the client has closed it: got %s, want %s", got, world.then)
			}
		})
	}
}
