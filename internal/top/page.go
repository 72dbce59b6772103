package top

import (
	"io"
	"strings"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/screen"
)

// page is text that covers the whole screen.
type page struct {
	title  string
	opener Key // that also closes it
	first  int // the first line on the screen
	// One of these is what it shows.
	text        string
	explanation *account.Explanation
	history     *account.History
	plan        *account.Plan
	result      *account.Result
	// word is what an explanation is asked for by, and key the row that it is about.
	word, key string
}

// help are the keys.
const help = `enter      all that is known of a row: evidence, guards, rule, what would be done
p          pin: it stays, whatever the policy says; p again ends that. On a row of several: all of them
x          stop, by the plan of reaperd sweep, after a question. What is in use stays
P          pause for an hour: nothing is stopped; P again ends that
/          show only what has these words in a name, command, PID, owner or state; esc ends it
n          the next that leaks, is kept, or is stopped by a rule
s          sort by memory, cpu, age, state, name, and back
space      fold and unfold; so do right and left
+ -        unfold, or fold, everything
g G        the first row, the last row
e          what was stopped in the last day
r          look now
ctrl-z     suspend; fg comes back
q          quit`

// hearPage opens a page that was asked for, or shows newer contents of it. One that was closed stays closed.
func (m Model) hearPage(came Came) Model {
	switch {
	case came.Err != nil && m.mode == browsing:
		return m.fails(came)
	case came.Err != nil, m.mode == asking, m.mode == typing:
	case came.History != nil && m.mode == browsing:
		m.mode, m.page = paging, page{title: "The last day", opener: "e", history: came.History}
	case came.Explanation != nil && m.page.word == first(came.Words):
		m.mode, m.page.explanation = paging, came.Explanation
	}
	return m
}

// pageLines are the lines of the page, none wider than the screen.
func (m Model) pageLines() []string {
	o := screen.Options{Width: max(m.width, leastPage), UTF8: m.options.UTF8, Home: m.options.Home, Now: m.now, Location: m.options.Location, Asks: m.mode == asking, Terminal: true}
	var b strings.Builder
	switch p := m.page; {
	case p.explanation != nil:
		_ = screen.Explain(&b, p.explanation, o) // a builder takes everything
	case p.history != nil:
		_ = screen.History(&b, p.history, o)
	case p.plan != nil:
		_ = screen.Plan(&b, p.plan, o)
	case p.result != nil:
		_ = screen.Result(&b, p.result, o)
	default:
		for line := range strings.SplitSeq(p.text, "\n") {
			_, _ = io.WriteString(&b, strings.Join(m.paragraph(line), "\n")+"\n")
		}
	}
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
}

// leastPage is the width of the narrowest page; a narrower screen cuts it.
const leastPage = 20

// helpCells is the width of the keys in the help.
const helpCells = 11

// paragraph are the lines of a line of text. That of a key of the help hangs behind it.
func (m Model) paragraph(line string) []string {
	if m.page.opener == "?" {
		return human.Hang(line[:helpCells], line[helpCells:], max(m.width, leastPage))
	}
	return human.Wrap(m.safe(line), m.width)
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
		m.page.first += m.pageRoom()
	case "home", "g":
		m.page.first = 0
	case "end", "G":
		m.page.first = len(m.pageLines())
	case "/", "?", "e", "n", "p", "P", "r", "s", "x", "+", "-":
		return m.says(Waits, "esc first goes back to the rows")
	}
	return m
}

// pageRoom returns how many lines of a page the screen has room for.
func (m Model) pageRoom() int {
	return max(m.height-len(m.pageTitle())-len(m.pageFoot(0)), 1)
}

func (m Model) pageFrame() []Line {
	all, lines := m.pageLines(), m.pageTitle()
	first := min(m.page.first, len(all))
	end := min(len(all), first+m.pageRoom())
	for _, line := range all[first:end] {
		lines = append(lines, plain("", line))
	}
	return m.onFoot(lines, m.pageFoot(len(all)-end))
}

// pageTitle is the title with an empty line below it.
func (m Model) pageTitle() []Line {
	if m.page.title == "" || m.mode == asking {
		return nil
	}
	return []Line{{{Text: m.page.title, Style: Style{Bold: true}}}, nil}
}

// pageFoot asks the question of a plan, or shows the keys, and how many lines follow.
func (m Model) pageFoot(rest int) []Line {
	more := ""
	if rest > 0 {
		more = m.either("↓ ", "down: ") + human.Count(rest, "more line")
	}
	if m.mode == asking {
		return m.wrapped(Waits, strings.TrimSpace(m.page.title+"  y yes, n no  "+more))
	}
	keys := append([]string{"esc back"}, m.deeds()...)
	if more != "" {
		keys = append([]string{more}, keys...)
	}
	return []Line{m.answering(keys)}
}
