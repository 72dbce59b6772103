package screen

import (
	"io"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
)

// aboutCells is the width of the first column of an explanation, speaksCells that of the last, and leastTable that of
// a page that has the last.
const (
	aboutCells  = 11
	speaksCells = 15
	leastTable  = 72
)

// Explain writes all that is known of one thing.
func Explain(w io.Writer, e *account.Explanation, options Options) error {
	p := options.newPage(e.TakenAt)
	p.say("", p.text(e.Answer))
	p.gap()
	for _, fact := range e.Facts {
		if fact.SpeaksFor != "" {
			p.room = max(p.room, human.Width(human.Safe(p.text(fact.Text))))
		}
	}
	for i, fact := range e.Facts {
		if len(fact.Text) == 0 {
			p.gap()
			continue
		}
		if fact.SpeaksFor != "" && (i == 0 || e.Facts[i-1].SpeaksFor == "") && p.width >= leastTable {
			p.fact(account.Fact{About: "evidence", SpeaksFor: "speaks for"}, false)
		}
		p.fact(fact, i > 0 && e.Facts[i-1].About == fact.About)
	}
	for i, line := range e.Tree {
		p.process(line, i == 0)
	}
	p.gap()
	for _, command := range e.Commands {
		p.say(human.Left(command.What, max(aboutCells, human.Width(command.What)+2)), command.Line)
	}
	p.notes(e.Notes)
	return p.write(w)
}

// fact writes a line of an explanation, with what it speaks for to its right.
func (p *page) fact(fact account.Fact, again bool) {
	about, text := human.Left(fact.About, aboutCells), p.text(fact.Text)
	if again && fact.SpeaksFor == "" {
		about = strings.Repeat(" ", aboutCells)
	}
	room := min(p.room, p.width-aboutCells-speaksCells-2)
	switch {
	case fact.SpeaksFor == "":
		p.say(about, text)
	case p.width < leastTable && fact.SpeaksFor == "–":
		p.say(about, text)
	case p.width < leastTable:
		p.say(about, text+" ("+fact.SpeaksFor+")")
	default:
		for i, line := range human.Wrap(human.Safe(text), room) {
			if i == 0 {
				line = about + human.Left(line, room+2) + fact.SpeaksFor
			} else {
				line = strings.Repeat(" ", aboutCells) + line
			}
			p.line(plain, line)
		}
	}
}

// process writes a line of the process tree.
func (p *page) process(line account.TreeLine, isFirst bool) {
	about := map[bool]string{true: "processes"}[isFirst]
	memory := ""
	if line.MemoryBytes > 0 {
		memory = human.Bytes(line.MemoryBytes)
	}
	head := human.Left(about, aboutCells) + strings.Repeat("  ", min(line.Depth, 8)) + strconv.Itoa(line.PID) + " "
	text := head + human.Truncate(human.Safe(p.options.Home.Command(line.Argv)), max(0, p.width-human.Width(head)-memoryCells), p.cut())
	p.line(plain, human.Left(text, p.width-memoryCells)+human.Right(memory, memoryCells))
}
