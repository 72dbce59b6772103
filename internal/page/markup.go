package page

import (
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/reaperd/reaperd/internal/human"
)

// wholeDocument is the page. Its script replaces the live part after each look; without
// the script the whole page reloads.
func wholeDocument(v view) g.Node {
	renewal := g.Group{
		h.Script(h.Src(ScriptPath), h.Defer()),
		h.NoScript(h.Meta(g.Attr("http-equiv", "refresh"), h.Content("30"))),
	}
	return document(v.Title, renewal,
		h.A(h.Class("skip"), h.Href("#coming"), g.Text("Skip to what goes next")),
		livePart(v),
		h.P(h.ID("said"), h.Role("status"), h.Class("quiet")),
		h.Dialog(h.ID("about"), h.Aria("labelledby", "about-title")),
	)
}

// livePart is the part of the page that changes with a look.
func livePart(v view) g.Node {
	return h.Div(h.ID("page"), h.Data("now", millis(v.Now)), h.Data("title", v.Title),
		pageHeader(v),
		h.Main(
			g.Map(v.Alarms, alarmLine),
			h.P(h.ID("headline"), g.Text(v.Headline)),
			h.Dl(h.Class("tiles"), g.Map(v.Tiles, tileBox)),
			comingSection(v),
			foundLine(v),
			g.Map(v.Branches, func(b branch) g.Node { return branchSection(b, v.Memory) }),
			refusedSection(v.Refusals),
			daySection(v),
		),
		pageFooter(v),
	)
}

func pageHeader(v view) g.Node {
	taken := "no look yet"
	if v.Taken != "" {
		taken = "as of " + v.Taken
	}
	return h.Header(
		h.H1(g.Text("reaperd"), g.If(v.Host != "", g.Group{g.Text(" "), quiet("on " + v.Host)})),
		h.P(h.Class("quiet"), g.Text(v.Mode+" · "+taken+" · "), h.Span(h.ID("live"), g.Text("reloads every 30 s"))),
		searchForm(v.Filter),
	)
}

func searchForm(filter string) g.Node {
	return h.Form(h.Role("search"), h.Action("/"), h.Method("get"),
		h.Label(h.For("q"), g.Text("Find")),
		g.Text(" "),
		h.Input(h.ID("q"), h.Name("q"), h.Type("search"), h.Value(filter), h.Placeholder("name, PID, folder"), h.AutoComplete("off")),
	)
}

func alarmLine(text string) g.Node { return h.P(h.Class("alarm"), g.Text(text)) }

func tileBox(t tile) g.Node {
	return h.Div(
		h.Dt(h.A(h.Href("#"+t.Section), g.Text(t.Label))),
		h.Dd(h.Class(string(t.Tone)), g.Text(t.Value)),
		h.Dd(h.Class("quiet"), g.Text(t.Note), g.If(t.In != "", g.Group{g.Text(", the first in "), countdown(t.Due, t.In)})),
	)
}

// comingSection lists what is reaped next. If that is nothing, it tells when the next
// look is.
func comingSection(v view) g.Node {
	if len(v.Coming) == 0 {
		return section("section:coming", "coming", "What goes next", quietLine("Nothing."+nextLook(v.Next)))
	}
	return section("section:coming", "coming", "What goes next",
		h.Ul(h.Class("coming"), g.Map(v.Coming, comingItem)),
		laterList(v.Later, v.More),
	)
}

// laterList is a folded list of what is reaped after the first things. more is the number
// of things that are not listed.
func laterList(later []coming, more int) g.Node {
	if len(later) == 0 {
		return nil
	}
	head := strconv.Itoa(len(later)) + " more"
	if more > 0 {
		head += ", and " + strconv.Itoa(more) + " below"
	}
	return h.Details(h.ID("later"), h.Summary(g.Text(head)), h.Ul(h.Class("coming"), g.Map(later, comingItem)))
}

func nextLook(at string) string {
	if at == "" {
		return ""
	}
	return " The next look by schedule is at " + at + "; a session that ends is looked at at once."
}

func comingItem(c coming) g.Node {
	since := ""
	if c.Since != "" {
		since = "Found " + c.Since + " ago: "
	}
	return h.Li(h.ID("next:"+c.Key),
		h.P(thingLink(c.Key, c.Name), g.Text(" "+c.Handle+" "), stateWords(c.State), g.Text(" "), quiet(c.Of)),
		h.P(h.Class("quiet"),
			g.Text(since+c.Why+". Rule "+c.Rule+"."),
			g.If(c.Keep != "", g.Group{g.Text(" To keep it: "), h.Code(g.Text(c.Keep))}),
		),
	)
}

// foundLine tells how many things match the filter.
func foundLine(v view) g.Node {
	if v.Filter == "" {
		return nil
	}
	return h.P(h.ID("found"),
		g.Text(human.Count(v.Matches, "thing")+" found for “"+v.Filter+"”. "),
		h.A(h.Href("/"), g.Text("Show all")),
	)
}

func branchSection(b branch, memory string) g.Node {
	return h.Section(h.ID("branch:"+b.Name), h.Aria("labelledby", b.Name),
		h.H2(h.ID(b.Name), g.Text(b.Title+" "), h.Small(g.Text(b.Explained))),
		h.Div(h.Class("heads"), h.Aria("hidden", "true"),
			g.Map([]string{"name", "what it runs, or where", "state", "up", memory, "CPU"}, columnHead)),
		g.Map(b.Groups, groupBox),
	)
}

func columnHead(text string) g.Node { return h.Span(g.Text(text)) }

// groupBox is a node that folds, or one line if nothing is below it.
func groupBox(top group) g.Node {
	if len(top.Rows) == 0 {
		return h.Div(h.Class("alone"), h.ID(top.Key), nameCell(top.row), otherCells(top.row))
	}
	name := top.Name + " " + top.Handle
	return h.Details(h.ID(top.Key), g.If(top.Open, g.Attr("open")),
		h.Summary(h.Span(g.Text(name)), otherCells(top.row)),
		h.Ul(
			g.If(top.About, h.Li(h.Class("about"), thingLink(top.Key, "evidence and processes of "+name))),
			g.Map(top.Rows, rowItem),
		),
	)
}

func rowItem(r row) g.Node {
	return h.Li(h.ID(r.Key), h.Class("l"+strconv.Itoa(r.Level)), nameCell(r), otherCells(r))
}

func nameCell(r row) g.Node {
	return h.Span(thingLink(r.Key, r.Name), g.Text(" "+r.Handle))
}

// otherCells are the cells behind the name. The style sheet adds the column's name to
// figures, for screen readers.
func otherCells(r row) g.Group {
	return g.Group{
		h.Span(g.Text(r.What)),
		stateWords(r.State),
		h.I(g.Text(r.Age)),
		h.I(g.Text(r.Memory)),
		h.I(g.Text(r.CPU)),
	}
}

func refusedSection(refused []refusal) g.Node {
	if len(refused) == 0 {
		return nil
	}
	return section("section:refused", "refused", "Kept against a rule", h.Ul(g.Map(refused, refusedItem)))
}

func refusedItem(r refusal) g.Node {
	return h.Li(h.ID("kept:"+r.Key),
		thingLink(r.Key, r.Name),
		g.Text(": rule "+r.Rule+" would stop it, but "+r.Text),
	)
}

func pageFooter(v view) g.Node {
	return h.Footer(
		h.P(g.Text(strings.Join(v.Sources, " · "))),
		g.Map(v.Footer, func(line string) g.Node { return h.P(g.Text(line)) }),
		h.P(g.Text("PSS counts memory that processes share in parts, RSS in each of them. This page only shows: nothing is stopped from here.")),
	)
}
