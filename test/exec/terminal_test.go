//go:build linux

package exec_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"golang.org/x/sys/unix"
)

// screen is a shell on a terminal.
type screen struct {
	keys *os.File
	seen strings.Builder
}

// shell starts an interactive shell that leads a session on a new terminal.
func shell(t *testing.T) *screen {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("left out: no terminal can be made here")
	}
	t.Cleanup(func() { _ = keys.Close() })
	number, terminal := 0, (*os.File)(nil)
	control(t, keys, func(fd int) (err error) {
		if err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err == nil {
			number, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		}
		return err
	})
	if terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	command := exec.CommandContext(t.Context(), "bash", "--norc", "--noprofile", "-i")
	command.Env = append(os.Environ(), "PS1=prompt ", "TERM=dumb", envRound+"=terminal")
	command.Stdin, command.Stdout, command.Stderr = terminal, terminal, terminal
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	s := &screen{keys: keys}
	s.await(t, "prompt ")
	return s
}

func control(t *testing.T, file *os.File, do func(fd int) error) {
	t.Helper()
	raw, err := file.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = do(int(fd)) }); err != nil || inner != nil {
		t.Fatal(err, inner)
	}
}

// types types keys and waits for a text on the screen, which is then taken.
func (s *screen) types(t *testing.T, keys, text string) {
	t.Helper()
	if _, err := s.keys.WriteString(keys); err != nil {
		t.Fatal(err)
	}
	s.await(t, text)
}

func (s *screen) await(t *testing.T, text string) {
	t.Helper()
	_ = s.keys.SetReadDeadline(time.Now().Add(actor.Patience))
	for buffer := make([]byte, 1024); ; {
		if _, rest, found := strings.Cut(s.seen.String(), text); found {
			s.seen.Reset()
			s.seen.WriteString(rest)
			return
		}
		n, err := s.keys.Read(buffer)
		if err != nil {
			t.Fatalf("wait for %q: %v; on the screen: %q; processes:%s", text, err, s.seen.String(), jobs(t))
		}
		s.seen.Write(buffer[:n])
	}
}

// jobs tells of each process on the terminal its state, its group, and the group in the foreground.
func jobs(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, pid := range players(t, "terminal") {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if stat, err := actor.StatOf(pid); err == nil {
			fmt.Fprintf(&text, " %d %q: state %s, group %s, foreground %s;", pid, line, stat[0], stat[2], stat[5])
		}
	}
	return text.String()
}

func stopped(t *testing.T, pid int) {
	t.Helper()
	farm.Eventually(t, "it is stopped", func() bool {
		stat, err := actor.StatOf(pid)
		return err == nil && stat[0] == "T"
	})
}

// TestOnATerminalItIsAJobLikeAnyOther stops, continues, interrupts and hangs up.
func TestOnATerminalItIsAJobLikeAnyOther(t *testing.T) {
	within(t, func(t *testing.T, w *world) {
		s := shell(t)
		line := strings.Join(w.supervised("1m", "cat"), " ")
		s.types(t, line+"\n", "\n")
		cat := playing(t, "terminal", "cat")  // until then the shell has the terminal, and no echo on it
		s.types(t, "one\n", "one\r\none\r\n") // the terminal's echo, and cat's
		s.types(t, "\x1a", "Stopped")
		stopped(t, cat) // until then it may read the next line
		s.types(t, "echo the shell is $((40+2))\n", "the shell is 42\r\n")
		s.types(t, "fg\n", "cat\r\n") // what the shell brings to the front
		s.types(t, "two\n", "two\r\n")
		s.await(t, "two\r\n")
		s.types(t, "\x03", "prompt ")
		s.types(t, "echo status $?\n", "status 130\r\n")

		s.types(t, strings.Join(w.supervised("300ms", "sleep", "1000"), " ")+"\n", "\n")
		playing(t, "terminal", "sleep")
		_ = s.keys.Close()
		awaitNone(t, "terminal")
	})
}
