package history

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

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

// Write writes the acts. Those of one sweep with the same reason are grouped below it.
// A wide table has the reason of each act.
func (h *History) Write(w io.Writer, s Style) error {
	newest := h.newest()
	text := h.headline()
	if n := len(newest.Acts); n < len(h.Acts) {
		text += " The newest " + human.Number(n) + " of " + human.Count(len(h.Acts), "act") + ":"
	}
	lines := append(s.folded(text), "")
	if s.Wide {
		lines = append(lines, newest.wide(s)...)
	} else {
		lines = append(lines, newest.grouped(s)...)
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
		return h.stacked(rows, s)
	}
	return lines
}

// stacked writes the rows of the wide table with what does not fit, the rule and the reason,
// below each, or all of it below where not even the name of each has room.
func (h *History) stacked(rows [][]string, s Style) []string {
	heads := make([][]string, len(rows))
	for i, row := range rows {
		heads[i] = row[:4]
	}
	columns := report.Columns(heads)
	below := !h.haveRoom(columns[1:], s)
	lines := []string{columns[0]}
	if below {
		lines = nil
	}
	for i := range h.Acts {
		if below {
			lines = append(lines, s.inFull(&h.Acts[i])...)
			continue
		}
		lines = append(lines, s.fit(columns[i+1]))
		lines = append(lines, s.wrap(indent, "rule "+rows[i+1][4]+": "+rows[i+1][5])...)
	}
	return lines
}

// inFull are an act's time and name, and below them all that is known of it.
func (s Style) inFull(a *Act) []string {
	why := reasonOf(a)
	lines := s.wrap("", human.Moment(a.At().Local())+"  "+s.what(a))
	lines = append(lines, s.wrap(indent, a.outcomeWith(a.detail()))...)
	return append(lines, s.wrap(indent, "rule "+why.rule+": "+why.text())...)
}

// haveRoom reports that on the line of each act the word that identifies it is whole.
func (h *History) haveRoom(lines []string, s Style) bool {
	for i := range h.Acts {
		if !s.hasRoom(&h.Acts[i], lines[i]) {
			return false
		}
	}
	return true
}

// grouped are the acts in columns, grouped by reason. Times that the acts of a group do not share are behind
// each or, on a terminal that has no room for that, below it.
func (h *History) grouped(s Style) []string {
	order := h.byOwner()
	heads := h.heads(order)
	var rows, timed [][]string
	times := make([]string, len(h.Acts))
	for i := range h.Acts {
		cells := s.cellsOf(&h.Acts[i])
		times[i] = reasonOf(&h.Acts[i]).timesUnlike(heads[i])
		rows, timed = append(rows, cells), append(timed, append(slices.Clone(cells), times[i]))
	}
	columns := report.Columns(timed)
	if widest := slices.MaxFunc(columns, byWidth); s.Width > 0 && human.Width(indent+widest) > s.Width {
		columns = report.Columns(rows)
	} else {
		clear(times)
	}
	for i := range columns {
		columns[i] = indent + columns[i]
	}
	t := tail{below: !h.haveRoom(columns, s)}
	var lines []string
	for _, i := range order {
		lines = append(lines, t.lines(told{&h.Acts[i], heads[i], columns[i], times[i]}, s)...)
	}
	return lines
}

func byWidth(a, b string) int { return cmp.Compare(human.Width(a), human.Width(b)) }

// heads are the reasons that are written above the acts in this order: of consecutive ones with the same reason
// it is what all of them share.
func (h *History) heads(order []int) []reason {
	heads, why := make([]reason, len(h.Acts)), make([]reason, len(order))
	for at, i := range order {
		why[at] = reasonOf(&h.Acts[i])
	}
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && why[to].same(why[from]) {
			to++
		}
		for _, i := range order[from:to] {
			heads[i] = shared(why[from:to])
		}
		from = to
	}
	return heads
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

// told is an act as it is told: below its reason, in a line that begins with its time, with the times that the
// reason leaves out and the line has no room for.
type told struct {
	act         *Act
	head        reason
	line, times string
}

// tail writes acts as they happen. It repeats a reason only after another.
type tail struct {
	any   bool // something was written
	last  reason
	below bool // each act has its outcome below its name

	begun map[string]time.Time // when the acts began that have not ended, by id
	ended ends
}

// next is the lines for one entry; none for an intention.
func (t *tail) next(entry journal.Entry, s Style) []string {
	if t.begun == nil {
		t.begun, t.ended = map[string]time.Time{}, ends{}
	}
	if entry.Phase != journal.PhaseOutcome {
		t.begun[entry.ID] = entry.Time
		return nil
	}
	a := &Act{Entry: entry, Unfinished: entry.Result == journal.ResultUnfinished, first: cmp.Or(t.begun[entry.ID], entry.Time)}
	if !a.Unfinished { // else its outcome may come yet
		delete(t.begun, entry.ID)
	}
	t.ended.mark(a)
	cells := s.cellsOf(a)
	line := fmt.Sprintf("%s  %-12s  %7s  %s", cells[0], cells[1], cells[2], cells[3])
	if s.Wide {
		why := reasonOf(a)
		whole := line + strings.TrimSuffix("  "+a.detail(), "  ") + "  " + why.rule + "  " + why.text()
		if s.Width <= 0 || human.Width(whole) <= s.Width {
			return []string{whole}
		}
		if !s.hasRoom(a, line) {
			return s.inFull(a)
		}
		reason := strings.TrimPrefix(a.detail()+"; "+why.text(), "; ")
		return append([]string{s.fit(line)}, s.wrap(indent, "rule "+why.rule+": "+reason)...)
	}
	head := reasonOf(a).untimed() // what comes next may share no time
	one := told{a, head, indent + line, reasonOf(a).timesUnlike(head)}
	if timed := one.line + "  " + one.times; one.times != "" && (s.Width <= 0 || human.Width(timed) <= s.Width) {
		one.line, one.times = timed, ""
	}
	return t.lines(one, s)
}

// indent is the space before an act below its reason.
const indent = "  "

func (t *tail) lines(one told, s Style) []string {
	var lines []string
	a := one.act
	if !t.any || !one.head.same(t.last) {
		if t.any {
			lines = append(lines, "")
		}
		lines = append(lines, s.wrap("", "rule "+one.head.rule+": "+one.head.text())...)
		t.any, t.last = true, one.head
	}
	detail := a.news()
	if t.below || !s.hasRoom(a, one.line) {
		lines = append(lines, s.wrap(indent, human.Moment(a.At().Local())+"  "+s.what(a))...)
		detail = a.outcomeWith(detail)
	} else {
		lines = append(lines, s.fit(one.line))
	}
	if one.times != "" {
		detail = strings.TrimPrefix(detail+"; "+one.times, "; ")
	}
	if detail != "" {
		lines = append(lines, s.wrap(indent+indent, detail)...)
	}
	return lines
}
