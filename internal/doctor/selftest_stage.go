package doctor

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// stage is the children of one self-test.
type stage struct {
	program string
	folder  string
	ours    []*os.File // what is held of children: lifelines, and the other ends of their streams
	started []*exec.Cmd
	pids    map[int]bool // of all children that said that they are up
}

// stream is the kind of stdin and stdout that a child gets.
type stream string

const (
	pipeHeld   stream = "pipe, held"
	pipeGone   stream = "pipe, the other end is gone"
	socketHeld stream = "socket, held"
	socketGone stream = "socket, the other end is gone"
	deviceNull stream = "/dev/null"
)

// child is a child that has started.
type child struct {
	pid     int
	address string // where it listens
}

func newStage() (*stage, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	folder, err := os.MkdirTemp("", folderPrefix)
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder) // macOS has its temporary folders behind a link
	}
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	return &stage{program: program, folder: folder, pids: map[int]bool{}}, nil
}

// close ends all children and waits for those that are its own.
func (s *stage) close() {
	for _, file := range s.ours {
		file.Close()
	}
	for _, command := range s.started {
		_ = command.Wait() // how it ended does not matter
	}
	_ = os.RemoveAll(s.folder)
}

const folderPrefix = "reaperd-self-test-"

// patience is how long a child may take to start.
const patience = 20 * time.Second

// start starts a child and waits until it says that it runs.
func (s *stage) start(part string, streams stream, further ...string) (child, error) {
	stdin, stdout, leave, err := s.open(streams)
	if err != nil {
		return child{}, fmt.Errorf("make a %s: %w", streams, err)
	}
	heard, word, err := os.Pipe()
	if err != nil {
		return child{}, err
	}
	defer heard.Close()
	err = s.launch(part, further, [3]*os.File{stdin, stdout, word})
	for _, file := range append(leave, stdin, stdout, word) {
		file.Close()
	}
	if err != nil || part == partExit {
		return child{}, err
	}
	found, err := hear(heard)
	if err != nil {
		return child{}, fmt.Errorf("start %s: %w", part, err)
	}
	s.pids[found.pid] = true
	return found, nil
}

// hear reads the line that a child sends when it runs.
func hear(heard *os.File) (child, error) {
	if err := heard.SetReadDeadline(time.Now().Add(patience)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return child{}, err
	}
	line, err := bufio.NewReader(heard).ReadString('\n')
	if err != nil {
		return child{}, fmt.Errorf("the child did not start: %w", err)
	}
	number, address, _ := strings.Cut(strings.TrimSpace(line), " ")
	pid, err := strconv.Atoi(number)
	return child{pid, address}, err
}

// launch starts the program as a part with stdin, stdout and a place for its word.
func (s *stage) launch(part string, further []string, files [3]*os.File) error {
	end, err := s.lifelineEnd()
	if err != nil {
		return err
	}
	defer end.Close()
	command := &exec.Cmd{Path: s.program, Args: partArgs(part, further...), Dir: s.folder, Stdin: files[0], Stdout: files[1],
		Env: append(os.Environ(), "REAPERD_KEEP=self-test"), ExtraFiles: []*os.File{end, files[2]}}
	if err := command.Start(); err != nil {
		return err
	}
	s.started = append(s.started, command)
	return nil
}

// lifelineEnd is the child's end of the lifeline.
func (s *stage) lifelineEnd() (*os.File, error) {
	end, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.ours = append(s.ours, write)
	return end, nil
}

// open makes a child's stdin and stdout. The tester's ends are kept until the test is
// over; leave are the files to close once the child has started.
func (s *stage) open(streams stream) (stdin, stdout *os.File, leave []*os.File, err error) {
	var others []*os.File
	switch streams {
	case pipeHeld, pipeGone:
		stdin, stdout, others, err = pipes()
	case socketHeld, socketGone:
		stdin, stdout, others, err = sockets()
	default:
		stdin, err = os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err == nil {
			stdout, err = os.OpenFile(os.DevNull, os.O_RDWR, 0)
		}
	}
	if streams == pipeHeld || streams == socketHeld {
		s.ours = append(s.ours, others...)
		others = nil
	}
	return stdin, stdout, others, err
}

func pipes() (stdin, stdout *os.File, others []*os.File, err error) {
	stdin, write, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	read, stdout, err := os.Pipe()
	return stdin, stdout, []*os.File{write, read}, err
}

func sockets() (stdin, stdout *os.File, others []*os.File, err error) {
	var ends [4]*os.File
	for i := 0; i < len(ends); i += 2 {
		if ends[i], ends[i+1], err = pair(); err != nil {
			return nil, nil, nil, err
		}
	}
	return ends[0], ends[2], []*os.File{ends[1], ends[3]}, nil
}

// pair makes a pair of sockets that no child inherits by accident.
func pair() (one, other *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	return os.NewFile(uintptr(fds[0]), "socket"), os.NewFile(uintptr(fds[1]), "socket"), nil
}

// connect connects to a listener and keeps the connection open.
func (s *stage) connect(network, address string) (func(), error) {
	connection, err := net.DialTimeout(network, address, patience)
	if err != nil {
		return nil, err
	}
	return func() { connection.Close() }, nil
}

// matters reports the processes that the scanner is to read whole: this one and its
// children.
func (s *stage) matters(p *inventory.Process) bool { return s.pids[p.PID] || p.PID == os.Getpid() }
