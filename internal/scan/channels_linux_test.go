package scan

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/test/eventually"
)

// step is something that happens to the other end of a server's stdin, and what a look
// then says of it.
type step struct {
	says string
	do   func() error
	want inventory.Peer
	held bool // by the test, which is the only holder
}

// asFile is a copy of a connection's descriptor, which may stay open when that is closed.
func asFile(t *testing.T, conn any) *os.File {
	t.Helper()
	file, err := conn.(interface{ File() (*os.File, error) }).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// pairOf is a socketpair of some kind.
func pairOf(t *testing.T, kind int) (mine, its *os.File) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, kind|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	mine, its = os.NewFile(uintptr(fds[0]), "mine"), os.NewFile(uintptr(fds[1]), "its")
	t.Cleanup(func() { mine.Close(); its.Close() })
	return mine, its
}

// shut shuts one or both directions of a socket down.
func shut(file *os.File, how int) func() error {
	return func() error { return unix.Shutdown(int(file.Fd()), how) }
}

// listenAt listens and calls, in the same network namespace; nobody has accepted it yet.
func listenAt(t *testing.T, network, address string) (l net.Listener, called net.Conn) {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Skipf("cannot listen here: %v", err)
	}
	called, err = net.Dial(network, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(); called.Close() })
	return l, called
}

func abstract() string { return fmt.Sprintf("@scan-test-%d", time.Now().UnixNano()) }

// TestAnEndIsClosedWhenTheKernelSaysSo has one row for each kind of stdin. "Closed" is the
// only answer that can cost a server its life; each row ends with it.
func TestAnEndIsClosedWhenTheKernelSaysSo(t *testing.T) {
	const open, closed = inventory.PeerOpen, inventory.PeerClosed
	for _, world := range []struct {
		says  string
		build func(t *testing.T) (its *os.File, steps []step)
	}{
		{"a FIFO with a name", func(t *testing.T) (*os.File, []step) {
			path := filepath.Join(t.TempDir(), "stdin")
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Skip(err)
			}
			writer, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			its, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			return its, []step{
				{says: "a caller writes", want: open},
				{says: "the caller has left, the next comes by the name", do: writer.Close, want: open},
				{says: "it has another name", do: func() error { return os.Rename(path, path+"2") }, want: open},
				{says: "its name is removed", do: func() error { return os.Remove(path + "2") }, want: closed},
			}
		}},
		{"a FIFO whose name is removed while a caller has it", func(t *testing.T) (*os.File, []step) {
			path := filepath.Join(t.TempDir(), "stdin")
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Skip(err)
			}
			writer, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			its, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			return its, []step{
				{says: "no name, and a caller writes", do: func() error { return os.Remove(path) }, want: open, held: true},
				{says: "the caller has left", do: writer.Close, want: closed},
			}
		}},
		{"one end of a stream socketpair", func(t *testing.T) (*os.File, []step) {
			mine, its := pairOf(t, syscall.SOCK_STREAM)
			return its, []step{
				{says: "connected", want: open, held: true},
				{says: "the caller will not write any more, and reads", do: shut(mine, unix.SHUT_WR), want: open, held: true},
				{says: "the caller has shut down both directions, and keeps it", do: shut(mine, unix.SHUT_RDWR), want: open, held: true},
				{says: "the caller has closed it", do: mine.Close, want: closed},
			}
		}},
		{"one end of a seqpacket socketpair", func(t *testing.T) (*os.File, []step) {
			mine, its := pairOf(t, syscall.SOCK_SEQPACKET)
			return its, []step{
				{says: "connected", want: open, held: true},
				{says: "the caller will not read any more", do: shut(mine, unix.SHUT_RD), want: open, held: true},
				{says: "the caller has closed it", do: mine.Close, want: closed},
			}
		}},
		{"one end of a datagram socketpair, which is never shut down", func(t *testing.T) (*os.File, []step) {
			mine, its := pairOf(t, syscall.SOCK_DGRAM)
			return its, []step{
				{says: "connected", want: open, held: true},
				{says: "the caller has closed it", do: mine.Close, want: closed},
			}
		}},
		{"a datagram socket with a name, to which anybody may send", func(t *testing.T) (*os.File, []step) {
			mine, its := pairOf(t, syscall.SOCK_DGRAM)
			if err := unix.Bind(int(its.Fd()), &unix.SockaddrUnix{Name: abstract()}); err != nil {
				t.Fatal(err)
			}
			return its, []step{{says: "its first caller has closed it", do: mine.Close, want: open}}
		}},
		{"a Unix connection that was not accepted yet", func(t *testing.T) (*os.File, []step) {
			l, called := listenAt(t, "unix", abstract())
			its := asFile(t, called)
			var accepted net.Conn
			return its, []step{
				{says: "it waits", want: open},
				{says: "it waits, and has shut down its own writing", do: called.(*net.UnixConn).CloseWrite, want: open},
				{says: "accepted", do: func() (err error) { accepted, err = l.Accept(); return err }, want: open, held: true},
				{says: "the caller has closed it", do: func() error { return accepted.Close() }, want: closed},
			}
		}},
		{"a seqpacket connection that is never accepted", func(t *testing.T) (*os.File, []step) {
			l, called := listenAt(t, "unixpacket", abstract())
			its := asFile(t, called)
			return its, []step{
				{says: "it waits", do: called.Close, want: open},
				{says: "nobody listens any more", do: l.Close, want: closed},
			}
		}},
		{"a TCP connection", func(t *testing.T) (*os.File, []step) {
			l, client := listenAt(t, "tcp4", "127.0.0.1:0")
			accepted, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			its := asFile(t, accepted)
			return its, []step{
				{says: "connected", do: accepted.Close, want: open, held: true},
				{says: "the caller has sent its last byte, and reads", do: client.(*net.TCPConn).CloseWrite, want: open, held: true},
				{says: "the caller has closed it", do: client.Close, want: closed},
			}
		}},
		{"a TCP connection that the server has called, over IPv6", func(t *testing.T) (*os.File, []step) {
			l, called := listenAt(t, "tcp6", "[::1]:0")
			its := asFile(t, called)
			var accepted net.Conn
			return its, []step{
				{says: "not accepted yet", want: open},
				{says: "accepted", do: func() (err error) { accepted, err = l.Accept(); return err }, want: open, held: true},
				{says: "the server has sent its last byte, and reads", do: called.(*net.TCPConn).CloseWrite, want: open, held: true},
				{says: "the other side has closed it", do: func() error { return accepted.Close() }, want: closed},
			}
		}},
		{"a TCP connection that the server has called, whose other side lets go first", func(t *testing.T) (*os.File, []step) {
			l, called := listenAt(t, "tcp4", "127.0.0.1:0")
			its := asFile(t, called)
			called.Close()
			accepted, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			return its, []step{
				{says: "accepted", want: open, held: true},
				{says: "the other side has closed it, and listens on", do: accepted.Close, want: closed},
			}
		}},
		{"a TCP connection that breaks off", func(t *testing.T) (*os.File, []step) {
			l, client := listenAt(t, "tcp4", "127.0.0.1:0")
			accepted, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			its := asFile(t, accepted)
			return its, []step{
				{says: "connected", do: accepted.Close, want: open, held: true},
				{says: "the caller is reset", do: func() error {
					return errors.Join(client.(*net.TCPConn).SetLinger(0), client.Close())
				}, want: closed},
			}
		}},
	} {
		t.Run(world.says, func(t *testing.T) {
			its, steps := world.build(t)
			server := sleeper(t, its, nil)
			its.Close()
			s := scannerOf(t, server.pid())
			for _, step := range steps {
				if step.do != nil {
					if err := step.do(); err != nil {
						t.Fatalf("%s: %v", step.says, err)
					}
				}
				var got inventory.Stdio
				answers := func() bool {
					got = stdio(t, in(t, lookAt(t, s), server.pid()).Stdin)
					return got.Peer == step.want && (!step.held || slices.Equal(got.Holders, []int{os.Getpid()}))
				}
				switch isSo := answers(); {
				case got.Peer == inventory.PeerUnknown:
					t.Skip("pidfd_getfd is not allowed here")
				case step.want == closed: // a packet may be under way
					eventually.Holds(t, step.says+": closed", answers)
				case !isSo:
					t.Errorf("%s: %+v, want %s, held by the test: %v", step.says, got, step.want, step.held)
				}
			}
		})
	}
}

// conceal has an end as its descriptor 3. It puts it where no table of a process shows it,
// in the way that it is told, and gives it up when it is told "give up".
func conceal() error {
	fmt.Println("ready")
	giveUp := func() error { return nil }
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); fmt.Println("done") {
		var err error
		switch lines.Text() {
		case "thread":
			giveUp, err = inThread(3)
		case "ring":
			giveUp, err = inRing(3)
		case "queue":
			giveUp, err = inQueue(3)
		case "queue of a queue":
			giveUp, err = inQueueOfQueue(3)
		case "backlog":
			giveUp, err = inBacklog(3)
		case "give up":
			err = giveUp()
		}
		if err != nil {
			fmt.Println(err)
			return err
		}
	}
	return nil
}

// onThread calls do on a thread that ends with it. It is not the leading one, whose tables
// and namespaces are those of the process.
func onThread(do func()) {
	go func() {
		if runtime.LockOSThread(); unix.Gettid() != os.Getpid() {
			do()
			return
		}
		has := make(chan struct{})
		go func() { runtime.LockOSThread(); close(has); do() }()
		<-has
		runtime.UnlockOSThread()
	}()
}

// inThread leaves a descriptor in the table of a thread of its own.
func inThread(fd int) (giveUp func() error, err error) {
	apart, over, ended := make(chan error), make(chan struct{}), make(chan struct{})
	onThread(func() {
		apart <- unix.Unshare(unix.CLONE_FILES)
		<-over
		unix.Close(fd)
		close(ended)
	})
	err = <-apart
	return func() error { close(over); <-ended; return nil }, errors.Join(err, unix.Close(fd))
}

// inRing registers a descriptor with an io_uring, among empty places.
func inRing(fd int) (giveUp func() error, err error) {
	const registerFiles = 2
	var params [120]byte // struct io_uring_params
	ring, _, failed := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	if failed != 0 {
		return nil, fmt.Errorf("skip: io_uring: %w", failed)
	}
	files := []int32{-1, int32(fd), -1}
	_, _, failed = unix.Syscall6(unix.SYS_IO_URING_REGISTER, ring, registerFiles, uintptr(unsafe.Pointer(&files[0])), uintptr(len(files)), 0, 0)
	if failed != 0 {
		return nil, failed
	}
	return func() error { return unix.Close(int(ring)) }, unix.Close(fd)
}

// inQueue sends a descriptor to a socket of its own and does not receive it.
func inQueue(fd int) (giveUp func() error, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
	if err != nil {
		return nil, err
	}
	err = errors.Join(unix.Sendto(pair[0], []byte("first"), 0, nil), unix.Sendmsg(pair[0], nil, unix.UnixRights(fd), nil, 0), unix.Close(fd))
	return func() error { return errors.Join(unix.Close(pair[0]), unix.Close(pair[1])) }, err
}

// inQueueOfQueue sends it to a socket that is itself on its way, and in no table.
func inQueueOfQueue(fd int) (giveUp func() error, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(fd), nil, 0), unix.Close(fd)); err != nil {
		return nil, err
	}
	return inQueue(pair[1])
}

// inBacklog sends it over a connection that nobody has accepted.
func inBacklog(fd int) (giveUp func() error, err error) {
	l, err := net.Listen("unix", fmt.Sprintf("@scan-backlog-%d", os.Getpid()))
	if err != nil {
		return nil, err
	}
	conn, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		return nil, err
	}
	_, _, err = conn.(*net.UnixConn).WriteMsgUnix([]byte("x"), unix.UnixRights(fd), nil)
	return func() error { return errors.Join(conn.Close(), l.Close()) }, errors.Join(err, unix.Close(fd))
}

// TestAnEndThatNoTableShowsIsNotForgotten has a server that has a copy of its own stdin's
// other end, so that the kernel never shows that closed: only the list of who else has it
// could.
func TestAnEndThatNoTableShowsIsNotForgotten(t *testing.T) {
	for _, world := range []struct {
		where  string
		holder bool // it is found as a holder; else what is found is that something is unseen
	}{{"thread", true}, {"ring", true}, {"queue", false}, {"queue of a queue", false}, {"backlog", false}} {
		t.Run(world.where, func(t *testing.T) {
			its, mine := pipe(t)
			orders, tell := pipe(t)
			concealer := player(t, "conceal", func(cmd *exec.Cmd) { cmd.Stdin, cmd.ExtraFiles = orders, []*os.File{mine} })
			concealer.line(t)
			cmd := exec.Command("/bin/sleep", "600")
			cmd.Stdin, cmd.ExtraFiles = its, []*os.File{mine}
			server := start(t, cmd)
			its.Close()
			mine.Close()
			s := selecting(t, func(p *inventory.Process) bool { return p.PID == server.pid() }, selectAll(false))
			order := func(what string) {
				t.Helper()
				fmt.Fprintln(tell, what)
				if said := concealer.line(t); said != "done" {
					t.Skip(said)
				}
			}
			expect := func(when string, held, unseen bool) {
				t.Helper()
				for range 3 { // what is kept from look to look too
					look := lookAt(t, s)
					holders := stdio(t, in(t, look, server.pid()).Stdin).Holders
					if got := slices.Contains(holders, concealer.pid()); got != held || !slices.Contains(holders, server.pid()) {
						t.Errorf("%s: held by %v; by %d: want %v", when, holders, concealer.pid(), held)
					}
					got := false
					for _, p := range look.Processes {
						got = got || p.PID == concealer.pid() && p.UnseenFDs.Or(0) > 0
					}
					if got != unseen {
						t.Errorf("%s: something unseen is on its way to %d: %v, want %v", when, concealer.pid(), got, unseen)
					}
				}
			}
			expect("before", true, false)
			order(world.where)
			expect("concealed", world.holder, !world.holder)
			order("give up")
			expect("given up", false, false)
		})
	}
}

// TestATCPConnectionOfAnotherNetworkNamespace has server and caller in one of their own, of
// which only files tell.
func TestATCPConnectionOfAnotherNetworkNamespace(t *testing.T) {
	needRoot(t)
	var its *os.File
	var client net.Conn
	var server *child
	built := make(chan error)
	onThread(func() {
		built <- func() error {
			if err := errors.Join(unix.Unshare(unix.CLONE_NEWNET), loopbackUp()); err != nil {
				return err
			}
			l, err := net.Listen("tcp4", "127.0.0.1:0")
			if err != nil {
				return err
			}
			defer l.Close()
			if client, err = net.Dial("tcp4", l.Addr().String()); err != nil {
				return err
			}
			accepted, err := l.Accept()
			if err != nil {
				return err
			}
			defer accepted.Close()
			if its, err = accepted.(*net.TCPConn).File(); err != nil {
				return err
			}
			cmd := exec.Command("/bin/sleep", "600")
			cmd.Stdin = its
			server = &child{cmd: cmd}
			return cmd.Start()
		}()
	})
	if err := <-built; err != nil {
		t.Skip(err)
	}
	t.Cleanup(server.end)
	its.Close()
	s := scannerOf(t, server.pid())
	peer := func() inventory.Peer { return stdio(t, in(t, lookAt(t, s), server.pid()).Stdin).Peer }
	if got := peer(); got != inventory.PeerOpen {
		t.Errorf("connected: %s", got)
	}
	if err := client.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got := peer(); got != inventory.PeerOpen {
		t.Errorf("the caller has sent its last byte, and reads: %s", got)
	}
	client.Close()
	eventually.Holds(t, "the caller has closed it", func() bool { return peer() == inventory.PeerClosed })
}

// loopbackUp lets the thread's network namespace talk to itself.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

// TestACallerThatWasKilledIsGone: the kernel closes what it had.
func TestACallerThatWasKilledIsGone(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	stdin, _ := pipe(t)
	caller := player(t, "call", func(cmd *exec.Cmd) { cmd.Stdin, cmd.Env = stdin, append(cmd.Env, "SCAN_TEST_CALL="+l.Addr().String()) })
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	its := asFile(t, accepted)
	accepted.Close()
	if said := caller.line(t); said != "half closed" {
		t.Fatal(said)
	}
	server := sleeper(t, its, its)
	its.Close()
	s := scannerOf(t, server.pid())
	if got := stdio(t, in(t, lookAt(t, s), server.pid()).Stdout); got.Peer != inventory.PeerOpen || !slices.Equal(got.Holders, []int{caller.pid()}) {
		t.Errorf("a caller that has sent all that it wants to ask, and reads: %+v, want it (%d)", got, caller.pid())
	}
	caller.end()
	eventually.Holds(t, "the caller was killed", func() bool {
		p := in(t, lookAt(t, s), server.pid())
		return stdio(t, p.Stdin).Peer == inventory.PeerClosed && stdio(t, p.Stdout).Peer == inventory.PeerClosed
	})
}

// call calls somebody, sends its last byte and waits for the answer.
func call() error {
	conn, err := net.Dial("tcp4", os.Getenv("SCAN_TEST_CALL"))
	if err != nil {
		return err
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		return err
	}
	fmt.Println("half closed")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
