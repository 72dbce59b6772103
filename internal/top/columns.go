package top

import (
	"cmp"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// columns are the widths of the columns; 0 hides a column.
type columns struct{ name, state, owner, up, memory, cpu int }

// The widths of the columns, including the space in front of each.
const (
	stateCells  = 22
	narrowState = 16
	wideState   = 26
	widestState = 29
	ownerCells  = 20
	upCells     = 9
	memoryCells = 8
	cpuCells    = 8
	leastName   = 24
	shortName   = 18  // what a name keeps beside a countdown on a narrow screen
	wideFrom    = 100 // screens of at least this width have a wide state
	widestFrom  = 140
	ownerFrom   = 110 // screens of at least this width have a column for the owner, if that cuts no name
)

// columns returns the widths for the screen. A narrow screen loses columns one by one; the
// state, by which rows differ, stays longest.
func (m Model) columns() columns {
	var c columns
	for _, c = range []columns{
		{state: stateCells, up: upCells, memory: memoryCells, cpu: cpuCells},
		{state: stateCells, up: upCells, memory: memoryCells},
		{state: stateCells, memory: memoryCells},
		{state: stateCells},
		{state: narrowState},
		{memory: memoryCells},
		{},
	} {
		switch {
		case m.width >= widestFrom:
			c.state = widestState
		case m.width >= wideFrom:
			c.state = wideState
		}
		if m.width >= ownerFrom && m.namesFit(m.width-c.others()-ownerCells) {
			c.owner = ownerCells
		}
		if c.name = m.width - c.others(); c.name >= leastName {
			break
		}
	}
	c.name = max(c.name, 1)
	if c.state == narrowState {
		return m.widened(c)
	}
	return c
}

// namesFit reports that a width cuts no name, nor what stands behind it. The tree tells owners too: names get
// the room first.
func (m Model) namesFit(width int) bool {
	return !slices.ContainsFunc(m.rows, func(r row) bool {
		return r.node != nil && human.Width(m.safe(apart(m.named(r), m.detail(r, width)))) > width
	})
}

// widened gives a narrow state the room that its widest countdown, or the memory of a session,
// needs. The name gives way: its row is recognised by less of it.
func (m Model) widened(c columns) columns {
	room := c.name + c.state
	for _, r := range m.rows {
		if r.node == nil || r.node.Kind != overview.KindSession && m.counts(r).IsZero() {
			continue
		}
		state, _ := m.state(r)
		needs := human.Width(m.safe(withMemory(r.node, withoutIn(inShort(state))))) + 2
		c.state = max(c.state, min(needs, room-shortName))
	}
	c.name = room - c.state
	return c
}

func (c columns) others() int { return c.state + c.owner + c.up + c.memory + c.cpu }

func (c columns) heads() Line {
	text := human.Left("NAME", c.name)
	for _, column := range []struct {
		head  string
		width int
		right bool
	}{{"STATE", c.state, false}, {"OWNER", c.owner, false}, {"UP", c.up, true}, {"MEMORY", c.memory, true}, {"CPU", c.cpu, true}} {
		switch {
		case column.width == 0:
		case column.right:
			text += human.Right(column.head, column.width)
		default:
			text += "  " + human.Left(column.head, column.width-2)
		}
	}
	return Line{{Text: text, Style: Style{Bold: true}}}
}

// rowLine returns one row over all columns.
func (m Model) rowLine(r row, c columns) Line {
	if r.node == nil {
		return m.branchLine(r, c)
	}
	line := m.nameCell(r, c.name)
	if c.state > 0 {
		state, tone := m.stateCell(r, c)
		line = append(line, Span{Text: "  " + m.cell(state, c.state-2), Style: Style{Tone: tone}})
	}
	return append(line, Span{Text: m.owner(r.node, c) + m.figures(r.node, c)})
}

// stateCell describes the state of a row for its column: in short words where the whole
// ones are too wide, and with the memory of a session where no column has that.
func (m Model) stateCell(r row, c columns) (string, Tone) {
	state, tone := m.state(r)
	for _, shorter := range []func(string) string{mayBe, inUseBelow, inShort, withoutIn, itsEnd, whyItStays} {
		if human.Width(m.safe(state)) > c.state-2 {
			state = shorter(state)
		}
	}
	if with := withMemory(r.node, state); c.memory == 0 && human.Width(m.safe(with)) <= c.state-2 {
		state = with
	}
	return state, tone
}

// withMemory is the state of a session with its memory; of anything else the state.
func withMemory(n *overview.Node, state string) string {
	if n.Kind != overview.KindSession || n.Memory() == 0 {
		return state
	}
	return state + " " + human.Bytes(n.Memory())
}

// inShort are the words of a state for a narrow column. What a thing is pinned, idle or ends
// with is the row above or below it.
func inShort(state string) string {
	return strings.NewReplacer(
		"would be removed", "would go", "is removed", "removed", "being removed", "removed",
		"with session", "with it", "with container", "with it", "root's daemon", "root", ", only reported", ", reported", "an older copy", "older copy", " by somebody", "", " for a sweep", "", " for a look", "",
	).Replace(state)
}

// whyItStays drops what is wrong with a thing before the word that it is only reported, and the guard behind
// the word that one keeps it.
func whyItStays(state string) string {
	if strings.HasSuffix(state, ", reported") {
		return "only reported"
	}
	if found, _, kept := strings.Cut(state, ", kept: "); kept {
		return found + ", kept"
	}
	if state == overview.InUseBelow {
		return "kept"
	}
	return state
}

// inUseBelow drops what is wrong with a thing before the word that something below it may be in use.
func inUseBelow(state string) string {
	if strings.HasSuffix(state, ", kept: "+overview.InUseBelow) {
		return overview.InUseBelow
	}
	return state
}

// mayBe drops who decides behind the word that a thing may be in use.
func mayBe(state string) string {
	if strings.HasPrefix(state, overview.MayBeInUse+", ") {
		return overview.MayBeInUse
	}
	return state
}

// withoutIn drops the word before a countdown.
func withoutIn(state string) string {
	if strings.HasPrefix(state, overview.MayBeInUse) {
		return state
	}
	return strings.Replace(state, " in ", " ", 1)
}

// itsEnd drops that a session is live or idle before when a rule stops it.
func itsEnd(state string) string {
	for _, end := range []string{"stops ", "would stop "} {
		if _, when, ends := strings.Cut(state, ", "+end); ends {
			return end + when
		}
	}
	return state
}

func (m Model) owner(n *overview.Node, c columns) string {
	if c.owner == 0 {
		return ""
	}
	text := ""
	if n.Kind != overview.KindProcess && n.Kind != overview.KindSession && n.Kind != overview.KindOwner {
		text = n.Owner.String()
	}
	return "  " + m.cell(text, c.owner-2)
}

// figures returns the columns with numbers; a dash means unknown, or that a container is not up.
func (m Model) figures(n *overview.Node, c columns) string {
	dash := m.either("–", "-")
	up, memory, cpu := dash, dash, dash
	if since := n.UpSince(); !since.IsZero() {
		up = human.Span(m.age(since))
	}
	if bytes := n.Memory(); bytes > 0 {
		memory = human.Bytes(bytes)
	}
	if percent, known := n.CPU(); known {
		cpu = human.Percent(percent)
	}
	return m.right(up, c.up) + m.right(memory, c.memory) + m.right(cpu, c.cpu)
}

// nameCell returns the lines of the tree, the name and, if there is room, the detail.
func (m Model) nameCell(r row, width int) Line {
	name := m.named(r)
	line := Line{{Text: m.cell(name, min(width, human.Width(m.safe(name))))}}
	room := width - human.Width(line.String())
	if detail := m.detail(r, room-2); detail != "" && room > leastDetail {
		return append(line, Span{Text: m.cell("  "+detail, room), Style: Style{Tone: overview.ToneAside}})
	}
	return append(line, Span{Text: strings.Repeat(" ", room)})
}

// named returns the lines of the tree and the name.
func (m Model) named(r row) string { return m.trunk(r) + m.mark(r) + r.node.Title() }

// leastDetail is the least width for which a detail is worth showing.
const leastDetail = 12

// trunk returns the lines that tie a row to its parent.
func (m Model) trunk(r row) string {
	var b strings.Builder
	for _, more := range r.trunk {
		if more {
			b.WriteString(m.either("│ ", "| "))
		} else {
			b.WriteString("  ")
		}
	}
	if r.last {
		return b.String() + m.either("└ ", "`- ")
	}
	return b.String() + m.either("├ ", "|- ")
}

// mark tells whether a row has something folded below it.
func (m Model) mark(r row) string {
	switch {
	case r.most == folded:
		return ""
	case r.open == folded:
		return m.either("▸ ", "> ")
	case r.open < r.most:
		return m.either("▹ ", "~ ")
	}
	return m.either("▾ ", "v ")
}

// detail returns what tells a row from others of its name. A folder is shortened to a width
// in front: folders differ at their end.
func (m Model) detail(r row, width int) string {
	n, held := r.node, heldBelow(r)
	switch n.Kind {
	case overview.KindGone:
		if held = n.Totals.Apart(); r.part() != "" {
			held = ""
		}
		return apart(r.part(), m.tail(m.folderOf(n), width), held)
	case overview.KindSession:
		return apart(r.part(), m.tail(overview.PlaceOf(n.Cwd, n.User, m.options.Home), width), held, n.TTY)
	case overview.KindContainer:
		return n.Image
	case overview.KindOwner:
		return cmp.Or(held, overview.Stranger)
	case overview.KindService:
		return cmp.Or(held, "a service")
	case overview.KindServer, overview.KindGateway, overview.KindProcess:
	}
	return cmp.Or(held, m.options.Home.Command(n.Argv, n.User))
}

// heldBelow counts what is folded below a row; empty for what is one thing.
func heldBelow(r row) string {
	n := r.node
	if r.open > folded || n.Kind == overview.KindServer || n.Kind == overview.KindContainer || n.Totals.Things() == 0 {
		return ""
	}
	if n.Kind == overview.KindSession && r.part() != "" { // told in front
		return ""
	}
	return cmp.Or(r.part(), n.Totals.WithCopies())
}

// apart joins the texts that are not empty.
func apart(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "  ")
}

// tail drops the first elements of a path that is wider than width, if that makes it shorter.
func (m Model) tail(path string, width int) string {
	rest := path
	for human.Width(rest) > width {
		_, after, more := strings.Cut(strings.TrimPrefix(rest, m.either("…/", "../")), "/")
		if !more {
			break
		}
		rest = m.either("…/", "../") + after
	}
	if human.Width(rest) >= human.Width(path) {
		return path
	}
	return rest
}

// branchLine is the heading of a branch: what is in it or, with a filter, how much of that is shown, and the memory
// of all of it.
func (m Model) branchLine(r row, c columns) Line {
	t := r.branch.Totals
	width := c.name + c.state + c.owner + c.up
	head, means := branchHead(r.branch)
	text, sum := m.mark(r)+head+means, ""
	switch {
	case r.part() != "":
		sum = "  " + r.part() + r.shown.memory()
	case t.Things() > 0:
		sum = "  " + t.Apart()
	}
	if human.Width(text+sum) > width {
		text = m.mark(r) + head
	}
	line := Line{{Text: m.cell(text+sum, width), Style: Style{Bold: true}}}
	if c.memory > 0 && t.MemoryBytes > 0 {
		line = append(line, Span{Text: m.right(human.Bytes(t.MemoryBytes), c.memory)})
	}
	return line
}

// branchHead describes a branch in words, and says what they mean where there is room.
func branchHead(branch *overview.Branch) (head, means string) {
	switch branch.Name {
	case overview.BranchLeaked:
		if t := branch.Totals; t.Leaked().Things() < t.Things() {
			return "LEAKED", ": nobody alive is seen to own these"
		}
		return "LEAKED", ": nobody alive owns these"
	case overview.BranchSessions:
		return "LIVE SESSIONS", ""
	case overview.BranchOthers:
		return "OF OTHER LIVE PROCESSES", ""
	case overview.BranchUnclear:
	}
	return "UNCLEAR", ": nothing proves whose these are"
}
