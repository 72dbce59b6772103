package top

import (
	"strings"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/screen"
)

// Frame returns the contents of the screen.
func (m Model) Frame() Frame {
	lines := m.treeFrame
	if m.mode == paging || m.mode == asking {
		lines = m.pageFrame
	}
	var frame Frame
	for _, line := range lines() {
		if len(frame.Lines) < m.height {
			frame.Lines = append(frame.Lines, m.fit(line))
		}
	}
	if m.mode == typing {
		frame.Cursor = Cursor{X: min(human.Width(filterLead+m.filter), m.width-1), Y: len(frame.Lines) - 1, Shown: true}
	}
	return frame
}

const filterLead = "filter: "

// treeFrame is the tree with its head and foot.
func (m Model) treeFrame() []Line {
	lines := append(m.head(), m.headings())
	rows := m.shownRows()
	for i := range rows {
		line := m.rowLine(&rows[i])
		if m.first+i == m.at {
			line = Line{{Text: human.Left(line.String(), m.width), Style: Style{Reverse: true}}}
		}
		lines = append(lines, line)
	}
	if len(rows) == 0 {
		lines = append(lines, m.wrapped("", m.nothing())...)
	}
	return m.onFoot(lines, m.foot())
}

// onFoot returns lines with a foot at the bottom of the screen.
func (m Model) onFoot(lines, foot []Line) []Line {
	lines = lines[:min(len(lines), max(0, m.height-len(foot)))]
	for len(lines) < m.height-len(foot) {
		lines = append(lines, nil)
	}
	return append(lines, foot...)
}

// head says who decides, what there is, and what is not well. It leaves most of the screen to the tree.
func (m Model) head() (lines []Line) {
	if a := m.account; a != nil {
		lines = append(m.wrapped("", screen.Who(a)), m.wrapped("", m.text(a.Headline))...)
		if a.Summary.Leaked == 0 {
			lines = append(lines, m.wrapped(Waits, m.text(a.Decider.Pause()))...)
		}
		for _, note := range a.Notes {
			lines = append(lines, m.wrapped(Goes, "! "+note.String())...)
		}
	}
	if m.failure != nil {
		lines = append(m.wrapped(Goes, "! no newer look: "+human.Line(m.failure.Error())), lines...)
	}
	return lines[:min(len(lines), max(1, m.height/3))]
}

// headings name the columns, the filter and the order.
func (m Model) headings() Line {
	var about []string
	if m.filter != "" && m.mode != typing {
		about = append(about, filterLead+m.filter)
	}
	if m.order != ByTree {
		about = append(about, "by "+m.order.String())
	}
	c := m.cells
	text := human.Left(human.Truncate(m.safe(strings.Join(about, "  ")), c.left+gap+c.state, ""), c.left+gap+c.state)
	if c.servers > 0 {
		heading := "servers"
		if m.order == ByCPU || m.order == ByAge {
			heading = m.order.String()
		}
		text += human.Right(heading, c.servers)
	}
	return Line{{Text: text + human.Right("memory", c.memory), Style: Style{Tone: Aside}}}
}

func (m Model) rowLine(r *row) Line {
	c := m.cells
	left := Span{Text: human.Left(human.Truncate(m.left(r, c), c.left, m.ellipsis()), c.left+gap), Style: Style{Bold: r.of == nil}}
	if r.isThing {
		left.Style.Tone = Aside
	}
	state := Span{Text: human.Left(human.Truncate(m.safe(m.text(r.state)), c.state, m.ellipsis()), c.state), Style: Style{Tone: r.tone}}
	figure, memory := "", ""
	if c.servers > 0 {
		figure = m.figure(r)
	}
	if r.memory > 0 {
		memory = human.Bytes(r.memory)
	}
	return Line{left, state, {Text: human.Right(figure, c.servers) + human.Right(memory, c.memory)}}
}

// figure is what a row is sorted by, else how many servers it has.
func (m Model) figure(r *row) string {
	switch s := m.sums(r); {
	case m.order == ByCPU:
		return human.Percent(s.cpu)
	case m.order == ByAge && !s.started.IsZero():
		return human.Coarse(m.account.TakenAt.Sub(s.started)) // of the look: it need not tick
	case m.order != ByAge && r.servers > 0:
		return human.Number(r.servers)
	}
	return ""
}

// nothing says why there is no row.
func (m Model) nothing() string {
	switch {
	case m.account == nil && m.failure == nil:
		return "Looking at processes and containers" + m.ellipsis()
	case m.account == nil:
		return "Nothing was seen."
	case m.filter != "":
		return `Nothing here has "` + m.filter + `" in it. Esc ends the filter.`
	}
	return ""
}

// foot shows the last note, else the keys.
func (m Model) foot() []Line {
	if m.mode == typing {
		return []Line{plain("", filterLead+m.filter)}
	}
	return []Line{m.answering(m.hints())}
}

// answering is the line of the foot: the last note, else what is being done, else the keys; behind a note they
// follow as far as there is room.
func (m Model) answering(keys []string) Line {
	line, room := Line{}, m.width
	switch {
	case m.note.text != "":
		line = plain(m.note.tone, m.note.text)
	case m.waits:
		return plain(Waits, m.busy+m.ellipsis()+"  esc gives up")
	case m.busy != "":
		return plain(Waits, m.busy+m.ellipsis())
	}
	text, between := "", ""
	if len(line) > 0 {
		between = "    "
	}
	room -= human.Width(m.safe(line.String()))
	for _, key := range keys {
		if human.Width(text+between+key) > room {
			break
		}
		text, between = text+between+key, "  "
	}
	return append(line, Span{Text: text})
}

// hints are the keys, the most wanted first.
func (m Model) hints() []string {
	hints := []string{"? help"}
	if below := len(m.rows) - m.first - m.room(); below > 0 {
		hints = []string{m.either("↓ ", "down: ") + human.Count(below, "more row"), "? help"}
	}
	enters := "enter details"
	if r, there := m.row(); there && r.of == nil {
		enters = "enter fold"
	}
	hints = append(append(hints, "q quit", enters), m.deeds()...)
	if a := m.account; a != nil && a.Summary.Leaked+a.Summary.Kept+a.Summary.Failing > 0 {
		hints = append(hints, "n next")
	}
	pause := "P pause"
	if m.account != nil && m.account.Decider.Rests == account.Paused {
		pause = "P resume"
	}
	return append(hints, "/ filter", "e events", "s sort", "space fold", pause)
}

// room returns how many rows of the tree the screen has room for.
func (m Model) room() int { return max(m.height-len(m.head())-2, 1) }

// shownRows returns the rows on the screen.
func (m Model) shownRows() []row {
	first := min(m.first, len(m.rows))
	return m.rows[first:min(len(m.rows), first+m.room())]
}

func plain(tone Tone, text string) Line { return Line{{Text: text, Style: Style{Tone: tone}}} }

// fit cuts a line to the width of the screen.
func (m Model) fit(line Line) (fitted Line) {
	width := m.width
	for _, span := range line {
		span.Text = human.Truncate(m.safe(span.Text), max(width, 0), m.ellipsis())
		width -= human.Width(span.Text)
		fitted = append(fitted, span)
	}
	return fitted
}

// wrapped breaks a text at spaces; none of an empty one.
func (m Model) wrapped(tone Tone, text string) (lines []Line) {
	if text == "" {
		return nil
	}
	for _, line := range human.Wrap(m.safe(text), m.width) {
		lines = append(lines, plain(tone, line))
	}
	return lines
}

// text is a text of the account's at this moment, for this reader.
func (m Model) text(t account.Text) string { return t.In(m.now, m.options.Home) }

// safe escapes a text for the terminal.
func (m Model) safe(text string) string {
	text = human.Safe(text)
	if !m.options.UTF8 {
		text = human.ASCII(text)
	}
	return text
}

func (m Model) ellipsis() string { return m.either("…", "...") }

// either returns one of two signs, for terminals with and without UTF-8.
func (m Model) either(utf8, ascii string) string {
	if m.options.UTF8 {
		return utf8
	}
	return ascii
}
