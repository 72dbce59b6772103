package scan

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/procstat"
	"github.com/reaperd/reaperd/test/eventually"
)

// role names what the test binary does when it is run again as a child.
const role = "SCAN_TEST_ROLE"

func TestMain(m *testing.M) {
	if act := os.Getenv(role); act != "" {
		if err := play(act); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func play(act string) error {
	switch act {
	case "wait": // until killed
		fmt.Println("ready")
		for {
			_ = unix.Pause() // without cgo the runtime ends a program of which nothing can go on
		}
	case "exec": // becomes another program, kept by nobody, once it is told to
		fmt.Println("ready")
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
			return err
		}
		os.Unsetenv(role)
		os.Unsetenv("REAPERD_KEEP")
		return syscall.Exec("/bin/sleep", []string{"other-program", "600"}, os.Environ())
	case "open": // holds one pipe more for each line that it reads
		fmt.Println("ready")
		var held []*os.File
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); fmt.Println("opened") {
			read, write, err := os.Pipe()
			if err != nil {
				return err
			}
			held = append(held, read, write)
		}
		runtime.KeepAlive(held)
		return nil
	case "keep":
		return keep()
	case "conceal":
		return conceal()
	case "call":
		return call()
	case "gateway":
		return actGateway()
	case "connect": // to a socket, until its stdin ends
		connection, err := net.Dial("unix", os.Getenv("SCAN_TEST_SOCKET"))
		if err == nil {
			_, err = io.Copy(io.Discard, os.Stdin)
			connection.Close()
		}
		return err
	case "listen":
		return listen()
	case "look":
		return printLook()
	case "hidden":
		return lookBehindHidepid()
	case "reuse":
		return reusePID()
	case "idle":
		return idleTable()
	case "churn":
		return churn()
	case "become":
		return becomeAnother()
	case "follow":
		return follow()
	case "session":
		return session()
	}
	return fmt.Errorf("no role %q", act)
}

// keep opens what it reads the path of for writing, and closes its descriptor 3 when
// it reads an empty line.
func keep() error {
	fmt.Println("ready")
	given := os.NewFile(3, "given")
	var held []*os.File
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); fmt.Println("done") {
		if lines.Text() == "" {
			given.Close()
			continue
		}
		file, err := os.OpenFile(lines.Text(), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		held = append(held, file)
	}
	runtime.KeepAlive(held)
	return nil
}

// listen serves on a TCP port and a Unix socket, connects once to itself, and
// drops its TCP clients when it reads "drop".
func listen() error {
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	local, err := net.Listen("unix", "@scan-test-"+strconv.Itoa(os.Getpid()))
	if err != nil {
		return err
	}
	var held []net.Conn
	for _, l := range []net.Listener{tcp, local} {
		own, err := net.Dial(l.Addr().Network(), l.Addr().String())
		if err != nil {
			return err
		}
		accepted, err := l.Accept()
		if err != nil {
			return err
		}
		held = append(held, own, accepted)
	}
	fmt.Println(tcp.Addr().String() + " " + local.Addr().String())
	for _, l := range []net.Listener{tcp, local} {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		held = append(held, conn)
		fmt.Println("accepted")
	}
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	for _, conn := range held[4:] {
		conn.Close()
	}
	fmt.Println("dropped")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// printLook looks with the one candidate it is told and prints the look.
func printLook() error {
	pid, err := strconv.Atoi(os.Getenv("SCAN_TEST_PID"))
	if err != nil {
		return err
	}
	s, err := New(Options{Candidate: func(p *inventory.Process) bool { return p.PID == pid }})
	if err != nil {
		return err
	}
	defer s.Close()
	look, err := s.Processes(context.Background())
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(look)
}

// child is a process that the test started and ends.
type child struct {
	cmd *exec.Cmd
	out *bufio.Reader
}

func (c *child) pid() int { return c.cmd.Process.Pid }

func (c *child) end() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

func (c *child) line(t *testing.T) string {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatalf("read from child: %v", err)
	}
	return strings.TrimSpace(line)
}

// start starts a command, by default with /dev/null everywhere, and waits until it shows
// its arguments: in the middle of an exec, where Start has returned already, it has none.
func start(t *testing.T, cmd *exec.Cmd) *child {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Skipf("cannot start %s: %v", cmd.Path, err)
	}
	c := &child{cmd: cmd}
	t.Cleanup(c.end)
	of := "/proc/" + strconv.Itoa(c.pid())
	eventually.Holds(t, "its arguments, or the end of its leading thread", func() bool {
		line, err := os.ReadFile(of + "/cmdline")
		if len(line) > 0 || err != nil {
			return true
		}
		status, err := os.ReadFile(of + "/stat")
		row, _ := procstat.Parse(status)
		return err != nil || row.Condition() != procstat.Running // whose own arguments are gone
	})
	return c
}

// sleeper starts a child that does nothing, on the given stdin and stdout.
func sleeper(t *testing.T, stdin, stdout *os.File) *child {
	t.Helper()
	cmd := exec.Command("/bin/sleep", "600")
	if stdin != nil {
		cmd.Stdin = stdin
	}
	if stdout != nil {
		cmd.Stdout = stdout
	}
	return start(t, cmd)
}

// player starts the test binary again in a role, and waits for its first line
// when stdout is left to it.
func player(t *testing.T, act string, prepare func(*exec.Cmd)) *child {
	t.Helper()
	cmd := exec.Command(testBinary(t))
	cmd.Env = append(os.Environ(), role+"="+act)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if prepare != nil {
		prepare(cmd)
	}
	c := start(t, cmd)
	c.out = bufio.NewReader(out)
	return c
}

// awaitExec waits until a player of "exec" is the other program. The name of a process
// changes earlier: in the middle of an exec it has no arguments.
func awaitExec(t *testing.T, c *child) {
	t.Helper()
	eventually.Holds(t, "the exec", func() bool {
		line, err := os.ReadFile("/proc/" + strconv.Itoa(c.pid()) + "/cmdline")
		return err == nil && strings.HasPrefix(string(line), "other-program\x00")
	})
}

// apart is what a player prints that is PID 1 of a namespace of its own.
func apart(t *testing.T, act string) []byte {
	t.Helper()
	needRoot(t)
	c := player(t, act, func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	})
	answer, err := io.ReadAll(c.out)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func testBinary(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// scannerOf looks with these processes as the candidates.
func scannerOf(t *testing.T, pids ...int) *Scanner {
	t.Helper()
	s, err := New(Options{Candidate: func(p *inventory.Process) bool { return slices.Contains(pids, p.PID) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func lookAt(t *testing.T, s *Scanner) Look {
	t.Helper()
	look, err := s.Processes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return look
}

// in finds a process in a look.
func in(t *testing.T, look Look, pid int) inventory.Process {
	t.Helper()
	for _, p := range look.Processes {
		if p.PID == pid {
			return p
		}
	}
	t.Fatalf("process %d is not in the look", pid)
	return inventory.Process{}
}

func stdio(t *testing.T, fact inventory.Fact[inventory.Stdio]) inventory.Stdio {
	t.Helper()
	value, known := fact.Get()
	if !known {
		t.Fatalf("stdio is not known (unreadable: %v)", fact.IsUnreadable())
	}
	return value
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// pair is a socketpair as Node.js gives its children.
func pair(t *testing.T) (mine, its *os.File) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	mine, its = os.NewFile(uintptr(fds[0]), "mine"), os.NewFile(uintptr(fds[1]), "its")
	t.Cleanup(func() { mine.Close(); its.Close() })
	return mine, its
}

func needRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
}

// compiled builds a C fixture, or skips.
func compiled(t testing.TB, name string, flags ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("needs a C compiler")
	}
	binary := filepath.Join(t.TempDir(), strings.TrimSuffix(name, ".c"))
	args := append([]string{"-O2", "-o", binary, filepath.Join("testdata", name)}, flags...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Skipf("cannot compile %s: %v: %s", name, err, out)
	}
	return binary
}
