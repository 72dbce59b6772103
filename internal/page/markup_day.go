package page

import (
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
)

// daySection shows the last 24 hours: a sentence, a drawing with its table, and the list
// of what was reaped.
func daySection(v view) g.Node {
	return section("section:day", "day", "The last 24 hours",
		el("p", plain(v.Day.Summary+".")),
		g.If(len(v.Day.Bars) > 0, g.Group{dayDrawing(v.Day), drawingKey(v.Day.Since), dayTable(v.Day.Steps)}),
		endedSection(v.Ended, v.Earlier, v.Older),
	)
}

func dayDrawing(d day) g.Node {
	width := strconv.Itoa(d.Width)
	return el("svg", attr("viewBox", "0 0 "+width+" 160"), attr("role", "img"), attr("aria-label", d.Summary),
		g.If(d.Before > 0, el("rect", attr("class", "before"), attr("width", strconv.Itoa(d.Before)), attr("height", strconv.Itoa(freedLine)))),
		levelLine(barHeight, width),
		levelLine(freedLine, width),
		g.Map(d.Bars, dayBar),
		g.Map(d.Hours, hourLabel),
	)
}

// levelLine is a horizontal line half a unit below a level, where browsers draw it
// sharply.
func levelLine(level int, width string) g.Node {
	y := strconv.Itoa(level) + ".5"
	return el("line", attr("x1", "0"), attr("y1", y), attr("x2", width), attr("y2", y))
}

func dayBar(b bar) g.Node {
	return el("g",
		el("title", plain(b.Title)),
		barRect("found", b.X, b.FoundY, b.Found),
		barRect("reaped", b.X, barHeight+1, b.Reaped),
		barRect("freed", b.X, b.FreedY, b.Freed),
	)
}

// barRect is one rectangle of a bar; nothing if its height is 0.
func barRect(class string, x, y, height int) g.Node {
	if height == 0 {
		return nil
	}
	return el("rect", attr("class", class),
		attr("x", strconv.Itoa(x)), attr("y", strconv.Itoa(y)), attr("width", "11"), attr("height", strconv.Itoa(height)))
}

func hourLabel(l label) g.Node {
	return el("text", attr("x", strconv.Itoa(l.X)), attr("y", "156"), plain(l.Text))
}

// drawingKey explains the drawing's colours. since is since when this daemon watches; empty: for
// longer than a day.
func drawingKey(since string) g.Node {
	return el("p", attr("class", "quiet"),
		el("i", attr("class", "key found")), plain(" leaked, above the line · "),
		el("i", attr("class", "key reaped")), plain(" reaped, below it · "),
		el("i", attr("class", "key freed")), plain(" memory freed"),
		g.If(since != "", g.Group{
			plain(" · "), el("i", attr("class", "key before")), plain(" before " + since + ", when this daemon began to watch: only what was reaped then is known"),
		}),
	)
}

// dayTable shows the drawing's figures.
func dayTable(steps []stepRow) g.Node {
	return el("details", attr("id", "day-table"),
		el("summary", plain("As a table")),
		el("table",
			headings("from", "leaked", "reaped", "freed"),
			g.Map(steps, func(s stepRow) g.Node { return cells(s.At, s.Found, s.Reaped, s.Freed) }),
		),
	)
}

// endedSection lists what was reaped: the last acts, and the ones before them folded.
func endedSection(ended, earlier []ended24, older int) g.Node {
	if len(ended) == 0 {
		return nil
	}
	return g.Group{
		el("h3", attr("id", "reaped"), plain("What was reaped")),
		el("div", attr("class", "wide"), attr("role", "region"), attr("aria-labelledby", "reaped"), attr("tabindex", "0"),
			endedTable(ended),
			g.If(len(earlier) > 0, el("details", attr("id", "earlier"), el("summary", plain(strconv.Itoa(len(earlier))+" before these")), endedTable(earlier))),
		),
		g.If(older > 0, el("p", attr("class", "quiet"), plain("and "+strconv.Itoa(older)+" more: "), el("code", plain("reaperd history")))),
	}
}

func endedTable(ended []ended24) g.Node {
	return el("table",
		headings("when", "what", "whose", "outcome", "rule", "freed"),
		g.Map(ended, endedRow),
	)
}

// endedRow is one act. A phone has no room for the date: the list is of one day.
func endedRow(e ended24) g.Node {
	date, clock, _ := strings.Cut(e.At, " ")
	return el("tr", el("td", el("span", plain(date+" ")), plain(clock)),
		textCells(e.What, e.Owner, e.Outcome),
		el("td", plain(e.Rule), g.If(e.ByHand != "", g.Group{plain(", by hand: "), el("code", plain(e.ByHand))})),
		textCells(e.Freed),
	)
}
