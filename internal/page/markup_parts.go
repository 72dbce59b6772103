package page

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// document is an HTML document in the page's style. more goes into its head; it may be
// nil.
func document(title string, more g.Node, body ...g.Node) g.Node {
	return h.Doctype(el("html", attr("lang", "en"),
		el("head",
			el("meta", attr("charset", "utf-8")),
			el("meta", attr("name", "viewport"), attr("content", "width=device-width, initial-scale=1")),
			el("title", plain(title)),
			el("style", g.Raw(style)),
			more,
		),
		el("body", body...),
	))
}

// section is a section named by its heading, whose id is headingID.
func section(id, headingID, heading string, content ...g.Node) g.Node {
	return el("section", attr("id", id), attr("aria-labelledby", headingID),
		el("h2", attr("id", headingID), plain(heading)),
		g.Group(content),
	)
}

func quiet(text string) g.Node { return el("span", attr("class", "quiet"), plain(text)) }

func quietLine(text string) g.Node { return el("p", attr("class", "quiet"), plain(text)) }

// thingLink is a link to the page of a node.
func thingLink(key, text string) g.Node {
	return el("a", attr("href", strings.TrimPrefix(ThingPath, "/")+"?key="+url.QueryEscape(key)), plain(text))
}

// stateWords shows a state in its colour.
func stateWords(s state) g.Node {
	return el("b", attr("class", string(s.Tone)),
		plain(s.Word),
		g.If(s.In != "", g.Group{plain(" "), countdown(s.Due, s.In)}),
		g.If(s.Ago != "", g.Group{plain(" "), elapsed(s.Since, s.Ago), plain(" ago")}),
	)
}

// countdown shows the time until due. The script counts it down.
func countdown(due time.Time, in string) g.Node {
	return el("span", attr("data-due", millis(due)), plain(in))
}

// elapsed shows the time since a moment. The script counts it up.
func elapsed(since time.Time, ago string) g.Node {
	return el("span", attr("data-since", millis(since)), plain(ago))
}

func millis(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }

// headings is the first row of a table.
func headings(names ...string) g.Node {
	return el("tr", g.Map(names, func(name string) g.Node { return el("th", attr("scope", "col"), plain(name)) }))
}

// cells is a row of a table.
func cells(texts ...string) g.Node { return el("tr", textCells(texts...)) }

func textCells(texts ...string) g.Node {
	return g.Map(texts, func(text string) g.Node { return el("td", plain(text)) })
}
