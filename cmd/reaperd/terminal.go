package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/report"
)

// slowLook is after how long a look says on stderr that it is still at it.
const slowLook = time.Second

// options are how this terminal shows a report.
func (s *shared) options() report.Options {
	return report.Options{Width: s.width(), Color: s.colors(), UTF8: speaksUTF8(), Location: time.Local}
}

// width is the terminal's, else COLUMNS, else 100.
func (s *shared) width() int {
	if s.columns > 0 {
		return s.columns
	}
	if file, ok := s.out.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	return 100
}

// fit cuts a line to a terminal's width; a pipe gets all of it.
func (s *shared) fit(line string) string {
	if !isTerminal(s.out) {
		return line
	}
	return ansi.Truncate(line, s.width(), "…")
}

// unbounded is wider than any line.
const unbounded = 1 << 16

// lineWidth is where lines of text are broken: nowhere where a program reads them.
func (s *shared) lineWidth() int {
	if isTerminal(s.out) {
		return s.width()
	}
	return unbounded
}

// colors follows --color, then NO_COLOR and CLICOLOR_FORCE, then whether stdout
// is a terminal that has them.
func (s *shared) colors() bool {
	switch {
	case s.color == "always":
		return true
	case s.color == "never", os.Getenv("NO_COLOR") != "":
		return false
	case os.Getenv("CLICOLOR_FORCE") != "" && os.Getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return isTerminal(s.out) && os.Getenv("TERM") != "dumb"
}

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// speaksUTF8 reads the locale as setlocale does. Where nothing is set at all,
// as in a container or under a service manager, UTF-8 is what is shown today.
func speaksUTF8() bool {
	for _, variable := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := os.Getenv(variable); locale != "" {
			locale = strings.ToUpper(locale)
			return strings.Contains(locale, "UTF-8") || strings.Contains(locale, "UTF8")
		}
	}
	return true
}

// progress says on stderr, once, that a look takes longer than the settle time
// and a second more; the function it returns ends the waiting.
func (s *shared) progress(settle time.Duration) (done func()) {
	if settle > slowLook {
		fmt.Fprintf(s.err, "looking, waiting %s and looking again…\n", human.Took(settle))
	}
	timer := time.AfterFunc(settle+slowLook, func() {
		fmt.Fprintln(s.err, "still looking at processes and containers…")
	})
	return func() { timer.Stop() }
}
