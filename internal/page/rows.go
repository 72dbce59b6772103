package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// branch is a branch of the tree on the page.
type branch struct {
	Name, Title, Explained string
	Groups                 []group
}

// group is a node of a branch with all nodes below it. A reader can fold it.
type group struct {
	row
	About bool // the node has a page of its own
	Open  bool
	Rows  []row
}

// row shows one node, with the memory and the CPU of all below it.
type row struct {
	Key, Name, Handle, What, Age, Memory, CPU string
	Level                                     int // how deep it is below its group, from 1
	State                                     state
}

// openRows is how many rows are unfolded at first. If there are several sessions they are
// folded, so that all of them are on one screen, each with its totals.
const openRows = 12

// branchesOf returns the branches that have nodes to show. Sessions come first: the page
// lists what is reaped next above them.
func branchesOf(in Input, c clock) []branch {
	t := &in.Tree
	var shown []branch
	room := openRows
	for _, b := range []branch{
		{Name: string(overview.BranchSessions), Title: "Live sessions", Explained: "the largest first; open one for its evidence, and to keep it"},
		{Name: string(overview.BranchLeaked), Title: "Leaked", Explained: "no live session has these; open one for its evidence"},
		{Name: string(overview.BranchOthers), Title: "Live, and no known client", Explained: "a shell, a service or a program that reaperd does not know has these"},
		{Name: string(overview.BranchUnclear), Title: "Unclear", Explained: unclearMeans},
	} {
		name := overview.BranchName(b.Name)
		nodes := filtered(t.Branch(name), wantedOf(in, c))
		make := newBuilder(t, c, overview.Place{Branch: name})
		few := len(nodes) == 1 || name != overview.BranchSessions && t.Totals.Things() <= openRows
		for i := range nodes {
			g := make.group(&nodes[i])
			if g.Open = in.Filter != "" || room > 0 && (few || nodes[i].Totals.Going()+nodes[i].Totals.Reported > 0); g.Open {
				room -= len(g.Rows)
			}
			b.Groups = append(b.Groups, g)
		}
		if slices.ContainsFunc(nodes, hasPlus) {
			b.Explained += "; +: " + overview.PlusMeans
		}
		if len(b.Groups) > 0 {
			shown = append(shown, b)
		}
	}
	return shown
}

// unclearMeans says what becomes of what stands under Unclear.
const unclearMeans = "nothing proves whose these are, so they are kept"

// hasPlus reports an idle time with a plus behind it.
func hasPlus(n overview.Node) bool {
	return n.State == overview.StateIdle && n.IdleAtLeast && !n.IdleSince.IsZero()
}

// matchesOf counts the things that match a filter; 0 if it is empty.
func matchesOf(in Input) (things int) {
	if in.Filter == "" {
		return 0
	}
	wanted := wantedOf(in, clockOf(in))
	for _, b := range in.Tree.Branches {
		things += wanted.found(b.Nodes, overview.Place{Branch: b.Name})
	}
	return things
}

// wantedOf is the filter that the reader has typed.
func wantedOf(in Input, c clock) filter {
	return filter{strings.ToLower(in.Filter), in.Home, tellerOf(&in.Tree, c)}
}

// filtered returns the nodes of a branch that match the filter, or that have a match
// below them. Sessions are ordered by memory, the largest first.
func filtered(b *overview.Branch, wanted filter) []overview.Node {
	if b == nil {
		return nil
	}
	nodes := wanted.chosen(b.Nodes, overview.Place{Branch: b.Name})
	if b.Name == overview.BranchSessions {
		nodes = slices.Clone(nodes)
		slices.SortStableFunc(nodes, func(x, y overview.Node) int { return cmp.Compare(y.Totals.MemoryBytes, x.Totals.MemoryBytes) })
	}
	return nodes
}

// filter selects nodes by a text, in small letters; empty selects all. A folder also has
// it as it is written from the reader's home, and a state in the words of its row.
type filter struct {
	text   string
	home   human.Home
	teller overview.Teller
}

func (f filter) chosen(nodes []overview.Node, in overview.Place) []overview.Node {
	if f.text == "" {
		return nodes
	}
	var found []overview.Node
	for _, n := range nodes {
		below := f.chosen(n.Children, in.Below(&n))
		switch {
		case f.matches(&n, in):
		case len(below) > 0:
			n.Children = below
		default:
			continue
		}
		found = append(found, n)
	}
	return found
}

// found counts the servers and containers that match the filter themselves.
func (f filter) found(nodes []overview.Node, in overview.Place) int {
	things := 0
	for i := range nodes {
		n := &nodes[i]
		isThing := n.Kind == overview.KindServer || n.Kind == overview.KindGateway || n.Kind == overview.KindContainer
		if isThing && f.matches(n, in) {
			things++
		}
		things += f.found(n.Children, in.Below(n))
	}
	return things
}

func (f filter) matches(n *overview.Node, in overview.Place) bool {
	texts := append([]string{
		n.Name, n.Handle, n.Cwd, overview.FolderOf(n.Cwd, n.User, f.home), n.Image, n.TTY, n.User, string(n.Finding), strconv.Itoa(n.PID), ownerText(n.Owner),
		f.teller.Words(n, in).Sought(), in.Sought(),
	}, n.Argv...)
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), f.text) })
}

// builder makes the rows of a branch.
type builder struct {
	clock
	place  overview.Place
	teller overview.Teller
	told   string // the user whose the node above is
}

func newBuilder(t *overview.Tree, c clock, place overview.Place) builder {
	return builder{clock: c, place: place, teller: tellerOf(t, c)}
}

func tellerOf(t *overview.Tree, c clock) overview.Teller {
	return overview.Teller{IdleUntil: t.At, Now: c.now, Acts: t.Acts()}
}

func (b builder) group(n *overview.Node) group {
	g := group{row: b.row(n), About: n.Kind != overview.KindGone}
	b.place, b.told = b.place.Below(n), userOf(n)
	g.Rows = b.rows(n, 1)
	switch n.Kind {
	case overview.KindGone, overview.KindOwner, overview.KindService:
		g.Handle = overview.PIDText(n.PID)
	case overview.KindSession, overview.KindServer, overview.KindGateway, overview.KindContainer, overview.KindProcess:
	}
	g.What = joined(countsOf(n), g.What)
	return g
}

// countsOf counts the servers and containers below a node.
func countsOf(n *overview.Node) string {
	held := n.Held()
	if held.Things() == 0 && n.Kind != overview.KindSession {
		return ""
	}
	if n.Kind == overview.KindGone { // the tile on what leaked leaves out what may be in use
		return held.Apart()
	}
	return held.WithCopies()
}

// rows returns the rows below a node, without its own processes: the node's own page
// shows those.
func (b builder) rows(n *overview.Node, level int) []row {
	var rows []row
	for i := range n.Children {
		child := &n.Children[i]
		if child.Kind == overview.KindProcess {
			continue
		}
		r := b.row(child)
		r.Level = min(level, deepest)
		rows = append(append(rows, r), b.rows(child, level+1)...)
	}
	return rows
}

// deepest is the greatest indentation.
const deepest = 4

func (b builder) row(n *overview.Node) row {
	return row{
		Key: n.Key, Name: nameOf(n), Handle: n.Handle, What: b.whatText(n),
		Age: orUnknown(b.ago(n.UpSince())), Memory: bytesText(n.Memory()), CPU: percentText(n.CPU()),
		State: b.state(n),
	}
}

func nameOf(n *overview.Node) string {
	switch {
	case n.Name != "":
		return n.Name
	case n.Kind == overview.KindGone:
		return "no known session"
	}
	return "unnamed"
}

func orUnknown(text string) string { return cmp.Or(text, unknown) }

// whatText is the folder and terminal of a session or owner, live or ended, the image of a container,
// and the command of any other node, with the user in front where that is not plain.
func (b builder) whatText(n *overview.Node) string {
	text, more := "", ""
	switch n.Kind {
	case overview.KindSession, overview.KindOwner, overview.KindService, overview.KindGone:
		text, more = overview.FolderOf(n.Cwd, n.User, b.home), n.TTY
	case overview.KindContainer:
		text = n.Image
	case overview.KindServer, overview.KindGateway, overview.KindProcess:
		text = b.home.Command(n.Argv, n.User)
	}
	parts := []string{b.userText(n, text), processesText(n), shortened(text), more}
	if n.Zombies > 0 {
		parts = append(parts, human.Count(n.Zombies, "zombie"))
	}
	return joined(parts...)
}

// processesText counts the processes of a server that has several.
func processesText(n *overview.Node) string {
	isServer := n.Kind == overview.KindServer || n.Kind == overview.KindGateway
	if !isServer || n.Processes < 2 {
		return ""
	}
	return human.Count(n.Processes, "process")
}

// joined joins the texts that are not empty with dots, listed with commas.
func joined(parts ...string) string { return strings.Join(nonEmpty(parts), " · ") }

func listed(parts ...string) string { return strings.Join(nonEmpty(parts), ", ") }

// nonEmpty returns the texts that are not empty.
func nonEmpty(texts []string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// mostText is the limit for a command line or folder in a row, in characters: more than the lines
// that the style sheet shows of it.
const mostText = 240

// shortened cuts the end of a text that no row can show.
func shortened(text string) string {
	if utf8.RuneCountInString(text) <= mostText {
		return text
	}
	return string([]rune(text)[:mostText-1]) + "…"
}
