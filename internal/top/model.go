package top

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// Options stay the same for the whole life of a model.
type Options struct {
	// UTF8 means that the terminal shows more than ASCII.
	UTF8 bool
	// Location is the zone of the times shown; nil is UTC.
	Location *time.Location
	// Root means that root reads: nobody may see more.
	Root bool
	// Home is the reader's home folder.
	Home   human.Home
	Filter string
	Sort   Order
	// Settle is the time between the two looks at the start of a stop, if the tree is a
	// daemon's.
	Settle time.Duration
}

// Model is the state of the screen and of its reader. It is never changed: [Model.Update]
// returns a new one.
type Model struct {
	options       Options
	width, height int
	now           time.Time

	tree    overview.Tree
	from    Source
	looked  bool  // a look has arrived
	failure error // why there is no newer look

	filter string
	order  Order
	opened map[string]depth // by key, if it differs from [usual]
	rows   []row            // the rows of the tree after folding, filter and sort
	cursor string           // the key of the row under the cursor
	at     int              // its index, in case the row disappears
	first  int              // the first row on the screen

	mode mode
	page page // the page of modes paging and asking
	note note // at the foot of the screen
	busy string
	// waits means that a stop has not asked its question yet. asksAt is about when it
	// will; zero: at once.
	waits  bool
	asksAt time.Time
	// mine has the targets of the reader's pins, by the last look and the keys since then.
	mine     map[string]bool
	pinTexts map[string]string // as in the last look
	// begun has the targets that p has pinned.
	begun map[string]bool
	// ownMode, fileMode, noRoomIn and reader are as in the last look.
	ownMode  policy.Mode
	fileMode policy.Mode
	noRoomIn string
	reader   string
}

// mode decides the meaning of keys.
type mode int

const (
	browsing mode = iota
	typing        // typing a filter
	paging        // reading a page of text
	asking        // answering whether to act on a plan
)

// note is one sentence at the foot of the screen, until the next key, but not for longer than
// noteFor: what it says may have changed by then, and it hides the keys.
type note struct {
	text string
	tone Tone
	till time.Time // zero until the note has been shown
}

const noteFor = 8 * time.Second

// New returns a model without a tree.
func New(options Options, now time.Time) Model {
	if options.Location == nil {
		options.Location = time.UTC
	}
	return Model{options: options, filter: options.Filter, order: options.Sort, now: now, width: 80, height: 24}
}

// Update returns the model after a message that arrived at now, with the effect that it
// asks for.
func (m Model) Update(message Message, now time.Time) (Model, Effect) {
	m.now = now
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
		m = m.see(message)
	case Question:
		m = m.asked(message)
	case Said:
		m = m.hear(message)
	}
	m.note = m.note.at(now)
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

// asked shows a plan, unless the reader has given it up.
func (m Model) asked(question Question) Model {
	if m.waits {
		m.busy, m.mode, m.waits = "", asking, false
		m.page = page{title: question.Asks, fixed: said(question.Plan)}
	}
	return m
}

// key returns the model after a key.
func (m Model) key(k Key) (Model, Effect) {
	switch k {
	case "ctrl-z":
		return m, Effect{Do: Suspend}
	case "ctrl-l":
		return m, Effect{Do: Redraw}
	}
	if m.waits {
		return m.keyWaiting(k)
	}
	switch m.mode {
	case typing:
		return m.keyTyping(k)
	case paging:
		return m.keyPaging(k)
	case asking:
		return m.keyAsking(k)
	}
	return m.keyBrowsing(k)
}

func (m Model) see(seen Seen) Model {
	m.failure = seen.Err
	if m.note.text == looking && (seen.Err != nil || !seen.Tree.At.Equal(m.tree.At)) {
		m.note = note{}
	}
	if seen.Err == nil {
		if m.looked && seen.From != Daemon {
			seen.Tree = seen.Tree.Continue(&m.tree)
		}
		m.tree, m.from, m.looked = seen.Tree, seen.From, true
		m.page = m.page.after(&m.tree)
		m.ownMode, m.fileMode, m.noRoomIn = seen.Mode, seen.FileMode, seen.NoRoomIn
		m.reader = seen.User
		m.mine, m.pinTexts = map[string]bool{}, seen.PinTexts
		for _, target := range seen.Pins {
			m.mine[target] = true
		}
	}
	return m
}

// hear shows the result of an effect: one line at the foot, several as a page.
func (m Model) hear(what Said) Model {
	title := cameOfIt
	if m.waits {
		title = noQuestion
	}
	m.busy, m.waits = "", false
	if m.mode == asking {
		m.mode = browsing
	}
	if what.Err == nil {
		m = m.pinned(what.Effect)
		what.Lines = m.withEnd(what, m.withSession(what))
	}
	switch {
	case what.GivenUp:
		m.note = note{text: "Given up: nothing was stopped."}
	case what.Err != nil && strings.Contains(what.Err.Error(), "\n"):
		m.mode, m.page = paging, page{title: title, fixed: m.inLines(what.Err)}
	case what.Err != nil:
		m = m.tells(notDone, note{text: notDone + ": " + what.Err.Error(), tone: overview.ToneGoes})
	case len(what.Lines) == 1:
		m = m.tells(title, note{text: what.Lines[0], tone: overview.ToneLives})
	case len(what.Lines) > 1:
		m.mode, m.page = paging, page{title: title, fixed: said(what.Lines)}
	}
	return m
}

// inLines are the lines of an error, each broken at the width of the screen.
func (m Model) inLines(err error) (lines text) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		lines = append(lines, slices.Concat(said(human.Lines(m.safe(line), m.width))...))
	}
	return lines
}

// Titles of the page with the result of an effect: noQuestion is that of a stop that had
// nothing to ask about.
const (
	notDone    = "Not done"
	cameOfIt   = "What came of it"
	noQuestion = "Nothing is stopped"
)

// tells shows one sentence at the foot, or as a page if it is wider than the screen.
func (m Model) tells(title string, n note) Model {
	if human.Width(m.safe(n.text)) <= m.width {
		m.note = n
		return m
	}
	text := strings.TrimPrefix(n.text, title+": ")
	m.mode, m.page = paging, page{title: title, fixed: said(human.Lines(m.safe(text), m.width))}
	return m
}

// open sets how far a node is unfolded.
func (m Model) open(key string, d depth) Model {
	m.opened = maps.Clone(m.opened)
	if m.opened == nil {
		m.opened = map[string]depth{}
	}
	m.opened[key] = d
	return m
}

// settled lists the rows, puts the cursor on an existing row, and scrolls to it.
func (m Model) settled() Model {
	m.rows = m.listed()
	rows := m.rows
	m.at = min(max(m.at, 0), max(len(rows)-1, 0))
	for i := range rows {
		if rows[i].key == m.cursor {
			m.at = i
			break
		}
	}
	m.cursor = ""
	if len(rows) > 0 {
		m.cursor = rows[m.at].key
	}
	room := m.room()
	m.first = min(max(m.first, m.at-room+1), m.at)
	m.first = max(0, min(m.first, len(rows)-room))
	m.page.first = max(0, min(m.page.first, len(m.pageLines())-m.pageRoom()))
	return m
}

// Wakes returns when the screen changes without any message: at the next second of a
// countdown on it, when an age on it changes, or when x may stop the session under the cursor. Zero: never.
func (m Model) Wakes() time.Time {
	_, later := m.dueNow(m.tree.Branches)
	counts := []time.Time{m.soonest(m.tree.Branches), later}
	if m.waits {
		counts = append(counts, m.untilAsked())
	}
	for _, session := range m.soon() {
		counts = append(counts, m.ahead(session.Next.AheadAt))
	}
	for _, r := range m.shownRows() {
		counts = append(counts, m.counts(r))
	}
	next := m.note.till
	if at := m.idlesAt(m.chosen().node); at.After(m.now) {
		next = earlier(next, at)
	}
	for _, due := range counts {
		next = earlier(next, m.changes(due))
	}
	for _, since := range m.countsUp() {
		next = earlier(next, m.ages(since))
	}
	return next
}

// earlier is the earlier of two moments; zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
