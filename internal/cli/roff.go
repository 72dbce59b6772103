package cli

import (
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
)

// roff is the source of one page.
type roff struct{ strings.Builder }

// textWidth is the number of columns behind the indentation of a page on a terminal of 80.
const textWidth = 73

// escape makes text that man shows as it is: man reads a backslash as a command, and
// typesets quotes, hyphens, tildes and carets, which are then no longer those of a shell.
func escape(text string) string { return literals.Replace(text) }

var literals = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "~", `\(ti`, "^", `\(ha`, "…", "...")

// line writes a line of escaped text. A full stop in front would make it a command.
func (p *roff) line(text string) {
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	p.WriteString(text + "\n")
}

func (p *roff) command(words ...string) { p.WriteString("." + strings.Join(words, " ") + "\n") }

// title begins the page. Text is left with a ragged margin and without hyphens: it is
// full of words to copy.
func (p *roff) title(name, date, program string) {
	p.command("TH", `"`+escape(strings.ToUpper(name))+`"`, "1", date, program, `"User Commands"`)
	p.command("ad", "l")
	p.command("nh")
}

func (p *roff) section(title string) { p.command("SH", `"`+title+`"`) }

// entry writes a term and, indented by so many columns, what it means: beside the term
// if that is narrower, else below it. The term is escaped.
func (p *roff) entry(indent int, term, text string) {
	p.command("TP", strconv.Itoa(indent))
	p.line(term)
	p.line(escape(text))
}

func (p *roff) verbatim(text string) {
	p.command("nf")
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		p.line(escape(line))
	}
	p.command("fi")
}

// seeAlso ends the page with the names of others.
func (p *roff) seeAlso(names ...string) {
	p.section("SEE ALSO")
	for i, name := range names {
		behind := ","
		if i == len(names)-1 {
			behind = ""
		}
		p.command("BR", escape(name), "(1)"+behind)
	}
}

// description writes the paragraphs of a help text. Prose is filled. Tables and
// examples stay as they are laid out, unless they are too wide for a page.
func (p *roff) description(text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			p.command("PP")
		}
		switch {
		case !human.IsLaidOut(paragraph):
			p.line(escape(strings.Join(strings.Fields(paragraph), " ")))
		case widest(paragraph) <= textWidth:
			p.verbatim(paragraph)
		default:
			p.table(paragraph)
		}
	}
}

func widest(text string) (columns int) {
	for line := range strings.SplitSeq(text, "\n") {
		columns = max(columns, human.Width(line))
	}
	return columns
}

// table writes a list of terms that is wider than a page, with its heading if it has
// one. Indented prose is a list with one text and no term.
func (p *roff) table(paragraph string) {
	heading, rows := rowsOf(paragraph)
	if heading != "" {
		p.line(escape(heading))
	}
	p.command("RS", "2")
	p.command("PD", "0") // no blank lines between the rows
	for _, row := range rows {
		if row.term == "" {
			p.line(escape(row.text))
		} else {
			p.entry(row.indent, `\fB`+escape(row.term)+`\fR`, row.text)
		}
	}
	p.command("PD")
	p.command("RE")
}

// row is a term with its text, and how many columns behind the term's first the text
// begins. Without a term it is a text alone.
type row struct {
	term, text string
	indent     int
}

// rowsOf reads a table of a help text: its heading stands at the margin, a term is
// indented by two spaces with two or more behind it, and every other line goes on with
// the text of the line before.
func rowsOf(paragraph string) (heading string, rows []row) {
	for i, line := range strings.Split(paragraph, "\n") {
		text := strings.TrimSpace(line)
		indent := strings.Index(line, text)
		term, rest, parted := strings.Cut(text, "  ")
		switch {
		case i == 0 && indent == 0:
			heading = text
		case indent == 2 && parted:
			meaning := strings.TrimSpace(rest)
			rows = append(rows, row{term, meaning, indentOf(human.Width(text) - human.Width(meaning))})
		case len(rows) == 0:
			rows = append(rows, row{text: text})
		default:
			rows[len(rows)-1].text += " " + text
		}
	}
	return heading, rows
}

// usualIndent is man's own, and widestIndent leaves room for the text beside a term.
const usualIndent, widestIndent = 7, 20

// indentOf returns the indentation of a text that the help indents by so many columns.
func indentOf(columns int) int {
	if columns > widestIndent {
		return usualIndent
	}
	return columns
}
