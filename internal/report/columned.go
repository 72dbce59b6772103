package report

import (
	"strings"

	"github.com/reaperd/reaperd/internal/human"
)

// evidenceCells is the least width of the last column of the wide table: the checks of most
// targets fit.
const evidenceCells = 40

// columned writes the wide table with its command and its evidence broken within their
// columns. It writes nothing and returns false if the terminal has no room for that.
func (s *screen) columned(table [][]string, tones []tone) bool {
	last := len(table[0]) - 1
	short := make([][]string, len(table))
	for i, row := range table {
		short[i] = row[:last-1]
	}
	heads := padded(short)
	room := s.width - human.Width(heads[0]) - len("  ")
	if room < commandWord(table, last-1)+evidenceCells {
		return false
	}
	command := min(widestCell(table, last-1), max(mostPadded, room-widestCell(table, last)), room-evidenceCells)
	for i, row := range table {
		head := heads[i]
		commands, evidence := human.Wrap(row[last-1], command), human.Wrap(row[last], room-command)
		for at := range max(len(commands), len(evidence)) {
			line := head + human.Left(lineAt(commands, at), command) + "  " + lineAt(evidence, at)
			s.heading(tones[i], strings.TrimRight(line, " "))
			head = strings.Repeat(" ", human.Width(heads[i]))
		}
	}
	return true
}

// commandWord is the width of the widest word of a column, up to mostPadded: a path is not
// broken to make room for another column.
func commandWord(rows [][]string, column int) int {
	widest := 0
	for _, row := range rows {
		for word := range strings.FieldsSeq(row[column]) {
			widest = max(widest, min(human.Width(word), mostPadded))
		}
	}
	return widest
}

// padded are rows whose cells are as wide as the widest of their column, with the space
// before a further column.
func padded(rows [][]string) []string {
	lines := make([]string, len(rows))
	for column := range rows[0] {
		width := widestCell(rows, column)
		for i, row := range rows {
			lines[i] += human.Left(row[column], width) + "  "
		}
	}
	return lines
}

func widestCell(rows [][]string, column int) int {
	widest := 0
	for _, row := range rows {
		widest = max(widest, human.Width(row[column]))
	}
	return widest
}

func lineAt(lines []string, at int) string {
	if at < len(lines) {
		return lines[at]
	}
	return ""
}
