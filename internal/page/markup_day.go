package page

import (
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// daySection shows the last 24 hours: a sentence, a drawing with its table, and the list
// of what was reaped.
func daySection(v view) g.Node {
	return section("section:day", "day", "The last 24 hours",
		h.P(g.Text(v.Day.Summary+".")),
		g.If(len(v.Day.Bars) > 0, g.Group{dayDrawing(v.Day), drawingKey(), dayTable(v.Day.Steps)}),
		endedTable(v.Ended, v.Older),
	)
}

func dayDrawing(d day) g.Node {
	width := strconv.Itoa(d.Width)
	return h.SVG(g.Attr("viewBox", "0 0 "+width+" 160"), h.Role("img"), h.Aria("label", d.Summary),
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
	return g.El("line", g.Attr("x1", "0"), g.Attr("y1", y), g.Attr("x2", width), g.Attr("y2", y))
}

func dayBar(b bar) g.Node {
	return g.El("g",
		h.TitleEl(g.Text(b.Title)),
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
	return g.El("rect", h.Class(class),
		g.Attr("x", strconv.Itoa(x)), g.Attr("y", strconv.Itoa(y)), h.Width("11"), h.Height(strconv.Itoa(height)))
}

func hourLabel(l label) g.Node {
	return g.El("text", g.Attr("x", strconv.Itoa(l.X)), g.Attr("y", "156"), g.Text(l.Text))
}

// drawingKey explains the drawing's colours.
func drawingKey() g.Node {
	return h.P(h.Class("quiet"),
		h.I(h.Class("key found")), g.Text(" orphans found, above the line · "),
		h.I(h.Class("key reaped")), g.Text(" reaped, below it · "),
		h.I(h.Class("key freed")), g.Text(" memory given back"),
	)
}

// dayTable shows the drawing's figures.
func dayTable(steps []stepRow) g.Node {
	return h.Details(h.ID("day-table"),
		h.Summary(g.Text("As a table")),
		h.Table(
			headings("from", "found", "reaped", "given back"),
			g.Map(steps, func(s stepRow) g.Node { return cells(s.At, s.Found, s.Reaped, s.Freed) }),
		),
	)
}

func endedTable(ended []ended24, older int) g.Node {
	if len(ended) == 0 {
		return nil
	}
	return g.Group{
		h.Div(h.Class("wide"), h.Role("region"), h.Aria("label", "What was reaped"), h.TabIndex("0"), h.Table(
			headings("when", "what", "left by", "outcome", "rule", "given back"),
			g.Map(ended, func(e ended24) g.Node { return cells(e.At, e.What, e.Owner, e.Outcome, e.Rule, e.Freed) }),
		)),
		g.If(older > 0, h.P(h.Class("quiet"), g.Text("and "+strconv.Itoa(older)+" more: "), h.Code(g.Text("reaperd history")))),
	}
}
