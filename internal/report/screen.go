package report

import (
	"io"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
)

// glyphs are the characters beyond letters and digits that reports use.
type glyphs struct {
	times, dot, dash, none, ellipsis string
	branch, last, through            string
}

func glyphsFor(utf8 bool) glyphs {
	if utf8 {
		return glyphs{times: "×", dot: "·", dash: "–", none: "–", ellipsis: "…", branch: "├ ", last: "└ ", through: "│ "}
	}
	return glyphs{times: "x", dot: "-", dash: "-", none: "-", ellipsis: "...", branch: "|-", last: "`-", through: "| "}
}

// elided writes a general sentence with the ellipsis of these glyphs.
func (g glyphs) elided(general string) string { return strings.ReplaceAll(general, "…", g.ellipsis) }

// tone chooses a colour: for what lives, waits or goes.
type tone string

const (
	plain  tone = ""
	green  tone = "\x1b[32m"
	yellow tone = "\x1b[33m"
	red    tone = "\x1b[31m"

	reset = "\x1b[0m"
)

// cells are the columns to the right of a row's text.
type cells struct{ age, memory, cpu string }

// row is one line of the table. Its detail is shortened to the room that is left.
type row struct {
	head   string
	detail text
	cells  cells
	tone   tone // of the whole row
}

// text is something that can be shortened to a width.
type text interface {
	fit(width int, g glyphs) string
}

// words is text that is cut at its end.
type words string

func (w words) fit(width int, g glyphs) string {
	return human.Truncate(string(w), width, g.ellipsis)
}

// screen collects lines and rows. It writes them once the widths of all are known.
type screen struct {
	options Options
	glyphs  glyphs
	width   int
	lines   []line
}

// line is a row, or finished text if row is nil.
type line struct {
	text string
	tone tone
	row  *row
}

func newScreen(options Options) *screen {
	return &screen{options: options, glyphs: glyphsFor(options.UTF8), width: options.width()}
}

func (s *screen) row(r row)       { s.lines = append(s.lines, line{row: &r}) }
func (s *screen) say(text string) { s.lines = append(s.lines, line{text: text}) }
func (s *screen) heading(tone tone, text string) {
	s.lines = append(s.lines, line{text: text, tone: tone})
}

// section adds the heading of some rows. The first heading also names the columns, below it where
// there is no room beside it.
func (s *screen) section(tone tone, text string) {
	named := slices.ContainsFunc(s.lines, func(l line) bool { return l.row != nil })
	if !named && human.Width(text) <= s.width-s.shownColumns().width() {
		s.row(row{head: text, cells: columnHeads(), tone: tone})
		return
	}
	for _, line := range human.Wrap(text, s.width) {
		s.heading(tone, line)
	}
	if !named {
		s.row(row{cells: columnHeads(), tone: tone})
	}
}

// gap adds an empty line, unless the last line is empty.
func (s *screen) gap() {
	if n := len(s.lines); n > 0 && (s.lines[n-1].row != nil || s.lines[n-1].text != "") {
		s.say("")
	}
}

// wrap writes a text behind lead in as many lines as it needs. Further lines are indented
// to the beginning of the text.
func (s *screen) wrap(lead, text string) {
	for _, line := range human.Hang(lead, glue(text), s.width) {
		s.say(line)
	}
}

func wrapped(text string, width int) []string { return human.Wrap(glue(text), width) }

const unbroken = "\u00a0"

// literal joins the words of a command, so that it stays on one line.
func literal(command string) string { return strings.ReplaceAll(command, " ", unbroken) }

// glue joins words that must stay on one line, such as a size and its unit.
func glue(text string) string {
	for _, end := range []string{"B", "kB", "MB", "GB", "TB"} {
		text = strings.ReplaceAll(text+" ", " "+end+" ", unbroken+end+" ")
		for _, stop := range []string{".", ",", ";", ")"} {
			text = strings.ReplaceAll(text, " "+end+stop, unbroken+end+stop)
		}
		text = strings.TrimSuffix(text, " ")
	}
	return strings.ReplaceAll(text, "(all ", "(all"+unbroken)
}

// The widths of the columns to the right, including the space in front of each.
const (
	ageCells    = 12 // at most: the column is as wide as its widest age
	ageSpace    = 3
	memoryCells = 10
	cpuCells    = 8
	// detailCells limits a long command line on a wide terminal.
	detailCells = 72
)

// The least width of a screen that shows each column.
const (
	widthWithMemory = 34
	widthWithAge    = 48
	widthWithCPU    = 72
)

// columns are the widths of the columns that fit. The age is as wide as its widest cell;
// the text gets the rest.
type columns struct {
	text, age   int // in cells; an age of 0 hides the column
	memory, cpu bool
}

func (s *screen) columns() columns {
	c := s.shownColumns()
	widest, age := 0, 0
	for _, l := range s.lines {
		if l.row != nil {
			widest = max(widest, l.row.natural(s.glyphs))
			age = max(age, ageSpace+human.Width(l.row.cells.age))
		}
	}
	c.age = min(c.age, age)
	c.text = max(1, min(widest, s.width-c.width()))
	return c
}

func (s *screen) shownColumns() columns {
	c := columns{memory: s.width >= widthWithMemory, cpu: s.width >= widthWithCPU}
	if s.width >= widthWithAge {
		c.age = ageCells
	}
	return c
}

// width returns the width of the columns without the text.
func (c columns) width() int {
	width := c.age
	for _, column := range []struct {
		shown bool
		cells int
	}{{c.memory, memoryCells}, {c.cpu, cpuCells}} {
		if column.shown {
			width += column.cells
		}
	}
	return width
}

// natural returns the width of the row without any shortening.
func (r *row) natural(g glyphs) int {
	width := human.Width(r.head)
	if r.detail == nil {
		return width
	}
	if detail := human.Width(r.detail.fit(detailCells, g)); detail > 0 {
		width += 2 + detail
	}
	return width
}

func (r *row) render(c columns, g glyphs) string {
	var b strings.Builder
	b.WriteString(human.Left(r.label(c.text, g), c.text))
	if c.age > 0 {
		b.WriteString(human.Right(r.cells.age, c.age))
	}
	if c.memory {
		b.WriteString(human.Right(r.cells.memory, memoryCells))
	}
	if c.cpu {
		b.WriteString(human.Right(r.cells.cpu, cpuCells))
	}
	return strings.TrimRight(b.String(), " ")
}

// label returns the row's text in at most width cells. It leaves out a detail that would
// be too short to help.
func (r *row) label(width int, g glyphs) string {
	head := human.Truncate(r.head, width, g.ellipsis)
	room := width - human.Width(head) - 2
	if r.detail == nil || room < 8 {
		return head
	}
	return strings.TrimRight(head+"  "+r.detail.fit(min(room, detailCells), g), " ")
}

// flush writes everything. It escapes control characters and, without UTF-8, everything
// beyond ASCII, and then adds colour.
func (s *screen) flush(w io.Writer) error {
	var b strings.Builder
	c := s.columns()
	s.evenProofs(c)
	for _, l := range s.lines {
		text, tone := l.text, l.tone
		if l.row != nil {
			text, tone = l.row.render(c, s.glyphs), l.row.tone
		}
		if text = human.Safe(text); !s.options.UTF8 {
			text = human.ASCII(text)
		}
		if !s.options.Wide {
			text = human.Truncate(text, s.width, s.glyphs.ellipsis)
		}
		if s.options.Color && tone != plain && text != "" {
			text = string(tone) + text + reset
		}
		b.WriteString(text + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
