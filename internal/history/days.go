package history

import (
	"io"
	"slices"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/report"
)

// headline is the answer in one line.
func (h *History) headline() string { return h.Sums().text(h.Query.period()) + "." }

// text is the sums in one line, without what is zero. period stands behind what was reaped.
func (s Sums) text(period string) string {
	text := human.Number(s.Reaped) + " reaped" + period
	if s.FreedBytes > 0 {
		text += ", " + human.Bytes(s.FreedBytes) + " freed"
	}
	for _, part := range []struct {
		n    int
		what string
	}{{s.AlreadyGone, "already gone"}, {s.LeftAlone, "left alone"}, {s.Failed, "failed or escaped"}, {s.Unfinished - s.underWay, "unfinished"}, {s.underWay, "under way"}} {
		if part.n > 0 {
			text += ", " + human.Number(part.n) + " " + part.what
		}
	}
	return text
}

// WriteDays writes the sums of each day, on a narrow terminal as a line each.
func (h *History) WriteDays(w io.Writer, s Style) error {
	rows := [][]string{{"DAY", "REAPED", "FREED", "GONE BEFORE", "LEFT ALONE", "FAILED", "UNFINISHED"}}
	isUnderWay := h.Sums().underWay > 0
	if isUnderWay {
		rows[0] = append(rows[0], "UNDER WAY")
	}
	var below []string
	for _, d := range h.Days() {
		row := []string{d.Day, human.Number(d.Reaped), human.Bytes(d.FreedBytes)}
		for _, n := range []int{d.AlreadyGone, d.LeftAlone, d.Failed, d.Unfinished - d.underWay} {
			row = append(row, human.Number(n))
		}
		if isUnderWay {
			row = append(row, human.Number(d.underWay))
		}
		rows = append(rows, row)
		below = append(below, s.wrap("", d.Day+"  "+d.text(""))...)
	}
	lines := append(s.folded(h.headline()), "")
	table := report.Columns(rows)
	if s.Width > 0 && slices.ContainsFunc(table, func(line string) bool { return human.Width(line) > s.Width }) {
		table = below
	}
	return writeLines(w, append(lines, table...))
}
