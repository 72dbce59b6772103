package page

import (
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// thingDocument is the page of one node, with all its evidence.
func thingDocument(a about) g.Node {
	return document(a.Name+" – reaperd", nil, h.Main(h.ID("thing"),
		h.P(h.Class("back"), h.A(h.Href("/"), g.Text("All of it")), g.Text(" "), quiet("as of "+a.Taken)),
		h.H1(h.ID("about-title"), g.Text(a.Name+" "), quiet(a.Kind)),
		h.P(stateWords(a.State), g.If(a.Reason != "", g.Text(": "+a.Reason))),
		h.Dl(h.Class("facts"), g.Map(a.Facts, factLine), g.Map(a.Commands, commandLine)),
		evidenceTable(a.Evidence),
		guardList(a.Guards),
		processTable(a.Processes),
	))
}

func factLine(f fact) g.Node {
	return h.Div(h.Dt(g.Text(f.Name)), h.Dd(g.Text(f.Text)))
}

func commandLine(c command) g.Node {
	return h.Div(h.Dt(g.Text(c.What)), h.Dd(h.Code(g.Text(c.Line))))
}

func evidenceTable(seen []evidence) g.Node {
	if len(seen) == 0 {
		return nil
	}
	return g.Group{
		h.H2(g.Text("Evidence")),
		h.Table(
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
		h.H2(g.Text("Guards")),
		h.Ul(g.Map(guards, func(guard string) g.Node { return h.Li(g.Text(guard)) })),
	}
}

func processTable(processes []row) g.Node {
	if len(processes) == 0 {
		return nil
	}
	return g.Group{
		h.H2(g.Text("Processes")),
		h.Table(
			headings("PID", "command", "up", "memory", "CPU"),
			g.Map(processes, func(p row) g.Node { return cells(p.Handle, p.What, p.Age, p.Memory, p.CPU) }),
		),
	}
}
