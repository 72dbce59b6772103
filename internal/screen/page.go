package screen

import (
	"io"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
)

// Options say how a reader sees a screen.
type Options struct {
	Width    int // in columns; zero is usualWidth
	Color    bool
	UTF8     bool
	Wide     bool // unfold each row
	Terminal bool
	Names    []string // show what these words mean, unfolded
	Home     human.Home
	Now      time.Time // zero is the account's
	Location *time.Location
	Asks     bool // a question follows
}

// usualWidth is the width where no terminal tells one.
const usualWidth = 100

// page gathers the lines of a screen.
type page struct {
	options Options
	width   int
	now     time.Time
	room    int // of a column of evidence
	lines   []string
}

// newPage is an empty page that is read at a moment, if the options name no other.
func (o Options) newPage(at time.Time) *page {
	p := &page{options: o, width: o.Width, now: o.Now}
	if p.width <= 0 {
		p.width = usualWidth
	}
	if p.now.IsZero() {
		p.now = at
	}
	if o.Location != nil {
		p.now = p.now.In(o.Location)
	}
	return p
}

// The tones of lines, on a terminal with colours.
const (
	plain  = ""
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	green  = "\x1b[32m"
	reset  = "\x1b[0m"
)

// line adds one line as it is, no wider than the page.
func (p *page) line(tone, text string) {
	text = strings.TrimRight(human.Safe(text), " ")
	if !p.options.UTF8 {
		text = human.ASCII(text)
	}
	text = human.Truncate(text, p.width, p.cut())
	if p.options.Color && tone != plain && text != "" {
		text = tone + text + reset
	}
	p.lines = append(p.lines, text)
}

// cut is the sign behind a text that was cut.
func (p *page) cut() string {
	if p.options.UTF8 {
		return "…"
	}
	return "..."
}

// say adds a text behind a lead, in as many lines as it needs, and nothing for an empty one.
func (p *page) say(lead, text string) {
	if text == "" {
		return
	}
	for _, line := range human.Hang(lead, human.Safe(text), p.width) {
		p.line(plain, line)
	}
}

// text is a text of the account's for the page's reader.
func (p *page) text(t account.Text) string { return t.In(p.now, p.options.Home) }

// gap adds an empty line between two others.
func (p *page) gap() {
	if n := len(p.lines); n > 0 && p.lines[n-1] != "" {
		p.lines = append(p.lines, "")
	}
}

func (p *page) write(w io.Writer) error {
	text := strings.TrimRight(strings.Join(p.lines, "\n"), "\n")
	_, err := io.WriteString(w, text+"\n")
	return err
}

// commands writes commands to type: in one line where they fit, else a line each.
func (p *page) commands(commands []account.Command) {
	if len(commands) == 0 {
		return
	}
	texts := make([]string, 0, len(commands))
	for _, c := range commands {
		texts = append(texts, c.What+": "+c.Line)
	}
	for _, between := range []string{"        ", "    ", "   "} {
		if one := strings.Join(texts, between); human.Width(one) <= p.width {
			p.line(plain, one)
			return
		}
	}
	for _, text := range texts {
		p.line(plain, text)
	}
}

// notes writes what is not well, each with its remedy.
func (p *page) notes(notes []account.Note) {
	if len(notes) > 0 {
		p.gap()
	}
	for _, note := range notes {
		p.say("! ", note.String())
	}
}
