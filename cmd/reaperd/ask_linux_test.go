package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/cli"
)

// patience is how long a test waits before it says that nothing comes.
const patience = 30 * time.Second

// pseudoTerminal is a new terminal: the side of the keyboard and that of the program.
func pseudoTerminal(t *testing.T) (keys, program *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skip("left out: no terminal can be made here")
	}
	t.Cleanup(func() { _ = keys.Close() })
	raw, err := keys.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	err = raw.Control(func(fd uintptr) {
		_ = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
		number, _ = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
	})
	if err == nil {
		program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return keys, program
}

// awaitText reads until the terminal shows a text.
func awaitText(t *testing.T, keys *os.File, text string) {
	t.Helper()
	_ = keys.SetReadDeadline(time.Now().Add(patience))
	seen, buffer := "", make([]byte, 512)
	for !strings.Contains(seen, text) {
		n, err := keys.Read(buffer)
		if err != nil {
			t.Fatalf("wait for %q: %v; on the screen: %q", text, err, seen)
		}
		seen += string(buffer[:n])
	}
}

func TestAQuestionOnATerminalIsAnsweredByEverySignalAtOnce(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	send := func(signal os.Signal) func(*exec.Cmd, *os.File) error {
		return func(c *exec.Cmd, _ *os.File) error { return c.Process.Signal(signal) }
	}
	typed := func(text string) func(*exec.Cmd, *os.File) error {
		return func(_ *exec.Cmd, keys *os.File) error { _, err := keys.WriteString(text); return err }
	}
	for _, row := range []struct {
		world string
		does  func(*exec.Cmd, *os.File) error
		code  int
	}{
		{"Ctrl-C", typed("\x03"), exitInterrupted},
		{"Ctrl-C in the middle of an answer", typed("ye\x03"), exitInterrupted},
		{"SIGINT", send(syscall.SIGINT), exitInterrupted},
		{"SIGTERM", send(syscall.SIGTERM), exitInterrupted},
		{"no", typed("n\r"), exitOK},
		{"the end of input", typed("\x04"), exitOK},
	} {
		keys, program := pseudoTerminal(t)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		c := exec.CommandContext(ctx, self)
		c.Args = []string{"asker"}
		c.Stdin, c.Stdout, c.Stderr = program, program, program
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		awaitText(t, keys, "[y/N] ")
		if err := row.does(c, keys); err != nil {
			t.Error(err)
		}
		_ = c.Wait()
		if got := c.ProcessState.ExitCode(); got != row.code || ctx.Err() != nil {
			t.Errorf("%s: exit %d, want %d (%v)", row.world, got, row.code, ctx.Err())
		}
		cancel()
	}
}

func TestWhatIsTypedBeforeTheQuestionIsNoAnswer(t *testing.T) {
	keys, program := pseudoTerminal(t)
	if _, err := keys.WriteString("y\r"); err != nil {
		t.Fatal(err)
	}
	awaitText(t, keys, "y") // its echo: it waits to be read
	type said struct {
		yes bool
		err error
	}
	done := make(chan said)
	go func() {
		yes, err := (&cli.Terminal{In: program, Out: program, Err: program}).Ask(t.Context(), "Stop these 4?", "Nothing stopped.")
		done <- said{yes, err}
	}()
	awaitText(t, keys, "[y/N] ")
	if _, err := keys.WriteString("n\r"); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.yes || got.err != nil {
		t.Errorf("got %+v, want no", got)
	}
}

// TestWhoCannotBeAskedIsToldWhichStreamIsNoTerminal: sweep | less has a terminal to type on.
func TestWhoCannotBeAskedIsToldWhichStreamIsNoTerminal(t *testing.T) {
	_, screen := pseudoTerminal(t)
	var pipe strings.Builder
	for _, row := range []struct {
		in   io.Reader
		out  io.Writer
		want string
	}{
		{screen, screen, ""},
		{screen, &pipe, "stdout is no terminal"},
		{strings.NewReader(""), screen, "stdin is no terminal"},
		{strings.NewReader(""), &pipe, "stdin and stdout are no terminal"},
	} {
		if got := (&cli.Terminal{In: row.in, Out: row.out}).Unattended(); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}
