package scan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v3/process"
	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/procstat"
	"github.com/reaperd/reaperd/test/eventually"
)

func TestStdinPipe(t *testing.T) {
	r, w := pipe(t)
	c := sleeper(t, r, nil)
	r.Close()
	s := scannerOf(t, c.pid())
	held := stdio(t, in(t, lookAt(t, s), c.pid()).Stdin)
	if held.Kind != inventory.KindPipe || held.Peer != inventory.PeerOpen || !reflect.DeepEqual(held.Holders, []int{os.Getpid()}) {
		t.Errorf("while the test holds the other end: %+v", held)
	}
	w.Close()
	left := stdio(t, in(t, lookAt(t, s), c.pid()).Stdin)
	if left.Peer != inventory.PeerClosed || left.ID != held.ID || left.Holders != nil {
		t.Errorf("after it was closed: %+v", left)
	}
}

func TestStdinSocketpair(t *testing.T) {
	mine, its := pair(t)
	c := sleeper(t, its, its)
	its.Close()
	s := scannerOf(t, c.pid())
	p := in(t, lookAt(t, s), c.pid())
	in0, out := stdio(t, p.Stdin), stdio(t, p.Stdout)
	if in0.Kind != inventory.KindSocket || in0.Peer != inventory.PeerOpen || !reflect.DeepEqual(in0.Holders, []int{os.Getpid()}) {
		t.Errorf("while the test holds the other end: %+v", in0)
	}
	if !reflect.DeepEqual(in0, out) {
		t.Errorf("one socket, two answers: %+v, %+v", in0, out)
	}
	mine.Close()
	p = in(t, lookAt(t, s), c.pid())
	if stdio(t, p.Stdin).Peer != inventory.PeerClosed || stdio(t, p.Stdout).Peer != inventory.PeerClosed {
		t.Errorf("after it was closed: %+v, %+v", p.Stdin, p.Stdout)
	}
}

func TestStdoutReaderGone(t *testing.T) {
	r, w := pipe(t)
	c := sleeper(t, nil, w)
	w.Close()
	s := scannerOf(t, c.pid())
	held := stdio(t, in(t, lookAt(t, s), c.pid()).Stdout)
	if held.Peer != inventory.PeerOpen || !reflect.DeepEqual(held.Holders, []int{os.Getpid()}) {
		t.Errorf("while the test reads: %+v", held)
	}
	r.Close()
	if left := stdio(t, in(t, lookAt(t, s), c.pid()).Stdout); left.Peer != inventory.PeerClosed {
		t.Errorf("when nobody reads: %+v", left)
	}
}

func TestASiblingKeepsStdinOpen(t *testing.T) {
	r, w := pipe(t)
	server := sleeper(t, r, nil)
	cmd := exec.Command("/bin/sleep", "600")
	cmd.ExtraFiles = []*os.File{w}
	sibling := start(t, cmd)
	r.Close()
	w.Close()
	s := scannerOf(t, server.pid())
	held := stdio(t, in(t, lookAt(t, s), server.pid()).Stdin)
	if held.Peer != inventory.PeerOpen || !reflect.DeepEqual(held.Holders, []int{sibling.pid()}) {
		t.Errorf("while the sibling lives: %+v, want it (%d) as the only holder", held, sibling.pid())
	}
	sibling.end()
	if left := stdio(t, in(t, lookAt(t, s), server.pid()).Stdin); left.Peer != inventory.PeerClosed {
		t.Errorf("when it has ended: %+v", left)
	}
}

func TestAReaderOfTheSamePipeIsNoHolder(t *testing.T) {
	r, w := pipe(t)
	server, twin := sleeper(t, r, nil), sleeper(t, r, nil)
	r.Close()
	held := stdio(t, in(t, lookAt(t, scannerOf(t, server.pid())), server.pid()).Stdin)
	if slices.Contains(held.Holders, twin.pid()) || !slices.Contains(held.Holders, os.Getpid()) {
		t.Errorf("holders %v: want the test, not the twin %d", held.Holders, twin.pid())
	}
	w.Close()
}

func TestHoldersAreFollowedAndStrangersLeftAlone(t *testing.T) {
	serverIn, relayOut := pipe(t)
	relayIn, mine := pipe(t)
	relay := sleeper(t, relayIn, relayOut)
	server := sleeper(t, serverIn, nil)
	strangerIn, strangers := pipe(t)
	stranger := sleeper(t, strangerIn, nil)
	for _, f := range []*os.File{serverIn, relayOut, relayIn, strangerIn} {
		f.Close()
	}
	look := lookAt(t, scannerOf(t, server.pid()))
	if held := stdio(t, in(t, look, server.pid()).Stdin); !reflect.DeepEqual(held.Holders, []int{relay.pid()}) {
		t.Errorf("the server's stdin: %+v, want the relay %d", held, relay.pid())
	}
	if held := stdio(t, in(t, look, relay.pid()).Stdin); !reflect.DeepEqual(held.Holders, []int{os.Getpid()}) {
		t.Errorf("the relay's stdin: %+v, want the test", held)
	}
	if self := in(t, look, os.Getpid()); self.Stdin.IsZero() {
		t.Error("the holder's holder has no stdin recorded")
	}
	if p := in(t, look, stranger.pid()); !p.Stdin.IsZero() || !p.Stdout.IsZero() || p.Env != nil {
		t.Errorf("a process nobody asked for was read: %+v", p)
	}
	mine.Close()
	strangers.Close()
}

func TestStdioThatHasNoOtherEnd(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null := sleeper(t, nil, file)
	shell := exec.Command("/bin/sh", "-c", "exec sleep 600 <&- >&-")
	closed := start(t, shell)
	s := scannerOf(t, null.pid(), closed.pid())
	p := in(t, lookAt(t, s), null.pid())
	if got := stdio(t, p.Stdin); got.Kind != inventory.KindNull || got.Peer != "" {
		t.Errorf("/dev/null: %+v", got)
	}
	if got := stdio(t, p.Stdout); got.Kind != inventory.KindFile || got.ID != file.Name() {
		t.Errorf("a file: %+v", got)
	}
	eventually.Holds(t, "the shell's sleep with closed stdio", func() bool {
		p := in(t, lookAt(t, s), closed.pid())
		return p.Comm == "sleep" && stdio(t, p.Stdin).Kind == inventory.KindClosed && stdio(t, p.Stdout).Kind == inventory.KindClosed
	})
}

func TestTerminalIsNotOpened(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	defer master.Close()
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	defer slave.Close()
	c := sleeper(t, slave, slave)
	if got := stdio(t, in(t, lookAt(t, scannerOf(t, c.pid())), c.pid()).Stdin); got.Kind != inventory.KindTTY || got.Peer != "" {
		t.Errorf("got %+v", got)
	}
}

func TestSocketpairOfAnotherNetworkNamespace(t *testing.T) {
	needRoot(t)
	mine, its := pair(t)
	cmd := exec.Command("/bin/sh", "-c", "exec sleep 600")
	cmd.Stdin = its
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	moved := start(t, cmd)
	its.Close()
	s := scannerOf(t, moved.pid())
	if got := stdio(t, in(t, lookAt(t, s), moved.pid()).Stdin); got.Peer != inventory.PeerOpen {
		t.Errorf("a socket of ours in a child of another namespace: %+v", got)
	}
	mine.Close()
	if got := stdio(t, in(t, lookAt(t, s), moved.pid()).Stdin); got.Peer != inventory.PeerClosed {
		t.Errorf("the same, closed: %+v", got)
	}
}

func TestForeignSocketIsAskedThroughACopy(t *testing.T) {
	mine, its := pair(t)
	c := sleeper(t, its, nil)
	its.Close()
	s := scannerOf(t, c.pid())
	l := s.newLook()
	defer l.close()
	row, _, err := l.reader.row(c.pid())
	if err != nil {
		t.Fatal(err)
	}
	h, err := l.reader.open(&slot{pid: int32(row.ID.PID), start: row.ID.Start}, false, true)
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	link, err := l.reader.readlink(h.dir, h.fdPath(0))
	if err != nil {
		t.Fatal(err)
	}
	_, inode := parseLink(link)
	switch got := h.foreignPeer(readEnd(0), inode); got {
	case inventory.PeerUnknown:
		t.Skip("pidfd_getfd is not allowed here")
	case inventory.PeerOpen:
	default:
		t.Errorf("held: %s", got)
	}
	mine.Close()
	if got := h.foreignPeer(readEnd(0), inode); got != inventory.PeerClosed {
		t.Errorf("closed: %s", got)
	}
	if got := h.foreignPeer(readEnd(0), inode+1); got != inventory.PeerUnknown {
		t.Errorf("another inode than was seen: %s", got)
	}
}

func TestStdinTCP(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	defer l.Close()
	client, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	file, err := conn.(*net.TCPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	c := sleeper(t, file, nil)
	file.Close()
	conn.Close()
	s := scannerOf(t, c.pid())
	held := stdio(t, in(t, lookAt(t, s), c.pid()).Stdin)
	if held.Kind != inventory.KindSocket || held.Peer != inventory.PeerOpen || !reflect.DeepEqual(held.Holders, []int{os.Getpid()}) {
		t.Errorf("connected: %+v", held)
	}
	client.Close()
	eventually.Holds(t, "the end of the connection", func() bool {
		return stdio(t, in(t, lookAt(t, s), c.pid()).Stdin).Peer == inventory.PeerClosed
	})
}

func TestLookingTakesNothingAndBreaksNothing(t *testing.T) {
	r, w := pipe(t)
	c := sleeper(t, r, w) // its stdout is its own stdin
	fmt.Fprint(w, "request")
	s := scannerOf(t, c.pid())
	for range 5 {
		seen := in(t, lookAt(t, s), c.pid())
		if _, err := s.Process(seen.ID()); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	got := make([]byte, 7)
	if _, err := io.ReadFull(r, got); err != nil || string(got) != "request" {
		t.Errorf("the pipe now holds %q, %v", got, err)
	}
	if err := syscall.Kill(c.pid(), 0); err != nil {
		t.Errorf("the process looked at: %v", err)
	}
	p := in(t, lookAt(t, s), c.pid())
	if held := stdio(t, p.Stdin); !slices.Contains(held.Holders, c.pid()) {
		t.Errorf("it holds its own other end: %+v", held)
	}
}

func TestZombieLeaderWithLivingThreads(t *testing.T) {
	binary := compiled(t, "headless.c", "-pthread")
	r, w := pipe(t)
	cmd := exec.Command(binary, "an argument")
	cmd.Stdin = r
	c := start(t, cmd)
	r.Close()
	s := scannerOf(t, c.pid())
	var p inventory.Process
	eventually.Holds(t, "the end of the leading thread", func() bool {
		p = in(t, lookAt(t, s), c.pid())
		return p.State == "Z"
	})
	if !p.Alive() {
		t.Error("it is taken for dead")
	}
	if held := stdio(t, p.Stdin); held.Peer != inventory.PeerOpen || !reflect.DeepEqual(held.Holders, []int{os.Getpid()}) {
		t.Errorf("stdin: %+v", held)
	}
	if len(p.Argv) != 2 || p.Exe != binary {
		t.Errorf("argv %q, exe %q", p.Argv, p.Exe)
	}
	w.Close()
	if left := stdio(t, in(t, lookAt(t, s), c.pid()).Stdin); left.Peer != inventory.PeerClosed {
		t.Errorf("closed: %+v", left)
	}
}

func TestZombieIsListedWithNothingElse(t *testing.T) {
	c := sleeper(t, nil, nil)
	s := scannerOf(t, c.pid())
	lookAt(t, s)
	c.cmd.Process.Kill()
	var p inventory.Process
	eventually.Holds(t, "the zombie", func() bool {
		p = in(t, lookAt(t, s), c.pid())
		return p.State == "Z"
	})
	if p.Alive() || len(p.Argv) != 0 || !p.Stdin.IsZero() || !p.OpenFDs.IsZero() || !p.Listening.IsZero() {
		t.Errorf("got %+v", p)
	}
	if ppid := p.PPID.Or(0); ppid != os.Getpid() {
		t.Errorf("its parent is %d", ppid)
	}
}

func TestExecIsNoticed(t *testing.T) {
	stdin, tell := pipe(t)
	c := player(t, "exec", func(cmd *exec.Cmd) { cmd.Stdin = stdin })
	c.line(t)
	s := scannerOf(t)
	before := in(t, lookAt(t, s), c.pid())
	if before.Argv[0] == "other-program" {
		t.Fatal("it was too early")
	}
	fmt.Fprintln(tell)
	eventually.Holds(t, "another program", func() bool {
		now := in(t, lookAt(t, s), c.pid())
		return now.ID() == before.ID() && reflect.DeepEqual(now.Argv, []string{"other-program", "600"})
	})
}

func TestOldStrangersAreRememberedAndStillFound(t *testing.T) {
	c := sleeper(t, nil, nil)
	s := scannerOf(t)
	if !s.stable {
		t.Skip("this process table has no stable inodes")
	}
	first := in(t, lookAt(t, s), c.pid())
	for range rolling {
		again := in(t, lookAt(t, s), c.pid())
		if again.ID() != first.ID() || !reflect.DeepEqual(again.Argv, first.Argv) || again.PPID != first.PPID {
			t.Fatalf("got %+v, first was %+v", again, first)
		}
	}
	slot, ok := findSlot(s.slots, c.pid())
	if !ok || s.looks-s.slots[slot].read >= rolling {
		t.Error("it was never read again")
	}
	c.end()
	for _, p := range lookAt(t, s).Processes {
		if p.ID() == first.ID() {
			t.Error("it has ended and is still listed")
		}
	}
}

// startParent starts a shell that waits for a command, which outlives it. pid is the
// command's.
func startParent(t *testing.T, command string) (parent *child, pid int) {
	t.Helper()
	shell := exec.Command("/bin/sh", "-c", command+" >/dev/null & echo $!; wait")
	out, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	parent = start(t, shell)
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
	return parent, pid
}

func TestReparentingOfAnOldStrangerIsNoticed(t *testing.T) {
	p, pid := startParent(t, "sleep 600")
	s := scannerOf(t)
	if got := in(t, lookAt(t, s), pid).PPID.Or(0); got != p.pid() {
		t.Fatalf("its parent is %d, want %d", got, p.pid())
	}
	p.end()
	if got := in(t, lookAt(t, s), pid).PPID.Or(0); got == p.pid() {
		t.Error("its parent has gone and is still named")
	}
}

func TestArgvOddities(t *testing.T) {
	for _, argv := range [][]string{
		{"npm exec @playwright/mcp@latest", "", "", ""},
		{"", "a"},
		{"a", "", "b"},
		{"with\nline break", strings.Repeat("long ", 6_000)},
	} {
		c := player(t, "wait", func(cmd *exec.Cmd) { cmd.Args = argv })
		c.line(t)
		if got := in(t, lookAt(t, scannerOf(t)), c.pid()).Argv; !reflect.DeepEqual(got, argv) {
			t.Errorf("got %.80q, want %.80q", got, argv)
		}
	}
}

func TestOddNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a) S (b\nc")
	if err := os.Link("/bin/sleep", path); err != nil {
		data, err := os.ReadFile("/bin/sleep")
		if err != nil {
			t.Skip(err)
		}
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := start(t, exec.Command(path, "600"))
	p := in(t, lookAt(t, scannerOf(t)), c.pid())
	if p.Comm != "a) S (b\nc" || p.PPID.Or(0) != os.Getpid() || p.Exe != path {
		t.Errorf("comm %q, ppid %v, exe %q", p.Comm, p.PPID, p.Exe)
	}
}

func TestCandidateIsReadWhole(t *testing.T) {
	directory := t.TempDir()
	stdin, _ := pipe(t)
	c := player(t, "wait", func(cmd *exec.Cmd) {
		cmd.Dir, cmd.Stdin = directory, stdin
		cmd.Env = []string{role + "=wait", "GITHUB_TOKEN=secret", "OPENCODE_PID=44", "REAPERD_KEEP=1"}
	})
	c.line(t)
	look := lookAt(t, scannerOf(t, c.pid()))
	p := in(t, look, c.pid())
	if !reflect.DeepEqual(p.Env, map[string]string{"OPENCODE_PID": "44", "REAPERD_KEEP": "1"}) {
		t.Errorf("environment: %q", p.Env)
	}
	if p.Cwd != directory || p.Exe != testBinary(t) || p.UID.Or(-1) != os.Geteuid() || p.Threads.Or(0) < 2 {
		t.Errorf("cwd %q, exe %q, uid %v, threads %v", p.Cwd, p.Exe, p.UID, p.Threads)
	}
	if fds, ok := p.OpenFDs.Get(); !ok || fds < 3 {
		t.Errorf("descriptors: %v", p.OpenFDs)
	}
	if memory, ok := p.MemoryBytes.Get(); !ok || memory == 0 || p.MemoryKind == "" || p.RSSBytes.Or(0) == 0 {
		t.Errorf("memory: %v of kind %q", p.MemoryBytes, p.MemoryKind)
	}
	if listens, ok := p.Listening.Get(); !ok || listens {
		t.Errorf("listening: %v", p.Listening)
	}
	if age := look.Host.AwakeSeconds.Or(0); age <= 0 || p.StartedAt.IsZero() || look.Host.SelfPID != os.Getpid() {
		t.Errorf("host %+v, started %v", look.Host, p.StartedAt)
	}
	text, err := json.Marshal(p) // other processes of this host may say the word
	if err != nil || strings.Contains(string(text), "secret") {
		t.Errorf("a secret left the environment (%v)", err)
	}
}

func TestContainerFile(t *testing.T) {
	directory, id := t.TempDir(), strings.Repeat("0a", 32)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("good", id)
	write("prose", "root:x:0:0:root:/root:/bin/sh, and more than sixty-four characters of it\n")
	if err := os.Symlink("good", filepath.Join(directory, "link")); err != nil {
		t.Fatal(err)
	}
	for _, world := range []struct{ says, file, want string }{
		{"below its working directory", "good", id},
		{"by its whole path", filepath.Join(directory, "good"), id},
		{"a file that holds no id", "prose", ""},
		{"a link is not followed", "link", ""},
		{"a directory", directory, ""},
		{"not written yet", "later", ""},
	} {
		t.Run(world.says, func(t *testing.T) {
			c := player(t, "wait", func(cmd *exec.Cmd) {
				cmd.Args = []string{"docker", "run", "-i", "--cidfile", world.file, "mcp/x"}
				cmd.Dir = directory
			})
			c.line(t)
			if got := in(t, lookAt(t, scannerOf(t, c.pid())), c.pid()).ContainerFile; got != world.want {
				t.Errorf("got %q, want %q", got, world.want)
			}
		})
	}
}

func TestListenerAndItsConnections(t *testing.T) {
	stdin, tell := pipe(t)
	c := player(t, "listen", func(cmd *exec.Cmd) { cmd.Stdin = stdin })
	tcp, local, _ := strings.Cut(c.line(t), " ")
	s := scannerOf(t, c.pid())
	expect := func(says string, want int) {
		t.Helper()
		p := in(t, lookAt(t, s), c.pid())
		if !p.Listening.Or(false) || p.Connections.Or(-1) != want {
			t.Errorf("%s: listening %v, clients %v, want %d", says, p.Listening, p.Connections, want)
		}
		if _, port, _ := net.SplitHostPort(tcp); len(p.ListenPorts) != 1 || strconv.Itoa(p.ListenPorts[0]) != port {
			t.Errorf("%s: listens on %v, want %s", says, p.ListenPorts, port)
		}
	}
	expect("only connected to itself", 0)
	first, err := net.Dial("tcp4", tcp)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	c.line(t)
	expect("a TCP client", 1)
	second, err := net.Dial("unix", local)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	c.line(t)
	expect("and a Unix client", 2)
	fmt.Fprintln(tell)
	c.line(t)
	io.Copy(io.Discard, first)
	first.Close()
	second.Close()
	// The TCP connection is in TIME_WAIT, unless a late segment of it has ended that too.
	eventually.Holds(t, "the connection in TIME_WAIT", func() bool {
		return in(t, lookAt(t, s), c.pid()).Connections.Or(-1) == inTimeWait(t, tcp)
	})
	seen := in(t, lookAt(t, s), c.pid())
	fresh, err := s.Process(seen.ID())
	if err != nil || !fresh.Listening.Or(false) || fresh.Connections.Or(-1) != inTimeWait(t, tcp) {
		t.Errorf("read by itself: listening %v, clients %v, %v", fresh.Listening, fresh.Connections, err)
	}
}

// inTimeWait counts, by the kernel's own table, the connections of an address in TIME_WAIT.
func inTimeWait(t *testing.T, address string) int {
	t.Helper()
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	number, _ := strconv.Atoi(port)
	return len(regexp.MustCompile(fmt.Sprintf(`(?m)^ *\d+: 0100007F:%04X [0-9A-F:]+ 06 `, number)).FindAll(table, -1))
}

func TestProcessReadByItself(t *testing.T) {
	r, w := pipe(t)
	c := sleeper(t, r, nil)
	r.Close()
	s := scannerOf(t)
	seen := in(t, lookAt(t, s), c.pid())
	id := seen.ID()
	p, err := s.Process(id)
	if err != nil {
		t.Fatal(err)
	}
	if held := stdio(t, p.Stdin); held.Peer != inventory.PeerOpen || !reflect.DeepEqual(held.Holders, []int{os.Getpid()}) {
		t.Errorf("stdin: %+v", held)
	}
	w.Close()
	if p, err = s.Process(id); err != nil || stdio(t, p.Stdin).Peer != inventory.PeerClosed {
		t.Errorf("closed: %+v, %v", p.Stdin, err)
	}
	if _, err := s.Process(inventory.ID{PID: id.PID, Start: id.Start + 1}); !errors.Is(err, ErrGone) {
		t.Errorf("another start mark: %v", err)
	}
	c.end()
	if _, err := s.Process(id); !errors.Is(err, ErrGone) {
		t.Errorf("ended: %v", err)
	}
}

func TestTable(t *testing.T) {
	c := sleeper(t, nil, nil)
	s := scannerOf(t)
	rows, err := s.Table()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(rows, func(r inventory.Row) bool { return r.ID.PID == c.pid() })
	if i < 0 {
		t.Fatal("the child is not in the table")
	}
	p := in(t, lookAt(t, s), c.pid())
	if want := (inventory.Row{ID: p.ID(), PPID: os.Getpid(), State: rows[i].State, SID: p.SID.Or(-1)}); rows[i] != want || !strings.ContainsRune("RSD", rune(want.State)) {
		t.Errorf("got %+v, want %+v", rows[i], want)
	}
}

func TestKernelThreadsAreLeftOut(t *testing.T) {
	if _, err := os.Stat("/proc/2/stat"); err != nil {
		t.Skip("no kernel threads in sight")
	}
	line, _ := os.ReadFile("/proc/2/stat")
	s, err := procstat.Parse(line)
	if err != nil || !s.IsKernelThread() {
		t.Skip("PID 2 is no kernel thread here")
	}
	for _, p := range lookAt(t, scannerOf(t)).Processes {
		if p.PID == 2 || p.PPID.Or(0) == 2 {
			t.Errorf("%d %q is listed", p.PID, p.Comm)
		}
	}
}

func TestAnotherReaderAgrees(t *testing.T) {
	for _, argv := range [][]string{{"sleep", "600"}, {"sleep", "599", "1"}} {
		cmd := exec.Command("/bin/sleep")
		cmd.Args = argv
		c := start(t, cmd)
		var p inventory.Process
		eventually.Holds(t, "the exec", func() bool {
			p = in(t, lookAt(t, scannerOf(t)), c.pid())
			return p.Comm == "sleep" && len(p.Argv) > 0
		})
		other, err := process.NewProcess(int32(c.pid()))
		if err != nil {
			t.Fatal(err)
		}
		ppid, _ := other.Ppid()
		theirs, _ := other.CmdlineSlice()
		if p.PPID.Or(0) != int(ppid) || !reflect.DeepEqual(p.Argv, theirs) {
			t.Errorf("ppid %v and %d, argv %q and %q", p.PPID, ppid, p.Argv, theirs)
		}
		if pids, err := process.Pids(); err != nil || !slices.Contains(pids, int32(c.pid())) {
			t.Errorf("it is in one table only (%v)", err)
		}
	}
}

func TestNoProcessTable(t *testing.T) {
	s := scannerOf(t)
	empty, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	defer func(root int) { s.root = root }(s.root)
	s.root = int(empty.Fd())
	look, err := s.Processes(t.Context())
	if err == nil || look.Source.Status != inventory.StatusError || look.Source.Reason != err.Error() || look.Host.OS == "" {
		t.Errorf("empty: %+v, %v", look.Source, err)
	}
	if _, err := s.Table(); err == nil {
		t.Error("an empty directory is a table")
	}
}

func TestUnreadableDescriptorsAreSaid(t *testing.T) {
	needRoot(t)
	r, w := pipe(t)
	defer w.Close()
	foreign := sleeper(t, r, nil)
	copied := publicBinary(t)
	nobody := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	ownIn, ownMine := pipe(t)
	defer ownMine.Close()
	cmd := exec.Command("/bin/sleep", "600")
	cmd.Stdin, cmd.SysProcAttr, cmd.Dir = ownIn, nobody, "/"
	own := start(t, cmd)
	for _, world := range []struct {
		says    string
		pid     int
		readers bool
	}{{"another user's process", foreign.pid(), false}, {"its own process, whose stdin another user holds", own.pid(), true}} {
		t.Run(world.says, func(t *testing.T) {
			c := player(t, "look", func(cmd *exec.Cmd) {
				cmd.Path, cmd.SysProcAttr, cmd.Dir = copied, nobody, "/"
				cmd.Env = append(cmd.Env, "SCAN_TEST_PID="+strconv.Itoa(world.pid))
			})
			var look Look
			if err := json.NewDecoder(c.out).Decode(&look); err != nil {
				t.Fatal(err)
			}
			p := in(t, look, world.pid)
			if p.Stdin.IsKnown() != world.readers || p.Stdin.IsUnreadable() == world.readers {
				t.Errorf("stdin: %+v", p.Stdin)
			}
			if look.Source.Status != inventory.StatusPartial || !look.Source.Whole() || !strings.Contains(look.Source.Reason, "of other users could not be read") {
				t.Errorf("source: %+v", look.Source)
			}
			if world.readers {
				held := stdio(t, p.Stdin)
				if held.Peer == inventory.PeerUnknown {
					t.Skip("pidfd_getfd is not allowed here")
				}
				if held.Peer != inventory.PeerOpen || len(held.Holders) != 0 || held.Holders == nil {
					t.Errorf("stdin: %+v", held)
				}
				if holder := in(t, look, os.Getpid()); !holder.OpenFDs.IsUnreadable() {
					t.Errorf("the holder's descriptors: %v", holder.OpenFDs)
				}
				return
			}
			if !p.OpenFDs.IsUnreadable() || !p.IOChars.IsUnreadable() || !p.Listening.IsUnreadable() || p.Env != nil {
				t.Errorf("descriptors %v, io %v, listening %v, environment %v", p.OpenFDs, p.IOChars, p.Listening, p.Env)
			}
		})
	}
}

// publicBinary is a copy of the test binary that every user may run.
func publicBinary(t *testing.T) string {
	t.Helper()
	directory, err := os.MkdirTemp("", "scan")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(directory) })
	data, err := os.ReadFile(testBinary(t))
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(directory, "scan")
	if err := os.WriteFile(binary, data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	return binary
}

func TestHiddenProcessesAreSaid(t *testing.T) {
	needRoot(t)
	binary := publicBinary(t)
	c := player(t, "hidden", func(cmd *exec.Cmd) {
		cmd.Env = append(cmd.Env, "SCAN_TEST_BINARY="+binary, "SCAN_TEST_PID=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	})
	answer, err := io.ReadAll(c.out)
	if err != nil {
		t.Fatal(err)
	}
	if why, skip := strings.CutPrefix(string(answer), "skip: "); skip {
		t.Skip(why)
	}
	var look Look
	if err := json.Unmarshal(answer, &look); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	if look.Source.Status != inventory.StatusPartial || look.Source.Whole() || !strings.Contains(look.Source.Reason, "hidepid: only uid 65534's processes are visible") {
		t.Errorf("source: %+v", look.Source)
	}
	if len(look.Processes) == 0 {
		t.Error("its own processes are missing")
	}
}

// lookBehindHidepid mounts a process table that hides others', and looks at it
// as nobody.
func lookBehindHidepid() error {
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		err = unix.Mount("proc", "/proc", "proc", 0, "hidepid=2")
	}
	if err != nil {
		fmt.Printf("skip: %v\n", err)
		return nil
	}
	cmd := exec.Command(os.Getenv("SCAN_TEST_BINARY"))
	cmd.Env = append(os.Environ(), role+"=look")
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return cmd.Run()
}

func TestFilesAndKernelAgreeOnSockets(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	defer l.Close()
	local, err := net.Listen("unix", filepath.Join(t.TempDir(), "a socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	s := scannerOf(t)
	look := s.newLook()
	defer look.close()
	row, _, err := look.reader.row(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	h, err := look.reader.open(&slot{pid: int32(row.ID.PID), start: row.ID.Start}, false, true)
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	alone, err := look.net.listenersOf(h)
	if err != nil {
		t.Skipf("no sock_diag here: %v", err)
	}
	kernel, err := look.net.of(h)
	if err != nil {
		t.Fatal(err)
	}
	files, err := h.netFiles()
	if err != nil {
		t.Fatal(err)
	}
	mine := h.descriptors().sockets()
	want := listeners{tcp: []netip.AddrPort{netip.MustParseAddrPort(l.Addr().String())}, unix: []string{local.Addr().String()}}
	if got := kernel.listening(mine); !reflect.DeepEqual(got, want) {
		t.Errorf("sock_diag: %+v, want %+v", got, want)
	}
	if got := alone.listening(mine); !reflect.DeepEqual(got, want) || len(alone.unix) > len(kernel.unix) {
		t.Errorf("sock_diag for listeners alone: %+v among %d, want %+v", got, len(alone.unix), want)
	}
	if got := files.listening(mine); !reflect.DeepEqual(got, want) {
		t.Errorf("files: %+v, want %+v", got, want)
	}
}

func TestReusedPIDIsAnotherProcess(t *testing.T) {
	answer := apart(t, "reuse")
	if why, skip := strings.CutPrefix(string(answer), "skip: "); skip {
		t.Skip(why)
	}
	if string(answer) != "told apart\n" {
		t.Errorf("got %q", answer)
	}
}

// reusePID is PID 1 of a namespace of its own: it gives one PID to two
// processes in turn and looks at both.
func reusePID() error {
	if err := privateProc(); err != nil {
		fmt.Printf("skip: %v\n", err)
		return nil
	}
	s, err := New(Options{Candidate: func(p *inventory.Process) bool { return p.PID != 1 }})
	if err != nil {
		return err
	}
	first := exec.Command("/bin/sleep", "600")
	if err := startWhole(first); err != nil {
		return err
	}
	before, err := lookFor(s, first.Process.Pid)
	if err != nil {
		return err
	}
	first.Process.Kill()
	first.Wait()
	for range 50 {
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(before.PID-1)), 0); err != nil {
			fmt.Printf("skip: %v\n", err)
			return nil
		}
		second := exec.Command("/bin/sleep", "601")
		if err := startWhole(second); err != nil {
			return err
		}
		if second.Process.Pid != before.PID { // a thread of ours took it
			second.Process.Kill()
			second.Wait()
			continue
		}
		after, err := lookFor(s, before.PID)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(after.Argv, []string{"/bin/sleep", "601"}) {
			return fmt.Errorf("the second is taken for the first: %q", after.Argv)
		}
		if _, err := s.Process(before.ID()); before.ID() != after.ID() && !errors.Is(err, ErrGone) {
			return fmt.Errorf("the first is still found: %v", err)
		}
		fmt.Println("told apart")
		return nil
	}
	fmt.Println("skip: the PID could not be given out again")
	return nil
}

// startWhole starts a command and waits until the kernel shows its arguments: Start returns a
// moment earlier, while execve still sets them up.
func startWhole(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	for range 1000 {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", cmd.Process.Pid))
		if err != nil || len(line) > 0 {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return fmt.Errorf("%s has no arguments", cmd)
}

func lookFor(s *Scanner, pid int) (inventory.Process, error) {
	rows, err := s.Table()
	if err != nil {
		return inventory.Process{}, err
	}
	for _, row := range rows {
		if row.ID.PID == pid {
			return s.Process(row.ID)
		}
	}
	return inventory.Process{}, fmt.Errorf("process %d is not there", pid)
}

// privateProc mounts the process table of a new PID namespace.
func privateProc() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	return unix.Mount("proc", "/proc", "proc", 0, "")
}
