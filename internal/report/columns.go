package report

import (
	"strings"

	"github.com/reaperd/reaperd/internal/human"
)

// Columns writes rows of equally many cells as lines. Each column is as wide as its
// widest cell.
func Columns(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], human.Width(cell))
		}
	}
	lines := make([]string, 0, len(rows))
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = human.Left(cell, widths[i])
		}
		lines = append(lines, strings.TrimRight(strings.Join(cells, "  "), " "))
	}
	return lines
}

// Wrap breaks a text at spaces into lines of at most width, as reports do. It breaks a
// word that is wider. A size stays with its unit: a no-break space joins them.
func Wrap(text string, width int) []string {
	lines := wrapped(text, width)
	for i, line := range lines {
		lines[i] = human.Safe(line)
	}
	return lines
}

// Hang wraps a text behind lead. Further lines are indented to the beginning of the text.
func Hang(lead, text string, width int) string {
	lines := human.Hang(lead, glue(text), width)
	for i, line := range lines {
		lines[i] = human.Safe(line)
	}
	return strings.Join(lines, "\n")
}
