package top

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// page is text that covers the whole screen.
type page struct {
	title string
	shows pageKind
	fixed text   // of pages with a fixed text
	about string // the key of the node whose details it shows
	// missing is the first look without that node; zero: none.
	missing time.Time
	first   int // the first line on the screen
}

type pageKind int

const (
	textPage pageKind = iota
	detailsPage
	eventsPage
	helpPage
)

// text is paragraphs, each of one line or more.
type text [][]Line

// said turns lines into paragraphs of one line without style.
func said(lines []string) text {
	var all text
	for _, line := range lines {
		all = append(all, []Line{plain(line)})
	}
	return all
}

// keyPaging handles keys on a page.
func (m Model) keyPaging(k Key) (Model, Effect) {
	switch k {
	case "q", "esc", "enter", "ctrl-c", "left", "h":
		m.mode = browsing
		return m, Effect{}
	case "?", "e":
		if k == (map[pageKind]Key{helpPage: "?", eventsPage: "e"})[m.page.shows] { // the key that opened it
			m.mode = browsing
			return m, Effect{}
		}
	case "p", "x":
		if m.page.shows == detailsPage {
			return m.acts(k)
		}
	}
	if isForRows(k) {
		m.note = note{text: "esc first goes back to the rows", tone: overview.ToneWaits}
		return m, Effect{}
	}
	return m.scrolled(k), Effect{}
}

// isForRows reports whether a key means something among the rows, and nothing on a page.
func isForRows(k Key) bool {
	return slices.Contains([]Key{"/", "?", "e", "n", "N", "p", "r", "s", "S", "x", "+", "-"}, k)
}

// after returns the page after a look: details remember the first one without their node.
func (p page) after(tree *overview.Tree) page {
	switch {
	case p.shows != detailsPage:
	case tree.Find(p.about) != nil:
		p.missing = time.Time{}
	case p.missing.IsZero():
		p.missing = tree.At
	}
	return p
}

// scrolled returns the model after a key that scrolls its page.
func (m Model) scrolled(k Key) Model {
	switch k {
	case "up", "k":
		m.page.first--
	case "down", "j":
		m.page.first++
	case "pgup":
		m.page.first -= m.pageRoom()
	case "pgdn", " ":
		m.page.first = m.pageEnd()
	case "home", "g":
		m.page.first = 0
	case "end", "G":
		m.page.first += 1 << 20
	}
	return m
}

// opensDetails opens the page with the details of the row.
func (m Model) opensDetails() Model {
	r, there := m.row()
	switch {
	case !there:
	case r.node == nil:
		return m.folds(" ")
	default:
		m.mode, m.page = paging, page{title: r.node.Title(), shows: detailsPage, about: r.key}
	}
	return m
}

// pageText returns the text of the page, no line of it wider than the screen.
func (m Model) pageText() text {
	switch m.page.shows {
	case detailsPage:
		return m.details()
	case eventsPage:
		return m.events()
	case helpPage:
		return m.help()
	case textPage:
	}
	return m.page.fixed
}

func (m Model) pageLines() []Line { return slices.Concat(m.pageText()...) }

// pageRoom returns how many lines of a page the screen has room for, whatever the foot
// counts.
func (m Model) pageRoom() int {
	return max(m.height-len(m.pageTitle())-len(m.pageFoot(len(m.pageLines()))), 1)
}

// pageEnd returns the line behind the last one that the screen shows of the page. A paragraph
// that the screen would cut is left to the next screen, unless that leaves half of this one
// empty.
func (m Model) pageEnd() int {
	first, room, begin := m.page.first, m.pageRoom(), 0
	for _, paragraph := range m.pageText() {
		end := begin + len(paragraph)
		switch {
		case end <= first+room:
		case begin > first+room/2:
			return begin
		default:
			return first + room
		}
		begin = end
	}
	return begin
}

func (m Model) pageFrame() []Line {
	all := m.pageLines()
	first, end := min(m.page.first, len(all)), m.pageEnd()
	return m.onFoot(append(m.pageTitle(), all[first:max(first, end)]...), m.pageFoot(len(all)-end))
}

// pageTitle is the title of the page with an empty line below it.
func (m Model) pageTitle() []Line {
	title := m.page.title
	if m.page.shows == detailsPage {
		title = m.detailsTitle()
	}
	return append(m.wrapped(Line{{Text: title, Style: Style{Bold: true}}}), nil)
}

// pageFoot shows the keys, and that there are so many more lines.
func (m Model) pageFoot(rest int) []Line {
	keys := m.pageKeys(rest)
	if m.answers() {
		return m.beside(m.answer(), func(int) string { return keys })
	}
	return m.wrapped(Line{{Text: keys, Style: Style{Bold: m.mode == asking}}})
}

// pageKeys are the keys of a page, and how many lines follow.
func (m Model) pageKeys(rest int) string {
	text := "esc back"
	switch {
	case m.mode == asking:
		text = m.page.title + "  y yes, n no"
	case m.page.shows == detailsPage:
		text = strings.Join(append([]string{text}, m.deeds()...), "  ")
	}
	if rest > 0 {
		text += "  " + m.either("↓", "down") + " " + human.Count(rest, "more line")
	}
	return text
}
