package top

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
)

// Options stay the same for the whole life of a model.
type Options struct {
	// UTF8 means that the terminal shows more than ASCII.
	UTF8 bool
	// Location is the zone of the times shown; nil is UTC.
	Location *time.Location
	Home     human.Home // the reader's
	Filter   string
	Sort     Order
	Settle   time.Duration // between the two looks of a stop
}

// Model is the state of the screen and of its reader. It is never changed: [Model.Update] returns a new one.
type Model struct {
	options       Options
	width, height int
	now           time.Time

	account *account.Account // nil before the first look
	things  map[string]*account.Thing
	failure error // why there is no newer account

	filter string
	order  Order
	opened map[string]bool // rows by key, if they are not folded as usual
	rows   []row           // after folding, filter and sort
	cells  cells           // the widths of their columns
	cursor string          // the key of the row under the cursor
	at     int             // its index, in case the row disappears
	first  int             // the first row on the screen

	mode  mode
	page  page // of the modes paging and asking
	note  note // at the foot of the screen
	busy  string
	waits bool // for the plan of a stop
}

// mode decides the meaning of keys.
type mode int

const (
	browsing mode = iota
	typing        // a filter
	paging        // reading a page of text
	asking        // answering whether to carry out a plan
)

// note is one sentence at the foot of the screen, until the next key, but not for longer than noteFor: what
// it says may have changed by then, and it hides the keys.
type note struct {
	text string
	tone Tone
	till time.Time // zero until the note has been shown
}

const noteFor = 8 * time.Second

// New returns a model without an account.
func New(options Options, now time.Time) Model {
	if options.Location == nil {
		options.Location = time.UTC
	}
	return Model{options: options, filter: options.Filter, order: options.Sort, now: now.In(options.Location), width: 80, height: 24}
}

// Update returns the model after a message that arrived at now, with the effect that it asks for.
func (m Model) Update(message Message, now time.Time) (Model, Effect) {
	m.now = now.In(m.options.Location)
	var effect Effect
	switch message := message.(type) {
	case Key:
		m.note = note{}
		m, effect = m.key(message)
	case Pasted:
		if m.mode == typing {
			m = m.types(string(message))
		}
	case Resized:
		m.width, m.height = message.Width, message.Height
	case Seen:
		m, effect = m.see(message)
	case Came:
		m, effect = m.hear(message)
	}
	m.note = m.note.at(m.now)
	if _, isTime := message.(Moment); !isTime { // a time moves no row
		m.rows = m.listed()
		m.cells = m.measured()
	}
	return m.settled(), effect
}

// at returns the note at a moment: none once its time is over.
func (n note) at(now time.Time) note {
	switch {
	case n.text == "":
	case n.till.IsZero():
		n.till = now.Add(noteFor)
	case !now.Before(n.till):
		return note{}
	}
	return n
}

// see takes an account, unless it is older than the one that is shown. A page about one thing is asked for anew.
func (m Model) see(seen Seen) (Model, Effect) {
	m.failure = seen.Err
	a := seen.Account
	if a == nil || m.account != nil && a.TakenAt.Before(m.account.TakenAt) {
		return m, Effect{}
	}
	m.account, m.things = a, a.ByID()
	if m.note.text == looking {
		m.note = note{}
	}
	if m.mode == paging && m.page.word != "" {
		return m, Effect{Do: Explain, Words: []string{m.page.word}}
	}
	return m, Effect{}
}

// hear shows the result of an effect.
func (m Model) hear(came Came) (Model, Effect) {
	switch {
	case came.Do == Explain || came.Do == History:
		return m.hearPage(came), Effect{}
	case came.Do == Look && came.Err == nil:
		return m, Effect{}
	}
	m.busy, m.waits = "", false
	switch {
	case came.GivenUp:
		return m.says("", "Given up: nothing was stopped."), Effect{}
	case came.Err != nil:
		return m.fails(came), Effect{}
	case came.Planned != nil && len(came.Planned.Targets) > 0:
		m.mode, m.page = asking, page{title: came.Planned.Question, plan: came.Planned}
	case came.Planned != nil:
		m = m.shows(page{title: "Nothing is stopped", plan: came.Planned})
	case came.Result != nil:
		m = m.shows(page{title: "What came of it", result: came.Result})
	case came.Text != "":
		m = m.says(Well, came.Text)
	}
	return m, Effect{}
}

// fails says why something was not done, with what helps, and what of it was done.
func (m Model) fails(came Came) Model {
	text := human.Line(came.Text + " " + came.Err.Error())
	var advised *human.Error
	if errors.As(came.Err, &advised) && advised.Hint != "" {
		text += " · " + advised.Hint
	}
	if t := m.things[first(came.Words)]; t != nil && came.Do == Unpin && t.Unpin != "" { // it is pinned by what it belongs to
		text = t.Called() + " stays: " + t.Pinned
	}
	return m.says(Goes, text)
}

func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// says shows a sentence at the foot or, if it is wider than the screen, as a page.
func (m Model) says(tone Tone, text string) Model {
	if human.Width(m.safe(text)) <= m.width {
		m.note = note{text: text, tone: tone}
		return m
	}
	m.mode, m.page = paging, page{text: text}
	return m
}

// shows opens a page, or says what it has to say at the foot if that is one line.
func (m Model) shows(p page) Model {
	before := m.page
	m.page = p
	if lines := m.pageLines(); len(lines) == 1 {
		m.page = before
		return m.says(Well, lines[0])
	}
	m.mode = paging
	return m
}

// open folds or unfolds a row.
func (m Model) open(key string, isOpen bool) Model {
	m.opened = maps.Clone(m.opened)
	if m.opened == nil {
		m.opened = map[string]bool{}
	}
	m.opened[key] = isOpen
	return m
}

// settled puts the cursor on a row that there is, and scrolls to it.
func (m Model) settled() Model {
	m.at = min(max(m.at, 0), max(len(m.rows)-1, 0))
	if at := m.find(m.cursor); at >= 0 {
		m.at = at
	}
	m.cursor = ""
	if len(m.rows) > 0 {
		m.cursor = m.rows[m.at].key
	}
	room := m.room()
	m.first = min(max(m.first, m.at-room+1), m.at)
	m.first = max(0, min(m.first, len(m.rows)-room))
	if m.mode == paging || m.mode == asking {
		m.page.first = max(0, min(m.page.first, len(m.pageLines())-m.pageRoom()))
	}
	return m
}

// find is the index of a row by its key; of several that under the cursor. -1 is none.
func (m Model) find(key string) int {
	is := func(r row) bool { return r.key == key }
	if m.at < len(m.rows) && is(m.rows[m.at]) {
		return m.at
	}
	return slices.IndexFunc(m.rows, is)
}

// Wakes returns when the screen reads differently without any message: when a time on it does, or its note is
// over. Zero: never.
func (m Model) Wakes() time.Time {
	next := m.note.till
	for _, text := range m.texts() {
		for _, part := range text {
			next = earlier(next, changes(part, m.now))
		}
	}
	return next
}

// texts are those on the screen that may name times.
func (m Model) texts() (texts []account.Text) {
	switch {
	case m.account == nil:
	case (m.mode == paging || m.mode == asking) && m.page.explanation != nil:
		texts = append(texts, m.page.explanation.Answer)
		for _, fact := range m.page.explanation.Facts {
			texts = append(texts, fact.Text)
		}
	case m.mode == browsing || m.mode == typing:
		texts = append(texts, m.account.Headline)
		for _, r := range m.shownRows() {
			texts = append(texts, r.state)
		}
	}
	return texts
}

// changes is when a part of a text reads differently; zero for one that does not.
func changes(part account.Part, now time.Time) time.Time {
	switch {
	case !part.Since.IsZero():
		age := now.Sub(part.Since)
		step := human.Step(max(0, age))
		return part.Since.Add(max(0, age).Truncate(step) + step)
	case part.Until.After(now):
		left := human.RoundedUp(part.Until.Sub(now))
		return part.Until.Add(time.Second - left.Truncate(human.Step(left)))
	}
	return time.Time{}
}

// earlier is the earlier of two moments; zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
