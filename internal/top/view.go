package top

import (
	"strings"

	"github.com/reaperd/reaperd/internal/human"
)

// Frame returns the contents of the screen.
func (m Model) Frame() Frame {
	var lines []Line
	switch m.mode {
	case paging, asking:
		lines = m.pageFrame()
	case browsing, typing:
		lines = m.treeFrame()
	}
	frame := Frame{Lines: lines[:min(len(lines), m.height)]}
	for i, line := range frame.Lines {
		frame.Lines[i] = m.fit(line, m.width)
	}
	if m.mode == typing {
		frame.Cursor = Cursor{X: min(human.Width(filterLead+m.filter), m.width-1), Y: len(frame.Lines) - 1, Shown: true}
	}
	return frame
}

// treeFrame returns the tree with its head and foot.
func (m Model) treeFrame() []Line {
	lines := m.head()
	columns := m.columns()
	lines = append(lines, columns.heads())
	rows := m.shownRows()
	for i, r := range rows {
		line := m.rowLine(r, columns)
		if m.first+i == m.at {
			line = reversed(line, m.width)
		}
		lines = append(lines, line)
	}
	if len(rows) == 0 {
		lines = append(lines, m.wrapped(m.nothing())...)
	}
	return m.onFoot(lines, m.foot())
}

// onFoot returns lines with a foot at the bottom of the screen.
func (m Model) onFoot(lines, foot []Line) []Line {
	for len(lines) < m.height-len(foot) {
		lines = append(lines, nil)
	}
	return append(lines, foot...)
}

// nothing says why there is no row.
func (m Model) nothing() Line {
	switch {
	case !m.looked && m.failure == nil:
		return plain("Looking at processes and containers" + m.ellipsis())
	case !m.looked:
		return plain("Nothing was seen.")
	case m.filter != "":
		return plain("Nothing here has " + quoted(m.filter) + " in it. Esc ends the filter.")
	}
	return plain("No agent session, MCP server or container runs here.")
}

func quoted(text string) string { return `"` + text + `"` }

// room returns how many rows of the tree the screen has room for.
func (m Model) room() int {
	if m.mode != typing && m.answers() {
		return m.roomAbove(len(m.answer()))
	}
	return m.roomAbove(1)
}

// roomAbove is the room above a foot of so many lines.
func (m Model) roomAbove(foot int) int { return max(m.height-len(m.head())-1-foot, 1) }

// shownRows returns the rows on the screen.
func (m Model) shownRows() []row {
	rows := m.rows
	first := min(m.first, len(rows))
	return rows[first:min(len(rows), first+m.room())]
}

// plain returns a line without style.
func plain(text string) Line { return Line{{Text: text}} }

// toned returns a line of one tone.
func toned(tone Tone, text string) Line { return Line{{Text: text, Style: Style{Tone: tone}}} }

// reversed returns the line under the cursor: reversed over the whole width, so that it
// shows without colours too.
func reversed(line Line, width int) Line {
	return Line{{Text: human.Left(line.String(), width), Style: Style{Reverse: true}}}
}

// fit cuts a line to a width.
func (m Model) fit(line Line, width int) Line {
	fitted := make(Line, 0, len(line))
	for _, span := range line {
		span.Text = human.Truncate(m.safe(span.Text), max(width, 0), m.ellipsis())
		width -= human.Width(span.Text)
		fitted = append(fitted, span)
	}
	return fitted
}

// wrapped breaks a line that is wider than the screen at spaces.
func (m Model) wrapped(line Line) []Line {
	if human.Width(m.safe(line.String())) <= m.width {
		return []Line{line}
	}
	lines, used := []Line{nil}, 0
	for _, span := range line {
		gap := span.Text[:len(span.Text)-len(strings.TrimLeft(span.Text, " "))]
		whole := human.Width(m.safe(span.Text))
		if gap != "" && used > 0 && used+whole > m.width && whole-len(gap) <= m.width { // an item stays in one piece
			lines, used = append(lines, nil), 0
		}
		for word := range strings.FieldsSeq(m.safe(span.Text)) {
			if used > 0 && used+human.Width(gap+word) > m.width {
				lines, used = append(lines, nil), 0
			}
			if used == 0 {
				gap = ""
			}
			last := len(lines) - 1
			lines[last] = append(lines[last], Span{Text: gap + word, Style: span.Style})
			used, gap = used+human.Width(gap+word), " "
		}
	}
	return lines
}

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

// cell returns a text cut or padded to a width.
func (m Model) cell(text string, width int) string {
	return human.Left(human.Truncate(m.safe(text), max(width, 0), m.ellipsis()), width)
}

// right returns a cell with its text aligned to the right.
func (m Model) right(text string, width int) string {
	return human.Right(human.Truncate(m.safe(text), max(width, 0), ""), width)
}
