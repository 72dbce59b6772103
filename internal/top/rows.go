package top

import (
	"cmp"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
)

// row is one line of the tree: the heading of a section, a row of the account, or a thing in that row.
type row struct {
	key     string // the id of the thing that it is, so that the cursor stays on that; else a name of its own
	above   string // the key of the row above a thing
	section account.Fate
	of      *account.Row   // nil for a heading
	thing   *account.Thing // what the line itself is, if it is one thing
	below   []*account.Thing
	isThing bool // a thing below a row
	folds   bool
	isOpen  bool

	title, place string
	state        account.Text
	servers      int
	memory       uint64
	tone         Tone
}

// fewBelow is the most things below a row that is unfolded at first.
const fewBelow = 4

// listed returns the rows after folding, filter and sort.
func (m Model) listed() (rows []row) {
	if m.account == nil {
		return nil
	}
	for _, section := range m.account.Sections {
		head := row{key: string(section.Fate), section: section.Fate, title: strings.ToUpper(string(section.Fate)), folds: true}
		head.isOpen = m.isOpen(head.key, true) || m.filter != ""
		var under []row
		for _, r := range m.rowsOf(section) {
			if r.thing != nil {
				head.below = append(head.below, r.thing)
			}
			head.below = append(head.below, r.below...)
			head.servers, head.memory = head.servers+r.servers, head.memory+r.memory
			under = append(append(under, r), m.thingsOf(r)...)
		}
		if len(under) == 0 {
			continue
		}
		rows = append(rows, head)
		if head.isOpen {
			rows = append(rows, under...)
		}
	}
	return rows
}

// rowsOf are the rows of a section that the filter shows.
func (m Model) rowsOf(section account.Section) (rows []row) {
	for i := range section.Rows {
		of := &section.Rows[i]
		r := row{key: of.ID, section: section.Fate, of: of, title: of.Title, place: m.options.Home.Short(of.Place), state: of.State, servers: of.Servers, memory: of.MemoryBytes}
		for _, id := range of.Things {
			switch t := m.things[id]; {
			case t.ID == of.ID || r.thing == nil && t.Called() == of.Title:
				r.thing, r.key = t, t.ID
			case !t.Held: // a container is shown as its docker run
				r.below = append(r.below, t)
			}
		}
		itself := m.matches(&r)
		if !itself {
			r.below = slices.DeleteFunc(r.below, func(t *account.Thing) bool { return !m.matches(m.thingRow(&r, t)) })
			r.servers, r.memory = len(r.below), 0
			for _, t := range r.below {
				r.memory += t.MemoryBytes
			}
		}
		r.folds, r.tone = len(r.below) > 0, toneOf(&r)
		r.isOpen = m.isOpen(r.key, !itself || len(r.below) <= fewBelow)
		if itself || r.folds {
			rows = append(rows, r)
		}
	}
	return m.sorted(rows)
}

// thingsOf are the rows below a row that is unfolded.
func (m Model) thingsOf(r row) (rows []row) {
	if !r.isOpen {
		return nil
	}
	for _, t := range r.below {
		rows = append(rows, *m.thingRow(&r, t))
	}
	return m.sorted(rows)
}

func (m Model) thingRow(above *row, t *account.Thing) *row {
	r := &row{key: t.ID, above: above.key, section: above.section, of: above.of, thing: t, isThing: true, title: t.Called(), place: m.command(t), state: m.account.State(t), memory: t.MemoryBytes}
	r.tone = toneOf(r)
	return r
}

// command is a thing's image or command line.
func (m Model) command(t *account.Thing) string {
	if t.Image != "" {
		return t.Image
	}
	return m.options.Home.Command(t.Argv)
}

// toneOf is the colour of a row's state.
func toneOf(r *row) Tone {
	switch {
	case r.thing != nil && r.thing.Fate == account.Ending:
		return Goes
	case isWrong(r.thing), slices.ContainsFunc(r.below, isWrong):
		return Waits
	case r.section == account.InUse:
		return Well
	}
	return ""
}

// isWrong reports a thing to which a person goes with n: it leaks, is kept, or a rule stops it.
func isWrong(t *account.Thing) bool {
	return t != nil && (t.Fate != account.InUse && t.Fate != account.Idle || !t.DueAt.IsZero() || t.Rule != "")
}

func (m Model) isOpen(key string, usual bool) bool {
	if isOpen, set := m.opened[key]; set {
		return isOpen
	}
	return usual
}

// matches reports that each word of the filter occurs in a text of a row, of its thing, or of the containers
// that are shown as that.
func (m Model) matches(r *row) bool {
	if m.filter == "" {
		return true
	}
	texts := []string{string(r.section), r.title, r.place, r.of.Word}
	if !r.isThing {
		texts = append(texts, r.of.Place)
	}
	for _, part := range r.state { // without times: who looks for a PID does not mean them
		texts = append(texts, part.Text)
	}
	if t := r.thing; t != nil {
		texts = append(texts, textsOf(t)...)
		for _, id := range t.Containers {
			texts = append(texts, textsOf(cmp.Or(m.things[id], &account.Thing{}))...)
		}
	}
	all := strings.ToLower(m.safe(strings.Join(texts, " "))) // as it was typed
	for word := range strings.FieldsSeq(strings.ToLower(m.filter)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

func textsOf(t *account.Thing) []string {
	return append([]string{t.Name, t.ID, t.ContainerID, t.Container, t.Image, t.Cwd, t.User, t.Owner.String(), string(t.Kind), string(t.Fate), string(t.Finding), t.Rule, t.Why}, t.Argv...)
}

// cells are the widths of the columns of the tree; zero is none.
type cells struct{ title, left, state, servers, memory int }

// The widths of the columns to the right, of the longest title that has its folder in a column, of a state that is hardly ever cut, and the least of what is left of
// those to the right.
const (
	serverCells = 8
	memoryCells = 9
	titleCells  = 20
	stateCells  = 28
	leastRoom   = 40
)

// measured are the widths of the columns: command lines are cut first, then long states, then folders.
func (m Model) measured() cells {
	c := cells{memory: memoryCells, servers: serverCells, left: m.width}
	for i := range m.rows {
		if r := &m.rows[i]; r.of != nil && !r.isThing {
			c.title = max(c.title, min(titleCells, human.Width(m.safe(m.lead(r)+r.title))))
		}
	}
	whole, wanted, state := 0, 0, 0
	for i := range m.rows {
		r := m.rows[i]
		state, whole = max(state, human.Width(m.safe(m.text(r.state)))), max(whole, human.Width(m.left(&r, c)))
		if r.isThing {
			r.place = ""
		}
		wanted = max(wanted, human.Width(m.left(&r, c)))
	}
	room := m.width - c.memory - c.servers
	if room < leastRoom {
		room, c.servers = room+c.servers, 0
	}
	room = max(0, room-gap)
	c.left = min(whole, room-min(state, max(min(stateCells, room/2), room-wanted)))
	c.state = room - c.left
	return c
}

// gap is the number of cells between columns.
const gap = 2

// lead is the sign in front of a row's title.
func (m Model) lead(r *row) string {
	sign := "  "
	switch {
	case r.folds && r.isOpen:
		sign = m.either("▾ ", "- ")
	case r.folds:
		sign = m.either("▸ ", "+ ")
	}
	switch {
	case r.of == nil:
		return sign
	case r.isThing:
		return "    " + sign
	}
	return "  " + sign
}

// left is a row's title with its folder or command line.
func (m Model) left(r *row, c cells) string {
	title := m.safe(m.lead(r) + r.title)
	if r.place == "" {
		return title
	}
	if !r.isThing {
		title = human.Left(title, min(c.title, c.left))
	}
	return title + strings.Repeat(" ", gap) + m.safe(r.place)
}
