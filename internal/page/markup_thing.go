package page

import (
	g "maragu.dev/gomponents"

	"github.com/reaperd/reaperd/internal/overview"
)

// wayBack leads from the page of one node to all of them.
func wayBack(taken string) g.Node {
	return el("p", attr("class", "back"), el("a", attr("href", "."), plain("All of it")), plain(" "), quiet("as of "+taken))
}

// titleLine is the heading of the page of one node. A dialog is named by it.
func titleLine(name, kind string) g.Node {
	return el("h1", attr("id", "about-title"), attr("tabindex", "-1"), plain(name+" "), quiet(kind))
}

// goneDocument is the page of a node that is no more.
func goneDocument(f farewell) g.Node {
	return document(f.Name+" – reaperd", nil, el("main", attr("id", "thing"), wayBack(f.Taken), titleLine(f.Name, ""), el("p", plain(f.Fate))))
}

// thingDocument is the page of one node, with all its evidence.
func thingDocument(a about) g.Node {
	return document(a.Name+" – reaperd", nil, el("main", attr("id", "thing"),
		wayBack(a.Taken),
		titleLine(a.Name, a.Kind),
		el("p", stateWords(a.State), g.If(a.Reason != "", plain(": "+a.Reason))),
		el("dl", attr("class", "facts"), g.Map(a.Facts, factLine), g.Map(a.Commands, commandLine)),
		evidenceTable(a.Evidence),
		guardList(a.Guards),
		heldTable(a.Holds),
		processTable(a.Processes),
	))
}

func factLine(f fact) g.Node {
	text := plain(f.Text)
	if f.Key != "" {
		text = thingLink(f.Key, f.Text)
	}
	return el("div", el("dt", plain(f.Name)), el("dd", text, g.If(f.Code != "", el("code", plain(f.Code)))))
}

func commandLine(c overview.Command) g.Node {
	return el("div", el("dt", plain(c.What)), el("dd", el("code", plain(c.Line))))
}

func evidenceTable(seen []evidence) g.Node {
	if len(seen) == 0 {
		return nil
	}
	return g.Group{
		el("h2", plain("Evidence")),
		el("table", attr("class", "evidence"),
			headings("check", "what was seen", "speaks for"),
			g.Map(seen, func(e evidence) g.Node { return cells(e.Check, e.Text, e.Says) }),
		),
	}
}

func guardList(guards []string) g.Node {
	if len(guards) == 0 {
		return nil
	}
	return g.Group{
		el("h2", plain("Guards")),
		el("ul", g.Map(guards, func(guard string) g.Node { return el("li", plain(guard)) })),
	}
}

// heldTable lists what a node holds, each with its own page.
func heldTable(held []row) g.Node {
	if len(held) == 0 {
		return nil
	}
	return g.Group{
		el("h2", plain("What it holds")),
		el("table",
			headings("name", "what it runs", "state", "up", "memory", "CPU"),
			g.Map(held, func(r row) g.Node {
				return el("tr", el("td", nameCell(r)), el("td", plain(r.What)), el("td", stateWords(r.State)), textCells(r.Age, r.Memory, r.CPU))
			}),
		),
	}
}

func processTable(processes []row) g.Node {
	if len(processes) == 0 {
		return nil
	}
	return g.Group{
		el("h2", plain("Processes")),
		el("table",
			headings("PID", "command", "up", "memory", "CPU"),
			g.Map(processes, func(p row) g.Node { return cells(p.Handle, p.What, p.Age, p.Memory, p.CPU) }),
		),
	}
}
