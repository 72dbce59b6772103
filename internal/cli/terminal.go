package cli

import (
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/reaperd/reaperd/internal/human"
)

// Terminal is the three streams of a command. Each may be a terminal, a pipe or a file.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Columns  int        // the width of Out; 0 means that the terminal behind Out is asked
	Home     human.Home // the reader's, which remarks on a terminal write as "~"
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	file, is := fileOf(stream)
	return is && term.IsTerminal(int(file.Fd()))
}

// Unattended says which of the two streams that a question needs is no terminal: "stdout is no terminal".
// It is empty if both are.
func (t *Terminal) Unattended() string {
	switch in, out := IsTerminal(t.In), IsTerminal(t.Out); {
	case in && out:
		return ""
	case in:
		return "stdout is no terminal"
	case out:
		return "stdin is no terminal"
	}
	return "stdin and stdout are no terminal"
}

// Width returns the terminal's width, else COLUMNS, else 100.
func (t *Terminal) Width() int {
	if t.Columns > 0 {
		return t.Columns
	}
	if width := columnsOf(t.Out); width > 0 {
		return width
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	return 100
}

// ErrWidth returns the width of the terminal behind Err; 0 if there is none.
func (t *Terminal) ErrWidth() int { return columnsOf(t.Err) }

// columnsOf returns the width of the terminal behind a stream; 0 if there is none.
func columnsOf(stream any) int {
	file, is := fileOf(stream)
	if !is {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return max(0, width)
}

// unbounded is a width greater than that of any line.
const unbounded = 1 << 16

// LineWidth returns the width at which text is broken. Output for programs is never
// broken.
func (t *Terminal) LineWidth() int {
	if IsTerminal(t.Out) {
		return t.Width()
	}
	return unbounded
}

// HasColors decides by asked (auto, always or never), then by NO_COLOR and
// CLICOLOR_FORCE, then by what the terminal behind Out can show.
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

// SpeaksUTF8 reads the locale in the order of setlocale. If no variable is set, as in a
// container or under a service manager, it assumes UTF-8.
func SpeaksUTF8() bool {
	for _, variable := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := os.Getenv(variable); locale != "" {
			locale = strings.ToUpper(locale)
			return strings.Contains(locale, "UTF-8") || strings.Contains(locale, "UTF8")
		}
	}
	return true
}

// slowLook is the time after which Progress says that a look is still running.
const slowLook = time.Second

// Progress says, once, that a look takes more than slowLook longer than the settle time
// before it; zero is the first look.
// Call done when the look has ended.
func (t *Terminal) Progress(settle time.Duration) (done func()) {
	if settle > slowLook {
		t.Remark("looked once, looking again in " + human.Took(settle) + "…")
	}
	return t.After(settle+slowLook, "still looking at processes and containers…")
}

// Stopping says, once, that acts take more than slowLook. grace is the longest time that
// a target has to end by itself.
func (t *Terminal) Stopping(grace time.Duration) (done func()) {
	if grace <= 0 {
		return t.After(slowLook, "stopping…")
	}
	return t.After(slowLook, "stopping; what does not exit by itself has "+human.Exact(grace)+" before it is killed…")
}

// After says something once that time has passed, unless done is called before.
func (t *Terminal) After(wait time.Duration, text string) (done func()) {
	timer := time.AfterFunc(wait, func() { t.Remark(text) })
	return func() { timer.Stop() }
}
