// Package terminal is where a command reads and writes: what its terminal can show,
// and what is asked and said there.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/reaperd/reaperd/internal/human"
)

// Terminal is where a command reads and writes. Each may be a terminal, a pipe or a
// file.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Columns  int // how many columns Out has; 0 is to ask the terminal behind Out
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// IsAttended reports whether somebody sees what is written and can answer.
func (t *Terminal) IsAttended() bool { return IsTerminal(t.In) && IsTerminal(t.Out) }

// Width is the terminal's, else COLUMNS, else 100.
func (t *Terminal) Width() int {
	if t.Columns > 0 {
		return t.Columns
	}
	if file, ok := t.Out.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	return 100
}

// unbounded is wider than any line.
const unbounded = 1 << 16

// LineWidth is where lines of text are broken: nowhere where a program reads them.
func (t *Terminal) LineWidth() int {
	if IsTerminal(t.Out) {
		return t.Width()
	}
	return unbounded
}

// HasColors follows asked (auto, always or never), then NO_COLOR and CLICOLOR_FORCE,
// then whether Out is a terminal that has them.
func (t *Terminal) HasColors(asked string) bool {
	switch {
	case asked == "always":
		return true
	case asked == "never", os.Getenv("NO_COLOR") != "":
		return false
	case os.Getenv("CLICOLOR_FORCE") != "" && os.Getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return IsTerminal(t.Out) && os.Getenv("TERM") != "dumb"
}

// SpeaksUTF8 reads the locale as setlocale does. Where nothing is set at all,
// as in a container or under a service manager, UTF-8 is what is shown today.
func SpeaksUTF8() bool {
	for _, variable := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := os.Getenv(variable); locale != "" {
			locale = strings.ToUpper(locale)
			return strings.Contains(locale, "UTF-8") || strings.Contains(locale, "UTF8")
		}
	}
	return true
}

// Remark writes lines beside the answer.
func (t *Terminal) Remark(lines ...string) {
	for _, line := range lines {
		fmt.Fprintln(t.Err, line)
	}
}

// slowLook is after how long a look says that it is still at it.
const slowLook = time.Second

// Progress says, once, that a look takes longer than the settle time and a second
// more; the function it returns ends the waiting.
func (t *Terminal) Progress(settle time.Duration) (done func()) {
	if settle > slowLook {
		t.Remark("looking, waiting " + human.Took(settle) + " and looking again…")
	}
	timer := time.AfterFunc(settle+slowLook, func() { t.Remark("still looking at processes and containers…") })
	return func() { timer.Stop() }
}
