package scan

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/procstat"
	"github.com/reaperd/reaperd/test/eventually"
)

// TestWhoElseMaySpeakToAServer has a row for what a server may have beside its stdio, with
// the test at the other end, and then nobody.
func TestWhoElseMaySpeakToAServer(t *testing.T) {
	none, test := []int{}, []int{os.Getpid()}
	for _, world := range []struct {
		says     string
		build    func(t *testing.T) (its []*os.File, closeMine func() error)
		shares   []int
		connects []int
	}{
		{says: "a socketpair, as Node.js has for its messages", shares: test, connects: none, build: func(t *testing.T) ([]*os.File, func() error) {
			mine, its := pairOf(t, unix.SOCK_STREAM)
			return []*os.File{its}, mine.Close
		}},
		{says: "a datagram socketpair", shares: test, connects: none, build: func(t *testing.T) ([]*os.File, func() error) {
			mine, its := pairOf(t, unix.SOCK_DGRAM)
			return []*os.File{its}, mine.Close
		}},
		{says: "a pipe that it reads", shares: test, connects: none, build: func(t *testing.T) ([]*os.File, func() error) {
			its, mine := pipe(t)
			return []*os.File{its}, mine.Close
		}},
		{says: "a pipe that it writes to", shares: test, connects: none, build: func(t *testing.T) ([]*os.File, func() error) {
			mine, its := pipe(t)
			return []*os.File{its}, mine.Close
		}},
		{says: "a FIFO that has lost its name", shares: test, connects: none, build: func(t *testing.T) ([]*os.File, func() error) {
			its, mine := fifo(t)
			return []*os.File{its}, mine.Close
		}},
		{says: "both ends of a pipe of its own", shares: none, connects: none, build: func(t *testing.T) ([]*os.File, func() error) {
			r, w := pipe(t)
			return []*os.File{r, w}, func() error { return nil }
		}},
		{says: "a Unix connection that it has accepted, where it listens no more", shares: test, connects: none, build: func(t *testing.T) ([]*os.File, func() error) {
			l, mine := listenAt(t, "unix", abstract())
			accepted, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			its := asFile(t, accepted)
			accepted.Close()
			l.Close()
			return []*os.File{its}, mine.Close
		}},
		{says: "a TCP connection that it has accepted, where it listens no more", shares: test, connects: none, build: func(t *testing.T) ([]*os.File, func() error) {
			l, mine := listenAt(t, "tcp4", "127.0.0.1:0")
			accepted, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			its := asFile(t, accepted)
			accepted.Close()
			l.Close()
			return []*os.File{its}, mine.Close
		}},
		{says: "a Unix connection to somebody who listens", shares: none, connects: test, build: func(t *testing.T) ([]*os.File, func() error) {
			l, its := listenAt(t, "unix", abstract())
			accepted, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			file := asFile(t, its)
			its.Close()
			return []*os.File{file}, accepted.Close
		}},
		{says: "a Unix connection that somebody who listens has not accepted yet", shares: none, connects: test, build: func(t *testing.T) ([]*os.File, func() error) {
			l, its := listenAt(t, "unix", abstract())
			file := asFile(t, its)
			its.Close()
			return []*os.File{file}, l.Close
		}},
		{says: "a TCP connection to somebody who listens", shares: none, connects: test, build: func(t *testing.T) ([]*os.File, func() error) {
			l, its := listenAt(t, "tcp4", "127.0.0.1:0")
			accepted, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			file := asFile(t, its)
			its.Close()
			return []*os.File{file}, accepted.Close
		}},
		{says: "a TCP connection that somebody who listens has not accepted yet", shares: none, connects: test, build: func(t *testing.T) ([]*os.File, func() error) {
			l, its := listenAt(t, "tcp6", "[::1]:0")
			file := asFile(t, its)
			its.Close()
			return []*os.File{file}, l.Close
		}},
		{says: "the docker CLI's socket for its plugin", shares: none, connects: none, build: func(t *testing.T) ([]*os.File, func() error) {
			l, its := listenAt(t, "unix", fmt.Sprintf("@docker_cli_%032x", os.Getpid()))
			accepted, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			file := asFile(t, its)
			its.Close()
			return []*os.File{file}, accepted.Close
		}},
	} {
		t.Run(world.says, func(t *testing.T) {
			its, closeMine := world.build(t)
			server := servedWith(t, its...)
			s := selecting(t, func(p *inventory.Process) bool { return p.PID == server.pid() }, selectAll(false))
			expect := func(when string, shares, connects []int) {
				t.Helper()
				eventually.Holds(t, fmt.Sprintf("%s: it shares with %v and has called %v", when, shares, connects), func() bool {
					p := in(t, lookAt(t, s), server.pid())
					return slices.Equal(p.Shares.Or([]int{-1}), shares) && slices.Equal(p.Connects.Or([]int{-1}), connects)
				})
			}
			expect("the test has the other end", world.shares, world.connects)
			if err := closeMine(); err != nil {
				t.Fatal(err)
			}
			expect("nobody has it", none, none)
		})
	}
}

// fifo is a FIFO that has no name any more, opened twice.
func fifo(t *testing.T) (its, mine *os.File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	mine, err := os.OpenFile(path, os.O_RDWR, 0)
	its, failed := os.OpenFile(path, os.O_RDONLY, 0)
	if err := errors.Join(err, failed, os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	return its, mine
}

// TestANamedPipeBesideItsStdioIsAnybodys, whoever has it open: the next caller comes by the name.
func TestANamedPipeBesideItsStdioIsAnybodys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	its, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	server := servedWith(t, its)
	s := selecting(t, func(p *inventory.Process) bool { return p.PID == server.pid() }, selectAll(false))
	if got := in(t, lookAt(t, s), server.pid()).Shares; !got.IsUnreadable() {
		t.Errorf("it shares with %v, which nobody can tell", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := in(t, lookAt(t, s), server.pid()).Shares; !slices.Equal(got.Or([]int{-1}), []int{}) {
		t.Errorf("it shares with %v, want nobody", got)
	}
}

// TestWhatAServerHasStartedItselfIsNotItsClient: a gateway holds the pipes of its servers.
func TestWhatAServerHasStartedItselfIsNotItsClient(t *testing.T) {
	in0, writer := pipe(t)
	reader, out := pipe(t)
	cmd := exec.Command(testBinary(t))
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = append(os.Environ(), role+"=gateway"), in0, out, os.Stderr
	gateway := start(t, cmd)
	var server int
	if _, err := fmt.Fscan(reader, &server); err != nil {
		t.Fatal(err)
	}
	for _, file := range []*os.File{in0, writer, reader, out} {
		file.Close()
	}
	look := lookAt(t, scannerOf(t, gateway.pid()))
	if got := in(t, look, gateway.pid()).Shares; !slices.Equal(got.Or([]int{-1}), []int{}) {
		t.Errorf("it shares with %v; its server is %d", got, server)
	}
	if got := stdio(t, in(t, look, server).Stdin).Holders; !slices.Equal(got, []int{gateway.pid()}) {
		t.Errorf("its server's stdin is held by %v, want %d", got, gateway.pid())
	}
}

// actGateway starts a server, and keeps its pipes.
func actGateway() error {
	cmd := exec.Command("/bin/sleep", "600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	runtime.LockOSThread() // the signal is sent when the thread ends
	if err := cmd.Start(); err != nil {
		return err
	}
	fmt.Println(cmd.Process.Pid)
	_, err = io.Copy(stdin, stdout)
	return err
}

// TestAStrangerThatSharesIsListed: nothing else ties it to the server.
func TestAStrangerThatSharesIsListed(t *testing.T) {
	its, mine := pipe(t)
	stranger, tell := keeper(t, mine)
	mine.Close()
	server := servedWith(t, its)
	s := selecting(t, func(p *inventory.Process) bool { return p.PID == server.pid() }, selectAll(false))
	for range 2 {
		look := lookAt(t, s)
		if got := in(t, look, server.pid()).Shares; !slices.Equal(got.Or(nil), []int{stranger.pid()}) {
			t.Errorf("it shares with %v, want %d", got, stranger.pid())
		}
		in(t, look, stranger.pid())
	}
	fmt.Fprintln(tell) // to close it
	stranger.line(t)
	if got := in(t, lookAt(t, s), server.pid()).Shares; !slices.Equal(got.Or([]int{-1}), []int{}) {
		t.Errorf("it shares with %v, want nobody", got)
	}
}

// TestWhatAServerWasOnlyStartedWithIsNotItsOwn has a server with one end of a pipe that the
// test has too, as a shell or an editor leaves its own open in whatever it starts.
func TestWhatAServerWasOnlyStartedWithIsNotItsOwn(t *testing.T) {
	reader, writer := pipe(t)
	sleeper(t, reader, nil) // it waits for the end of all who have the other end
	reader.Close()
	cmd := exec.Command("/bin/sleep", "600")
	cmd.ExtraFiles = []*os.File{writer}
	older := start(t, cmd)
	eventually.Holds(t, "whatever starts now is younger", func() bool {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", older.pid()))
		row, failed := procstat.Parse(line)
		var now unix.Timespec
		if err := errors.Join(err, failed, unix.ClockGettime(unix.CLOCK_BOOTTIME, &now)); err != nil {
			t.Fatal(err)
		}
		return uint64(now.Nano())/(1e9/procstat.TicksPerSecond) > row.Start
	})
	server := servedWith(t, writer)
	s := scannerOf(t, server.pid())
	if got := in(t, lookAt(t, s), server.pid()).Shares; !slices.Equal(got.Or([]int{-1}), []int{}) {
		t.Errorf("it shares with %v; an older process than it has the same end", got)
	}
}
