//go:build linux

package actor

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// connect opens both streams of a part. It returns the part's ends, and puts the parent's
// ends in made. given lists files to close once the part has them.
func (s *Stage) connect(made *child, pipes plumbing, given *[]*os.File) (stdin, stdout *os.File, err error) {
	stdin, made.stdin, err = s.open(&made.part, made.part.Stdin, false, pipes, given)
	if err != nil {
		return nil, nil, fmt.Errorf("stdin: %w", err)
	}
	stdout, made.stdout, err = s.open(&made.part, made.part.Stdout, true, pipes, given)
	if err != nil {
		return nil, nil, fmt.Errorf("stdout: %w", err)
	}
	return stdin, stdout, nil
}

func (s *Stage) open(part *Part, stream Stream, writes bool, pipes plumbing, given *[]*os.File) (theirs, ours *os.File, err error) {
	if name, ok := stream.name(); ok {
		return pipes[name].end(writes), nil, nil
	}
	if fd, ok := stream.passed(); ok {
		passed := os.NewFile(uintptr(fd), string(stream))
		s.kept = append(s.kept, passed) // it closes what nobody has any more
		return passed, nil, nil
	}
	switch stream {
	case Inherit:
		return own(writes), nil, nil
	case Null, Closed:
		theirs, err = os.OpenFile(os.DevNull, os.O_RDWR, 0)
	case File:
		theirs, err = os.OpenFile(s.Folder.Path("run", part.Name+".out"), os.O_RDWR|os.O_CREATE, 0o666)
	case TTY:
		theirs, err = s.terminal()
	case Pipe:
		theirs, ours, err = pipe(writes)
	case Socket:
		theirs, ours, err = socketPair()
	case Fifo:
		theirs, err = s.fifo(fmt.Sprint(part.Name, ".", own(writes).Fd()))
	case Backlog:
		theirs, ours, err = s.backlog(fmt.Sprint(part.Name, ".", own(writes).Fd()))
	case Half:
		theirs, ours, err = half()
	default:
		err = fmt.Errorf("no such stream %q", stream)
	}
	if err == nil {
		*given = append(*given, theirs)
	}
	return theirs, ours, err
}

func own(writes bool) *os.File {
	if writes {
		return os.Stdout
	}
	return os.Stdin
}

func pipe(writes bool) (theirs, ours *os.File, err error) {
	read, write, err := os.Pipe()
	if writes {
		return write, read, err
	}
	return read, write, err
}

func socketPair() (theirs, ours *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.SetNonblock(pair[1], true); err != nil { // so that closing it ends a read
		return nil, nil, err
	}
	return os.NewFile(uintptr(pair[0]), "socket"), os.NewFile(uintptr(pair[1]), "socket"), nil
}

// terminal opens a terminal. This process keeps the master.
func (s *Stage) terminal() (*os.File, error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	s.masters = append(s.masters, master)
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return nil, err
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		return nil, err
	}
	return os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
}

// plumbing has the named pipes between siblings.
type plumbing map[string]namedPipe

type namedPipe struct{ read, write *os.File }

func (p namedPipe) end(writes bool) *os.File {
	if writes {
		return p.write
	}
	return p.read
}

func namedPipes(parts []Part) (plumbing, error) {
	pipes := plumbing{}
	for _, part := range parts {
		for _, stream := range []Stream{part.Stdin, part.Stdout} {
			name, ok := stream.name()
			if _, made := pipes[name]; !ok || made {
				continue
			}
			read, write, err := os.Pipe()
			if err != nil {
				return nil, err
			}
			pipes[name] = namedPipe{read: read, write: write}
		}
	}
	return pipes, nil
}

func (p plumbing) close() {
	for _, pipe := range p {
		closeAll([]*os.File{pipe.read, pipe.write})
	}
}

// fifo makes a FIFO, NAME.fifo of the run folder.
func (s *Stage) fifo(name string) (*os.File, error) {
	path := s.Folder.Path("run", name+".fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR, 0)
}

// backlog calls a listener of its own and does not accept the connection.
func (s *Stage) backlog(name string) (theirs, ours *os.File, err error) {
	listener, err := net.Listen("unix", s.Folder.Path("run", name+".backlog"))
	if err != nil {
		return nil, nil, err
	}
	defer listener.Close()
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	called, err := net.Dial("unix", listener.Addr().String())
	if err != nil {
		return nil, nil, err
	}
	return filesOf(called.(*net.UnixConn), listener.(*net.UnixListener))
}

// half is a TCP connection on which ours has nothing more to say.
func half() (theirs, ours *os.File, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	defer listener.Close()
	called, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return nil, nil, err
	}
	accepted, err := listener.Accept()
	if err != nil {
		return nil, nil, err
	}
	if err := called.(*net.TCPConn).CloseWrite(); err != nil {
		return nil, nil, err
	}
	return filesOf(accepted.(*net.TCPConn), called.(*net.TCPConn))
}

// open is a connection or a listener.
type open interface {
	io.Closer
	File() (*os.File, error)
}

// filesOf are the descriptors of two, which are closed.
func filesOf(their, our open) (theirs, ours *os.File, err error) {
	defer their.Close()
	defer our.Close()
	if theirs, err = their.File(); err != nil {
		return nil, nil, err
	}
	ours, err = our.File()
	return theirs, ours, err
}

// beside opens what a part has beside its streams. Ends that siblings may have too are closed once
// all have started.
func (s *Stage) beside(part *Part, what string) (*os.File, error) {
	kind, sibling, _ := strings.Cut(what, " ")
	switch kind {
	case "stdin":
		return os.Stdin, nil
	case "stdout":
		return os.Stdout, nil
	case "fifo":
		return s.fifo(part.Name + ".beside")
	}
	if shared, ok := s.shared[sibling]; ok {
		return shared, nil
	}
	theirs, ours, err := socketPair()
	if s.shared == nil {
		s.shared = map[string]*os.File{}
	}
	s.shared[part.Name], s.kept = theirs, append(s.kept, ours)
	return theirs, err
}

// hide puts a descriptor where no table of a process shows it.
func hide(fd int, where string) error {
	if where == "thread" {
		hidden := make(chan error)
		go func() {
			runtime.LockOSThread()
			hidden <- unix.Unshare(unix.CLONE_FILES)
			select {}
		}()
		return errors.Join(<-hidden, unix.Close(fd))
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return errors.Join(unix.Sendmsg(pair[0], []byte{0}, unix.UnixRights(fd), nil, 0), unix.Close(fd))
}
