package top

import (
	"slices"
	"unicode/utf8"

	"github.com/reaperd/reaperd/internal/account"
)

// key returns the model after a key.
func (m Model) key(k Key) (Model, Effect) {
	switch {
	case k == "ctrl-z":
		return m, Effect{Do: Suspend}
	case k == "ctrl-l":
		return m, Effect{Do: Redraw}
	case m.waits && (k == "esc" || k == "q" || k == "ctrl-c"):
		m.waits, m.busy = false, "giving up"
		return m, Effect{Do: GiveUp}
	case m.waits:
		return m.says(Waits, "first the question; esc gives it up"), Effect{}
	}
	switch m.mode {
	case typing:
		return m.keyTyping(k), Effect{}
	case paging:
		return m.keyPaging(k)
	case asking:
		return m.keyAsking(k)
	}
	return m.keyBrowsing(k)
}

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
		return m.opensDetails()
	case "e":
		return m, Effect{Do: History}
	case "?":
		m.mode, m.page = paging, page{title: "Keys", opener: "?", text: help}
	case "s":
		m.order = m.order.next()
		m = m.says("", "sorted by "+m.order.String())
	case "p", "x", "r", "P":
		return m.acts(k)
	default:
		return m.moves(k), Effect{}
	}
	return m, Effect{}
}

// looking is the note from the key r to the next look.
const looking = "looking"

// acts handles the keys that ask for something to be done.
func (m Model) acts(k Key) (Model, Effect) {
	c := m.chosen()
	switch {
	case m.busy != "":
		return m.says("", "one thing after the other: "+m.busy), Effect{}
	case m.account == nil || k == "r":
		return m.says("", looking), Effect{Do: Look}
	case k == "P" && m.account.Decider.Rests == account.Paused:
		m.busy = "ending the pause"
		return m, Effect{Do: Resume}
	case k == "P":
		m.busy = "pausing"
		return m, Effect{Do: Pause}
	case len(c.ids) == 0:
		return m.says(Waits, "go to a session, a server or a container first"), Effect{}
	case k == "p":
		return m.pins(c)
	}
	return m.stops(c)
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
		return m.toNext()
	case "right", "l", "left", "h", " ":
		return m.folds(k)
	case "+", "-":
		return m.foldsAll(k == "+")
	}
	return m
}

// to moves the cursor to another row.
func (m Model) to(at int) Model {
	m.at, m.cursor = at, ""
	return m
}

// toNext moves to the next thing that leaks, is kept, or that a rule stops or reports, and unfolds what hides it.
// Behind the last comes the first.
func (m Model) toNext() Model {
	rows := m.foldsAll(true).listed()
	at := 0
	for i := range rows {
		if rows[i].key == m.cursor {
			at = i
		}
	}
	for i := range rows {
		r := rows[(at+i+1)%len(rows)]
		if r.of == nil || !isWrong(r.thing) {
			continue
		}
		m = m.open(string(r.section), true)
		if r.isThing {
			m = m.open(r.above, true)
		}
		m.cursor, m.at = r.key, 0
		return m
	}
	return m.says("", "nothing here leaks or is kept")
}

// row returns the row under the cursor.
func (m Model) row() (row, bool) {
	if len(m.rows) == 0 {
		return row{}, false
	}
	return m.rows[min(m.at, len(m.rows)-1)], true
}

// folds unfolds a row, or folds it. On one that is folded, left moves to the row above it.
func (m Model) folds(k Key) Model {
	r, there := m.row()
	isRight := k == "right" || k == "l"
	switch {
	case !there:
	case r.folds && (k == " " || r.isOpen != isRight):
		return m.open(r.key, !r.isOpen)
	case !isRight && k != " ":
		for at := m.at; at >= 0; at-- {
			if m.rows[at].of == nil || r.isThing && !m.rows[at].isThing {
				return m.to(at)
			}
		}
	}
	return m
}

// foldsAll unfolds everything, or folds everything but the headings.
func (m Model) foldsAll(isOpen bool) Model {
	if m.account == nil {
		return m
	}
	for _, section := range m.account.Sections {
		m = m.open(string(section.Fate), true)
		for _, r := range m.rowsOf(section) {
			m = m.open(r.key, isOpen)
		}
	}
	return m
}

// opensDetails asks for all that is known of a row. A heading folds.
func (m Model) opensDetails() (Model, Effect) {
	r, there := m.row()
	switch {
	case !there:
		return m, Effect{}
	case r.of == nil:
		return m.folds(" "), Effect{}
	}
	word := r.of.Word
	if session := m.session(&r); session != nil {
		word = session.ID
	} else if r.thing != nil {
		word = r.thing.ID
	}
	if word == "" {
		return m.folds(" "), Effect{}
	}
	m.page = page{key: r.key, word: word}
	return m, Effect{Do: Explain, Words: []string{word}}
}

// keyTyping handles keys in the line of the filter.
func (m Model) keyTyping(k Key) Model {
	switch k {
	case "enter":
		m.mode = browsing
	case "esc", "ctrl-c":
		m.mode, m.filter = browsing, ""
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(m.filter)
		m.filter = m.filter[:len(m.filter)-size]
	case "ctrl-u":
		m.filter = ""
	case "up", "down", "pgup", "pgdn":
		return m.moves(k)
	default:
		if utf8.RuneCountInString(string(k)) == 1 {
			return m.types(string(k))
		}
	}
	return m
}

// mostTyped is the length of the longest filter, in bytes.
const mostTyped = 200

// types adds text to the filter, and moves to the first row that it shows.
func (m Model) types(text string) Model {
	if len(m.filter)+len(text) > mostTyped {
		return m
	}
	m.filter += m.safe(text)
	return m.to(slices.IndexFunc(m.listed(), func(r row) bool { return r.of != nil && m.matches(&r) }))
}

// keyPaging handles keys on a page.
func (m Model) keyPaging(k Key) (Model, Effect) {
	switch {
	case k == "q", k == "esc", k == "enter", k == "ctrl-c", k == "left", k == "h", k == m.page.opener:
		m.mode, m.page = browsing, page{}
		return m, Effect{}
	case m.page.word != "" && (k == "p" || k == "x"):
		return m.acts(k)
	}
	return m.scrolled(k), Effect{}
}

// keyAsking handles keys while a plan waits for an answer: only y means yes.
func (m Model) keyAsking(k Key) (Model, Effect) {
	switch k {
	case "y", "Y":
		plan := m.page.plan
		m.mode, m.page, m.busy = browsing, page{}, "stopping"
		return m, Effect{Do: Act, Plan: plan}
	case "n", "N", "esc", "enter", "q", "ctrl-c":
		m.mode, m.page = browsing, page{}
		return m.says("", "Nothing stopped."), Effect{}
	}
	return m.scrolled(k), Effect{}
}
