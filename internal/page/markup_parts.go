package page

import (
	"net/url"
	"strconv"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// document is an HTML document in the page's style. more goes into its head; it may be
// nil.
func document(title string, more g.Node, body ...g.Node) g.Node {
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.TitleEl(g.Text(title)),
			h.StyleEl(g.Raw(style)),
			more,
		),
		h.Body(body...),
	))
}

// section is a section named by its heading, whose id is headingID.
func section(id, headingID, heading string, content ...g.Node) g.Node {
	return h.Section(h.ID(id), h.Aria("labelledby", headingID),
		h.H2(h.ID(headingID), g.Text(heading)),
		g.Group(content),
	)
}

func quiet(text string) g.Node { return h.Span(h.Class("quiet"), g.Text(text)) }

func quietLine(text string) g.Node { return h.P(h.Class("quiet"), g.Text(text)) }

// thingLink is a link to the page of a node.
func thingLink(key, text string) g.Node {
	return h.A(h.Href(ThingPath+"?key="+url.QueryEscape(key)), g.Text(text))
}

// stateWords shows a state in its colour.
func stateWords(s state) g.Node {
	return h.B(h.Class(string(s.Tone)),
		g.Text(s.Word),
		g.If(s.In != "", g.Group{g.Text(" "), countdown(s.Due, s.In)}),
	)
}

// countdown shows the time until due. The script counts it down.
func countdown(due time.Time, in string) g.Node {
	return h.Span(h.Data("due", millis(due)), g.Text(in))
}

func millis(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }

// headings is the first row of a table.
func headings(names ...string) g.Node {
	return h.Tr(g.Map(names, func(name string) g.Node { return h.Th(h.Scope("col"), g.Text(name)) }))
}

// cells is a row of a table.
func cells(texts ...string) g.Node {
	return h.Tr(g.Map(texts, func(text string) g.Node { return h.Td(g.Text(text)) }))
}
