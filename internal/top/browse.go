package top

import (
	"slices"
	"unicode/utf8"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// keyBrowsing handles keys in the tree.
func (m Model) keyBrowsing(k Key) (Model, Effect) {
	switch k {
	case "q", "ctrl-c":
		return m, Effect{Do: Quit}
	case "/":
		m.mode = typing
	case "esc":
		m.filter = ""
	case "enter":
		return m.opensDetails(), Effect{}
	case "e":
		m.mode, m.page = paging, page{shows: eventsPage, title: "What ended, what was refused, what could not be seen"}
	case "?":
		m.mode, m.page = paging, page{shows: helpPage, title: "Keys"}
	case "s", "S":
		m.order = m.order.after(map[Key]int{"s": 1, "S": -1}[k])
		m.note = note{text: "sorted by " + m.order.String()}
		if m.order == ByTree {
			m.note.text = "in the order of the tree again"
		}
	case "p", "x", "r":
		return m.acts(k)
	default:
		return m.moves(k), Effect{}
	}
	return m, Effect{}
}

// moves handles the keys that move the cursor or unfold a row.
func (m Model) moves(k Key) Model {
	switch k {
	case "up", "k":
		return m.to(m.at - 1)
	case "down", "j":
		return m.to(m.at + 1)
	case "pgup":
		return m.to(m.at - m.room())
	case "pgdn":
		return m.to(m.at + m.room())
	case "home", "g":
		return m.to(0)
	case "end", "G":
		return m.to(len(m.rows))
	case "n":
		return m.toMatter(1)
	case "N":
		return m.toMatter(-1)
	case "right", "l", "left", "h", " ":
		return m.folds(k)
	case "+":
		return m.foldsAll(things)
	case "-":
		return m.foldsAll(folded)
	}
	return m
}

// to moves the cursor to another row.
func (m Model) to(at int) Model {
	m.at, m.cursor = at, ""
	return m
}

// toMatter moves to the next (step 1) or previous (step -1) thing that leaks, that its rule reports or that
// one stops, and unfolds what hides it: there p and x mean that thing alone. It wraps around at the ends.
func (m Model) toMatter(step int) Model {
	whole := m.unfoldedWhole()
	rows := whole.listed()
	from := slices.IndexFunc(rows, func(r row) bool { return r.key == m.cursor })
	if from < 0 && step < 0 {
		from = 0
	}
	for i := range rows {
		at := ((from+step*(i+1))%len(rows) + len(rows)) % len(rows)
		if m.isMatter(rows[at]) {
			return m.revealed(rows, at)
		}
	}
	m.note = note{text: "nothing here leaks or is reported"}
	if n := m.tree.Totals.IdleSessions; n > 0 {
		m.note.text += "; " + human.Count(n, "session") + " " + human.Are(n) + " idle"
	}
	return m
}

// isMatter reports a thing that has a finding or that nobody has any more, also where something keeps it, or
// that a rule stops. An idle session is one only if a rule stops it.
func (m Model) isMatter(r row) bool {
	switch n := r.node; {
	case n == nil:
		return false
	case n.Target != "" && n.Owner.Liveness == graph.LivenessGone:
		return true
	case rankOf(n.State) >= rankOf(overview.StateReported), n.State == overview.StateIdle && !n.Next.AheadAt.IsZero():
		return true
	default:
		return !m.teller().Words(n, r.place).Due.IsZero()
	}
}

// unfoldedWhole is the model with every folded row unfolded.
func (m Model) unfoldedWhole() Model {
	for i := range m.tree.Branches {
		m = m.unfolds(headKey(m.tree.Branches[i].Name), things)
	}
	m.tree.Walk(func(n *overview.Node, _ int) bool {
		if _, other := split(n.Children); len(other) > 0 {
			m = m.unfolds(n.Key, usual(n))
		}
		return true
	})
	return m
}

// unfolds unfolds a row of which it is usual to be unfolded so far, if it is folded.
func (m Model) unfolds(key string, usual depth) Model {
	if m.openOf(key, usual) > folded {
		return m
	}
	return m.open(key, things)
}

// revealed moves the cursor to one of the rows of a tree that is unfolded, and unfolds what is above it.
func (m Model) revealed(rows []row, at int) Model {
	target := rows[at]
	for above := at - 1; above >= 0; above-- {
		switch r := rows[above]; {
		case r.node == nil:
			m = m.unfolds(r.key, things)
			m.cursor = rows[at].key
			return m
		case len(r.trunk) < len(target.trunk):
			m, target = m.unfolds(r.key, usual(r.node)), r
		}
	}
	m.cursor = rows[at].key
	return m
}

// row returns the row under the cursor.
func (m Model) row() (row, bool) {
	rows := m.rows
	if len(rows) == 0 {
		return row{}, false
	}
	return rows[min(m.at, len(rows)-1)], true
}

// folds unfolds a row by one step, or folds it. On a folded row, left moves to the row's
// parent.
func (m Model) folds(k Key) Model {
	r, there := m.row()
	switch {
	case !there:
	case k == " " && r.open == folded, k == "right", k == "l":
		return m.open(r.key, r.deeper())
	case r.open > folded:
		return m.open(r.key, folded)
	case k != " ":
		return m.to(m.above(r))
	}
	return m
}

// deeper returns how far a row is unfolded after one more step. A row with processes
// alone shows them at once.
func (r row) deeper() depth {
	if r.node != nil {
		if _, other := split(r.node.Children); len(other) == 0 {
			return r.most
		}
	}
	return min(r.open+1, r.most)
}

// above returns the index of a row's parent.
func (m Model) above(r row) int {
	rows := m.rows
	for at := min(m.at, len(rows)-1); at >= 0; at-- {
		if rows[at].node == nil || r.node != nil && len(rows[at].trunk) < len(r.trunk) {
			return at
		}
	}
	return m.at
}

// foldsAll unfolds everything, headings too, or folds everything but these.
func (m Model) foldsAll(d depth) Model {
	for i := range m.tree.Branches {
		if d > folded {
			m = m.open(headKey(m.tree.Branches[i].Name), d)
		}
	}
	m.tree.Walk(func(n *overview.Node, _ int) bool {
		if _, other := split(n.Children); len(other) > 0 {
			m = m.open(n.Key, d)
		}
		return true
	})
	return m
}

// keyTyping handles keys in the line of the filter.
func (m Model) keyTyping(k Key) (Model, Effect) {
	switch k {
	case "enter", "up", "down":
		m.mode = browsing
	case "esc", "ctrl-c":
		m.mode, m.filter = browsing, ""
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(m.filter)
		m.filter = m.filter[:len(m.filter)-size]
	case "ctrl-u":
		m.filter = ""
	default:
		if utf8.RuneCountInString(string(k)) == 1 {
			m = m.types(string(k))
		}
	}
	return m, Effect{}
}

// mostFilter is the limit for the filter, in bytes.
const mostFilter = 200

// types adds to the filter, and moves to the first row that matches.
func (m Model) types(text string) Model {
	if len(m.filter)+len(text) > mostFilter {
		return m
	}
	m.filter += m.safe(text)
	for at, r := range m.listed() {
		if r.node != nil && m.matches(level{branch: r.branch, place: r.place}, r.node) {
			return m.to(at)
		}
	}
	return m
}
