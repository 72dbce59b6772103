package page

import (
	"io"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// wholeDocument is the page. Its script replaces the live part after each look; without
// the script the whole page reloads.
func wholeDocument(v view) g.Node {
	renewal := el("noscript", el("meta", attr("http-equiv", "refresh"), attr("content", "30")))
	return document(v.Title, renewal,
		el("a", attr("class", "skip"), attr("href", "#coming"), plain("Skip to what goes next")),
		el("p", attr("id", "lost"), attr("role", "alert"), attr("class", "alarm"), attr("hidden")),
		livePart(v),
		el("p", attr("id", "said"), attr("role", "status")),
		el("dialog", attr("id", "about"), attr("aria-labelledby", "about-title"),
			el("button", attr("type", "button"), plain("Close")), el("div", attr("id", "sheet"))),
		el("script", g.Raw(script)),
	)
}

// livePart is the part of the page that changes with a look.
func livePart(v view) g.Node {
	return el("div", attr("id", "page"), attr("data-look", v.Look), attr("data-now", millis(v.Now)), attr("data-next", v.NextAt), attr("data-taken", v.Taken), attr("data-title", v.Title),
		pageHeader(v),
		el("main",
			g.Map(v.Alarms, alarmBox),
			el("p", attr("id", "headline"), plain(v.Headline)),
			el("dl", attr("class", "tiles"), g.Map(v.Tiles, tileBox)),
			comingSection(v),
			foundLine(v),
			g.NodeFunc(func(w io.Writer) error { return branchSections(v).Render(w) }),
			refusedSection(v.Refusals),
			daySection(v),
		),
		pageFooter(v),
	)
}

func pageHeader(v view) g.Node {
	taken := "no look yet"
	if v.Taken != "" {
		taken = v.Mode + " · as of " + v.Taken
	}
	return el("header",
		el("h1", plain("reaperd"), g.If(v.Host != "", g.Group{plain(" "), quiet("on " + v.Host)})),
		el("p", attr("class", "quiet"), plain(taken+" · "), el("span", attr("id", "live"), plain("reloads every 30s"))),
		searchForm(v.Filter),
	)
}

func searchForm(filter string) g.Node {
	return el("form", attr("role", "search"), attr("action", "."), attr("method", "get"),
		el("label", attr("for", "q"), plain("Find")),
		plain(" "),
		el("input", attr("id", "q"), attr("name", "q"), attr("type", "search"), attr("value", filter), attr("placeholder", "name, PID, folder"), attr("autocomplete", "off")),
	)
}

func alarmBox(a alarm) g.Node {
	return el("div", attr("class", "alarm"),
		el("p", plain(a.Text), g.If(a.Command != "", el("code", plain(a.Command))), plain(a.Then)),
		g.If(len(a.Lines) > 0, el("ul", g.Map(a.Lines, func(line string) g.Node { return el("li", plain(line)) }))),
	)
}

func tileBox(t tile) g.Node {
	return el("div",
		el("dt", el("a", attr("href", "#"+t.Section), plain(t.Label))),
		el("dd", attr("class", string(t.Tone)), plain(t.Value)),
		el("dd", attr("class", "quiet"), plain(t.Note), g.If(t.Note != "" && t.In != "", plain(", ")), g.If(t.In != "", g.Group{plain("the first in "), countdown(t.Due, t.In)})),
	)
}

// comingSection lists what is reaped next. If that is nothing, it tells when the next
// look is.
func comingSection(v view) g.Node {
	first := quietLine("Nothing." + nextLook(v.Next))
	switch {
	case v.Taken == "":
		first = quietLine(notLooked)
	case len(v.Coming) > 0:
		first = el("ul", attr("class", "coming"), g.Map(v.Coming, comingItem))
	}
	return section("section:coming", "coming", v.Goes, first, g.NodeFunc(v.endFirstScreen), laterList(v.Later, v.More))
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
	return el("details", attr("id", "later"), el("summary", plain(head)), el("ul", attr("class", "coming"), g.Map(later, comingItem)))
}

func nextLook(at string) string {
	if at == "" {
		return ""
	}
	return " The next look by schedule is at " + at + "; a session that ends is looked at at once."
}

func comingItem(c coming) g.Node {
	return el("li", attr("id", "next:"+c.Key),
		el("p", thingLink(c.Key, c.Name), plain(" "+c.Handle+" "), stateWords(c.State), plain(" "), quiet(c.Of)),
		el("p", attr("class", "quiet"),
			g.If(c.Ago != "" && !c.Idles, g.Group{plain("Found "), elapsed(c.Since, c.Ago), plain(" ago: ")}),
			g.If(c.Ago != "" && c.Idles, g.Group{plain("Idle for "), elapsed(c.Since, c.Ago), plain(": ")}),
			plain(c.Why+". Rule "+c.Rule),
			waysOut(c.Commands),
		),
	)
}

// waysOut are the commands that change what happens, behind a sentence without its full stop.
func waysOut(commands []overview.Command) g.Node {
	return g.Map(commands, func(c overview.Command) g.Node {
		return g.Group{plain(". To " + c.What + ": "), el("code", plain(c.Line))}
	})
}

// foundLine tells how many things match the filter.
func foundLine(v view) g.Node {
	if v.Filter == "" {
		return nil
	}
	return el("p", attr("id", "found"),
		plain(human.Count(v.Matches, "thing")+" found for “"+v.Filter+"”. "),
		el("a", attr("href", "."), plain("Show all")),
	)
}

// branchSections are the branches of the tree, which are most of a page: they are worked
// out once what stands above them is written.
func branchSections(v view) g.Node {
	return g.Map(v.branches(), func(b branch) g.Node { return branchSection(b, v.Memory) })
}

func branchSection(b branch, memory string) g.Node {
	return el("section", attr("id", "branch:"+b.Name), attr("aria-labelledby", b.Name),
		el("h2", attr("id", b.Name), plain(b.Title+" "), el("small", plain(b.Explained))),
		el("div", attr("class", "heads"), attr("aria-hidden", "true"),
			g.Map([]string{"name", "what it runs, or where", "state", "up", memory, "CPU"}, columnHead)),
		g.Map(b.Groups, groupBox),
	)
}

func columnHead(text string) g.Node { return el("span", plain(text)) }

// groupBox is a node that folds, or one line if nothing is below it.
func groupBox(top group) g.Node {
	if len(top.Rows) == 0 {
		return el("div", attr("class", "alone"), attr("id", top.Key), nameCell(top.row), otherCells(top.row))
	}
	name := top.Name + " " + top.Handle
	return el("details", attr("id", top.Key), g.If(top.Open, attr("open")),
		el("summary", el("span", plain(name)), otherCells(top.row)),
		el("ul",
			g.If(top.About, el("li", attr("class", "about"), thingLink(top.Key, "all about "+name))),
			g.Map(top.Rows, rowItem),
		),
	)
}

func rowItem(r row) g.Node {
	return el("li", attr("id", r.Key), attr("class", "l"+strconv.Itoa(r.Level)), nameCell(r), otherCells(r))
}

func nameCell(r row) g.Node { return thingLink(r.Key, strings.TrimSpace(r.Name+" "+r.Handle)) }

// otherCells are the cells behind the name. The style sheet adds the column's name to
// figures, for screen readers.
func otherCells(r row) g.Group {
	return g.Group{
		el("span", plain(r.What)),
		stateWords(r.State),
		el("i", plain(r.Age)),
		el("i", plain(r.Memory)),
		el("i", plain(r.CPU)),
	}
}

func refusedSection(refused []refusal) g.Node {
	if len(refused) == 0 {
		return nil
	}
	return section("section:refused", "refused", "Kept against a rule", el("ul", g.Map(refused, refusedItem)))
}

func refusedItem(r refusal) g.Node {
	return el("li", attr("id", "kept:"+r.Key),
		thingLink(r.Key, r.Name),
		plain(": rule "+r.Rule+" would "+r.Deed+" it, but "+r.Text),
		waysOut(r.Commands),
	)
}

func pageFooter(v view) g.Node {
	return el("footer",
		el("p", plain(strings.Join(v.Sources, " · "))),
		g.Map(v.Footer, func(line string) g.Node { return el("p", plain(line)) }),
		el("p", plain("PSS counts memory that processes share in parts, RSS in each of them. This page only shows: nothing is stopped from here.")),
	)
}
