//go:build linux

// Package terminal runs a program on a terminal that a test can type on and read:
// a pseudo-terminal with an emulator behind it.
package terminal

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gdamore/tcell/v3/vt"
	"golang.org/x/sys/unix"
)

// Size is the size of a terminal in cells.
type Size struct{ Width, Height int }

// Terminal is a terminal with a program on it.
type Terminal struct {
	keys   *os.File // the end that a terminal program holds
	device *os.File // the end that the program has, kept to ask for its modes
	screen vt.MockTerm
	done   chan struct{} // is closed when nothing more comes

	mu      sync.Mutex
	changed *sync.Cond
	size    Size
	written bytes.Buffer // everything that the program wrote
	over    bool
}

// Open makes a terminal without a program.
func Open(size Size) (*Terminal, error) {
	keys, device, err := pair()
	if err != nil {
		return nil, fmt.Errorf("open a terminal: %w", err)
	}
	t := &Terminal{keys: keys, device: device, done: make(chan struct{}), screen: vt.NewMockTerm(vt.MockOptSize(coord(size)), vt.MockOptColors(8))}
	t.changed = sync.NewCond(&t.mu)
	if err := t.screen.Start(); err != nil {
		return nil, err
	}
	if err := t.Resize(size); err != nil {
		return nil, err
	}
	go t.show()
	return t, nil
}

func coord(size Size) vt.Coord { return vt.Coord{X: vt.Col(size.Width), Y: vt.Row(size.Height)} }

// pair opens both ends of a pseudo-terminal.
func pair() (keys, device *os.File, err error) {
	keys, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	number := 0
	err = control(keys, func(fd int) (err error) {
		if err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err == nil {
			number, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		}
		return err
	})
	if err == nil {
		device, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		keys.Close()
	}
	return keys, device, err
}

func control(file *os.File, do func(fd int) error) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = do(int(fd)) }); err != nil {
		return err
	}
	return inner
}

// Close hangs up.
func (t *Terminal) Close() {
	t.device.Close()
	t.keys.Close()
	<-t.done
	_ = t.screen.Stop()
}

// Start starts a program on the terminal, as the leader of a session of its own.
func (t *Terminal) Start(command *exec.Cmd) error {
	command.Stdin, command.Stdout, command.Stderr = t.device, t.device, t.device
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return command.Start()
}

// Resize makes the terminal larger or smaller.
func (t *Terminal) Resize(size Size) error {
	t.mu.Lock()
	t.size = size
	t.mu.Unlock()
	t.screen.SetSize(coord(size))
	return control(t.keys, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(size.Width), Row: uint16(size.Height)})
	})
}

// Type types text.
func (t *Terminal) Type(text string) error {
	_, err := t.keys.WriteString(text)
	return err
}

// show passes what the program writes on to the emulator.
func (t *Terminal) show() {
	defer close(t.done)
	buffer := make([]byte, 64<<10)
	for {
		n, err := t.keys.Read(buffer)
		if n > 0 {
			_, _ = t.screen.Write(buffer[:n])
		}
		t.mu.Lock()
		t.written.Write(buffer[:n])
		t.over = err != nil
		t.mu.Unlock()
		t.changed.Broadcast()
		if err != nil {
			return
		}
	}
}

// Text is what the screen shows, without the spaces at the ends of its lines.
func (t *Terminal) Text() string {
	var b strings.Builder
	for _, line := range t.Cells() {
		var text strings.Builder
		for _, cell := range line {
			text.WriteString(cell.C)
		}
		b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
	return b.String()
}

// Cells are the cells of the screen, line by line. An empty one holds a space; what
// a wide one covers is left out.
func (t *Terminal) Cells() [][]vt.Cell {
	t.mu.Lock()
	size := t.size
	t.mu.Unlock()
	lines := make([][]vt.Cell, size.Height)
	for y := range lines {
		for x := 0; x < size.Width; x++ {
			cell := t.screen.GetCell(vt.Coord{X: vt.Col(x), Y: vt.Row(y)})
			if cell.C == "" {
				cell.C = " "
			}
			lines[y] = append(lines[y], cell)
			x += max(cell.W, 1) - 1
		}
	}
	return lines
}

// Marked is the text that stands in reverse video.
func (t *Terminal) Marked() string {
	var b strings.Builder
	for _, line := range t.Cells() {
		for _, cell := range line {
			if cell.S.Attr()&vt.Reverse != 0 {
				b.WriteString(cell.C)
			}
		}
	}
	return b.String()
}

// Written is everything that the program wrote so far.
func (t *Terminal) Written() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.written.String()
}

// Await waits until a claim about the screen holds.
func (t *Terminal) Await(ctx context.Context, holds func(text string) bool) error {
	defer context.AfterFunc(ctx, t.changed.Broadcast)()
	for {
		if holds(t.Text()) {
			return nil
		}
		t.mu.Lock()
		if t.over || ctx.Err() != nil {
			t.mu.Unlock()
			return fmt.Errorf("it never came; the screen shows\n%s", t.Text())
		}
		t.wait()
		t.mu.Unlock()
	}
}

// wait waits for a change, and for no longer than a moment: one may have come
// before it waits.
func (t *Terminal) wait() {
	defer time.AfterFunc(100*time.Millisecond, t.changed.Broadcast).Stop()
	t.changed.Wait()
}

// IsRaw reports whether the program reads keys one by one, without an echo.
func (t *Terminal) IsRaw() (bool, error) {
	raw := false
	err := control(t.device, func(fd int) error {
		modes, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err == nil {
			raw = modes.Lflag&(unix.ICANON|unix.ECHO) == 0
		}
		return err
	})
	return raw, err
}
