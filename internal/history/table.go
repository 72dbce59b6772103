package history

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/report"
)

// Style is the form of a history for people.
type Style struct {
	// Width is the terminal's; 0 means no terminal, and no line is cut or wrapped.
	Width int
	// Wide writes each act as one whole line or, on a terminal that is narrower than that,
	// with its reason below.
	Wide bool
	// Home is the reader's home folder.
	Home human.Home
}

// headline is the answer in one line.
func (h *History) headline() string {
	all := h.Sums()
	text := human.Number(all.Reaped) + " reaped" + h.Query.period()
	if all.FreedBytes > 0 {
		text += ", " + human.Bytes(all.FreedBytes) + " freed"
	}
	for _, part := range []struct {
		n    int
		what string
	}{{all.AlreadyGone, "already gone"}, {all.LeftAlone, "left alone"}, {all.Failed, "failed or escaped"}, {all.Unfinished, "unfinished"}} {
		if part.n > 0 {
			text += ", " + human.Number(part.n) + " " + part.what
		}
	}
	return text + "."
}

// Write writes the acts. Those of one sweep with the same reason are grouped below it.
// A wide table has the reason of each act.
func (h *History) Write(w io.Writer, s Style) error {
	lines := append(s.folded(h.headline()), "")
	if s.Wide {
		lines = append(lines, h.wide(s)...)
	} else {
		lines = append(lines, h.grouped(s)...)
	}
	return writeLines(w, lines)
}

// WriteDays writes the sums of each day.
func (h *History) WriteDays(w io.Writer, s Style) error {
	rows := [][]string{{"DAY", "REAPED", "FREED", "GONE BEFORE", "LEFT ALONE", "FAILED", "UNFINISHED"}}
	for _, d := range h.Days() {
		row := []string{d.Day, human.Number(d.Reaped), human.Bytes(d.FreedBytes)}
		for _, n := range []int{d.AlreadyGone, d.LeftAlone, d.Failed, d.Unfinished} {
			row = append(row, human.Number(n))
		}
		rows = append(rows, row)
	}
	lines := append(s.folded(h.headline()), "")
	for _, line := range report.Columns(rows) {
		lines = append(lines, s.fit(line))
	}
	return writeLines(w, lines)
}

func (h *History) wide(s Style) []string {
	rows := [][]string{{"WHEN", "OUTCOME", "FREED", "WHAT", "RULE", "WHY"}}
	for i := range h.Acts {
		a := &h.Acts[i]
		why := reasonOf(a)
		row := append(s.cellsOf(a), why.rule, strings.TrimPrefix(a.detail()+"; "+why.text(), "; "))
		rows = append(rows, row)
	}
	lines := report.Columns(rows)
	if s.Width > 0 && slices.ContainsFunc(lines, func(line string) bool { return human.Width(line) > s.Width }) {
		return s.stacked(rows)
	}
	return lines
}

// stacked writes the rows of the wide table with what does not fit, the rule and the reason,
// below each.
func (s Style) stacked(rows [][]string) []string {
	heads := make([][]string, len(rows))
	for i, row := range rows {
		heads[i] = row[:4]
	}
	var lines []string
	for i, head := range report.Columns(heads) {
		lines = append(lines, s.fit(head))
		if i > 0 {
			lines = append(lines, s.wrap(indent, "rule "+rows[i][4]+": "+rows[i][5])...)
		}
	}
	return lines
}

// grouped are the acts in columns, grouped by reason.
func (h *History) grouped(s Style) []string {
	var rows [][]string
	for i := range h.Acts {
		rows = append(rows, s.cellsOf(&h.Acts[i]))
	}
	columns := report.Columns(rows)
	var lines []string
	var t tail
	for _, i := range h.byOwner() {
		lines = append(lines, t.lines(&h.Acts[i], columns[i], s)...)
	}
	return lines
}

// byOwner are the indices of the acts, those of each sweep by owner, and of one owner by reason:
// what one session left is told together, and each reason once. What comes first is in order of
// time.
func (h *History) byOwner() []int {
	n := len(h.Acts)
	order, why := make([]int, n), make([]reason, n)
	owners, reasons := make([]int, n), make([]int, n) // the first act of the sweep with the same
	for i, sweep := 0, 0; i < n; i++ {
		order[i], why[i] = i, reasonOf(&h.Acts[i])
		if h.Acts[i].Sweep == "" || h.Acts[i].Sweep != h.Acts[sweep].Sweep {
			sweep = i
		}
		owners[i] = sweep + slices.IndexFunc(why[sweep:i+1], func(r reason) bool { return r.owner == why[i].owner })
		reasons[i] = sweep + slices.IndexFunc(why[sweep:i+1], func(r reason) bool { return r.same(why[i]) })
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(owners[i], owners[j]), cmp.Compare(reasons[i], reasons[j]))
	})
	return order
}

// tail writes acts as they happen. It repeats a reason only after another.
type tail struct {
	any  bool // something was written
	last reason
}

// next is the lines for one entry; none for an intention.
func (t *tail) next(entry journal.Entry, s Style) []string {
	if entry.Phase != journal.PhaseOutcome {
		return nil
	}
	a := &Act{Entry: entry, Unfinished: entry.Result == journal.ResultUnfinished}
	cells := s.cellsOf(a)
	line := fmt.Sprintf("%s  %-12s  %7s  %s", cells[0], cells[1], cells[2], cells[3])
	if s.Wide {
		why := reasonOf(a)
		whole := line + strings.TrimSuffix("  "+a.detail(), "  ") + "  " + why.rule + "  " + why.text()
		if s.Width <= 0 || human.Width(whole) <= s.Width {
			return []string{whole}
		}
		reason := strings.TrimPrefix(a.detail()+"; "+why.text(), "; ")
		return append([]string{s.fit(line)}, s.wrap(indent, "rule "+why.rule+": "+reason)...)
	}
	return t.lines(a, line, s)
}

// indent is the space before an act below its reason.
const indent = "  "

func (t *tail) lines(a *Act, line string, s Style) []string {
	var lines []string
	why := reasonOf(a)
	if !t.any || !why.same(t.last) {
		if t.any {
			lines = append(lines, "")
		}
		lines = append(lines, s.wrap("", "rule "+why.rule+": "+why.text())...)
		t.any, t.last = true, why
	}
	detail := a.detail()
	if s.isNarrow() {
		lines = append(lines, s.wrap(indent, human.Moment(a.At().Local())+"  "+s.what(a))...)
		detail = a.outcomeInFull()
	} else {
		lines = append(lines, s.fit(indent+line))
	}
	if detail = strings.TrimPrefix(detail+why.sinceUnlike(t.last), "; "); detail != "" {
		lines = append(lines, s.wrap(indent+indent, detail)...)
	}
	return lines
}

// isNarrow reports a terminal without room for the columns: each act has its outcome and the
// memory freed on a line of its own, so that nothing is cut.
func (s Style) isNarrow() bool { return s.Width > 0 && s.Width < 60 }

// outcomeInFull is the outcome with its explanation and the memory freed.
func (a *Act) outcomeInFull() string {
	text := done.Result(a.outcome()).With(a.detail())
	if a.FreedBytes > 0 && !a.Again {
		text += "; " + human.Bytes(a.FreedBytes) + " freed"
	}
	return human.Safe(text)
}

// cellsOf are the cells of a row: when, outcome, memory freed, target.
func (s Style) cellsOf(a *Act) []string {
	freed := ""
	if a.FreedBytes > 0 && !a.Again {
		freed = human.Bytes(a.FreedBytes)
	}
	return []string{human.Moment(a.At().Local()), human.Safe(a.outcome()), freed, s.what(a)}
}

// what is the target's name, and the word by which it can be typed.
func (s Style) what(a *Act) string {
	text := a.Name + " " + ThingOf(&a.Entry).Handle()
	if n := len(a.Tree) + a.TreeOmitted; n > 1 {
		text += " (" + human.Count(n, "process") + ")"
	}
	if a.Kind == string(graph.KindSession) && a.Cwd != "" {
		text += " in " + s.Home.Short(a.Cwd, "")
	}
	return human.Safe(text)
}

// detail is the outcome's explanation, safe to print.
func (a *Act) detail() string {
	if a.Again {
		return done.Together
	}
	return human.Safe(a.Detail)
}

// fit cuts a line to the terminal's width.
func (s Style) fit(line string) string {
	line = strings.TrimRight(line, " ")
	if s.Width <= 0 {
		return line
	}
	return human.Truncate(line, s.Width, "…")
}

// wrap breaks a text into lines of the terminal's width behind a lead; those after
// the first are indented further.
func (s Style) wrap(lead, text string) []string {
	if s.Width <= 0 {
		return []string{lead + text}
	}
	lines := report.Wrap(text, max(s.Width-len(lead+indent+indent), 8))
	for i := range lines {
		if lines[i] = lead + lines[i]; i > 0 {
			lines[i] = indent + indent + lines[i]
		}
	}
	return lines
}

// folded breaks a text into lines of the terminal's width.
func (s Style) folded(text string) []string {
	if s.Width <= 0 {
		return []string{text}
	}
	return report.Wrap(text, s.Width)
}

func writeLines(w io.Writer, lines []string) error {
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}
