package top

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// head sums up the tree, what leaks, who acts, and what could not be read. On a narrow
// screen its lines are wrapped where that leaves half of the screen to the tree, what leaks
// first.
func (m Model) head() []Line {
	parts := [][]Line{{m.sum()}, {m.matter()}, {m.who()}, m.gaps()}
	room := m.height/2 - len(slices.Concat(parts...))
	for _, part := range []int{1, 2, 0} {
		if lines := m.wrapped(parts[part][0]); len(lines)-1 <= room {
			parts[part], room = lines, room-len(lines)+1
		}
	}
	return slices.Concat(parts...)
}

func (m Model) sum() Line {
	name := Span{Text: "reaperd top", Style: Style{Bold: true}}
	if !m.looked {
		return Line{name}
	}
	t := m.tree.Totals
	memory := human.Bytes(t.MemoryBytes)
	if m.tree.OneMemoryKind() {
		memory += " " + strings.ToUpper(t.MemoryKind)
	}
	text := "  " + strings.Join([]string{human.Count(t.Sessions, "session"), human.Count(t.Servers, "server"), m.containers(), memory}, ", ")
	return Line{name, {Text: "  " + m.tree.Hostname}, {Text: text}}
}

// containers counts them. Without an answer of their engine nobody knows that there are none.
func (m Model) containers() string {
	if n := m.tree.Totals.Containers; n > 0 || !m.tree.LacksContainers() {
		return human.Count(n, "container")
	}
	return "containers not read"
}

// matter tells what leaks and what is idle, how much memory it uses, and when it ends.
func (m Model) matter() Line {
	if !m.looked {
		return nil
	}
	t := m.tree.Totals
	var line Line
	say := func(tone Tone, text string) {
		if len(line) > 0 {
			text = "  " + text
		}
		line = append(line, Span{Text: text, Style: Style{Tone: tone}})
	}
	if leaked := m.leaked(); leaked != "" {
		say(overview.ToneGoes, leaked)
	}
	if more := m.moreUnseen(); more != "" {
		say(overview.ToneWaits, more)
	}
	goes, idle := m.goesAndIdles()
	if m.nothingLeaks() {
		say(overview.ToneLives, "Nothing leaks"+m.tree.AsSeen()+".")
	}
	if goes != "" {
		say(overview.ToneGoes, goes)
	}
	if reported := t.Reported - t.Guarded; reported > 0 {
		say(overview.ToneWaits, human.Number(reported)+" only reported")
	}
	if kept := t.Guarded; kept > 0 {
		say(overview.ToneWaits, human.Number(kept)+" kept")
	}
	if soon := m.soonText(); soon != "" {
		say(overview.ToneWaits, soon)
	}
	if idle != "" {
		say(overview.ToneWaits, idle)
	}
	if n := m.pinnedHere(); n > m.pinnedIdle() {
		say(overview.ToneLives, human.Number(n)+" pinned")
	}
	return line
}

// nothingLeaks reports that nothing leaked, and that no rule reports or ends anything but idle sessions.
func (m Model) nothingLeaks() bool {
	n, ending := m.more()
	return m.leaked() == "" && m.tree.Totals.Reported == 0 && n == ending.idle
}

// pinnedHere counts the pins of things that are in the tree: the reader's, and those of users that hold for root.
func (m Model) pinnedHere() int {
	here := 0
	m.tree.Walk(func(n *overview.Node, _ int) bool {
		if n.State == overview.StatePinned && n.PinnedBy != "" && n.KeptWith.Target == "" && !m.mine[n.Target] {
			here++
		}
		return true
	})
	for target := range m.mine {
		if m.mine[target] && m.tree.OfTarget(target) != nil {
			here++
		}
	}
	return here
}

// leaked counts what stands below the heading of what leaked without what may be in use, and tells when that
// stops; empty if nothing leaked.
func (m Model) leaked() string {
	branch := m.tree.Branch(overview.BranchLeaked)
	if branch == nil || branch.Totals.Things() == 0 {
		return ""
	}
	t := branch.Totals.Leaked()
	text := human.Number(t.Things()) + " leaked"
	if t.MemoryBytes > 0 {
		text += ", " + human.Bytes(t.MemoryBytes)
	}
	if going := t.Going(); going > 0 {
		text += ": " + m.firstOf([]overview.Branch{*branch}, going, t.Things())
	}
	return text
}

// goesAndIdles counts what a rule ends elsewhere, with when, and the idle sessions that stay; each is
// empty if there is none.
func (m Model) goesAndIdles() (goes, idle string) {
	idles := func(n int, bytes uint64) string {
		if n == 0 {
			return ""
		}
		return human.Count(n, "session") + " idle, " + human.Bytes(bytes)
	}
	n, ending := m.more()
	soonIdle, soonBytes := m.soonIdle()
	stay := m.tree.Totals.IdleSessions - ending.idle - soonIdle
	idle = idles(stay, m.tree.Totals.IdleBytes-min(ending.idleBytes+soonBytes, m.tree.Totals.IdleBytes))
	switch pinned := m.pinnedIdle(); {
	case pinned < m.pinnedHere(), pinned == 0: // the sum of all pins is told once
	case pinned == stay:
		idle += ", pinned"
	default:
		idle += ", " + human.Number(pinned) + " pinned"
	}
	if n == 0 {
		return "", idle
	}
	switch {
	case ending.idle == n:
		goes = idles(n, ending.idleBytes)
	case ending.sessions == n:
		goes = human.Count(n, "session")
	case ending.older == n:
		goes = human.Count(n, "older copy")
	case m.leaked() != "":
		goes = human.Number(n) + " more"
	default:
		goes = human.Count(n, m.kindOfUnleaked(n))
	}
	return goes + ": " + m.firstOf(m.unleaked(), n, n), idle
}

// ending counts sessions that a rule ends, the idle ones among them, and older copies.
type ending struct {
	sessions, idle, older int
	idleBytes             uint64
}

// unleaked are the branches of the tree but that of what leaked. In these a session that a rule ends has no
// children: it is counted as one thing, with all that ends with it.
func (m Model) unleaked() []overview.Branch {
	branches := slices.DeleteFunc(slices.Clone(m.tree.Branches), func(b overview.Branch) bool { return b.Name == overview.BranchLeaked })
	for i := range branches {
		branches[i].Nodes = slices.Clone(branches[i].Nodes)
		for j := range branches[i].Nodes {
			if top := &branches[i].Nodes[j]; top.Kind == overview.KindSession && top.State.IsGoing() {
				top.Children = nil
			}
		}
	}
	return branches
}

// kindOfUnleaked is what n things are called that a rule ends outside of what leaked.
func (m Model) kindOfUnleaked(n int) string {
	servers, containers := 0, 0
	tree := overview.Tree{Branches: m.unleaked()}
	tree.Walk(func(node *overview.Node, _ int) bool {
		goes := node.State.IsGoing() || node.Next.EndsWith != ""
		switch {
		case goes && node.Kind == overview.KindContainer:
			containers++
		case goes && node.Kind != overview.KindSession:
			servers++
		}
		return true
	})
	switch n {
	case servers:
		return "server"
	case containers:
		return "container"
	}
	return "thing"
}

// pinnedIdle counts the idle sessions that the reader has pinned.
func (m Model) pinnedIdle() (n int) {
	for _, branch := range m.tree.Branches {
		for i := range branch.Nodes {
			if top := &branch.Nodes[i]; top.Kind == overview.KindSession && top.Totals.IdleSessions > 0 && m.mine[top.Target] && !top.State.IsGoing() {
				n++
			}
		}
	}
	return n
}

// more counts what a rule ends elsewhere, and the sessions among that. A session is one with all that it
// holds.
func (m Model) more() (n int, of ending) {
	for _, branch := range m.unleaked() {
		for i := range branch.Nodes {
			top := &branch.Nodes[i]
			if top.Kind != overview.KindSession || !top.State.IsGoing() {
				n += top.Totals.Going()
				of.older += olderCopies(branch.Nodes[i : i+1])
				continue
			}
			n++ // what it holds goes with it
			of.sessions++
			if top.Totals.IdleSessions > 0 {
				of.idle, of.idleBytes = of.idle+1, of.idleBytes+top.Totals.IdleBytes
			}
		}
	}
	return n, of
}

// olderCopies counts the older copies among nodes that a rule ends, and below them.
func olderCopies(nodes []overview.Node) (n int) {
	for i := range nodes {
		if nodes[i].Finding == graph.FindingDuplicate && nodes[i].State.IsGoing() {
			n++
		}
		n += olderCopies(nodes[i].Children)
	}
	return n
}

// beingStopped is what is told of several things whose end has begun.
const beingStopped = "being stopped"

// firstOf says when the n things below branches that are going stop, or the first of them if
// not all of them stop then, and how many are being stopped. all is how many things there are.
func (m Model) firstOf(branches []overview.Branch, n, all int) string {
	begun := 0
	for i := range branches {
		begun += reaping(branches[i].Nodes)
	}
	switch {
	case begun == n && n == all:
		return beingStopped
	case begun == n:
		return human.Number(n) + " " + beingStopped
	case begun > 0:
		return human.Number(begun) + " " + beingStopped + ", " + m.nextOf(branches, n-begun, all)
	}
	return m.nextOf(branches, n, all)
}

func (m Model) nextOf(branches []overview.Branch, n, all int) string {
	of := ""
	if n < all {
		of = human.Number(n) + " "
	}
	first := m.soonest(branches)
	if now, next := m.dueNow(branches); now > 0 && now < n && !next.IsZero() {
		return human.Number(now) + " " + m.fate(now, onlyRemoved(branches, m.now), time.Time{}) + ", " + m.laterText(branches, n-now, next)
	}
	if !m.isFirst(branches, first) {
		return of + m.fate(n, onlyRemoved(branches, time.Time{}), first)
	}
	if of != "" {
		of = "of " + of
	}
	return "the first " + of + m.fate(1, onlyRemoved(branches, first.Add(time.Second)), first)
}

// laterText tells when n things below branches go, of which the next is due then: "2 in 14s", "the
// next in 14s" if the others go later.
func (m Model) laterText(branches []overview.Branch, n int, next time.Time) string {
	if m.isFirst(branches, next) {
		return "the next in " + m.countdown(next)
	}
	return human.Number(n) + " in " + m.countdown(next)
}

// dueNow counts the things below branches whose time has come and whose end has not begun, or that end
// with such a thing, and returns when that of the next comes; zero if there is none.
func (m Model) dueNow(branches []overview.Branch) (n int, next time.Time) {
	tree := overview.Tree{Branches: branches}
	tree.Walk(func(node *overview.Node, _ int) bool {
		due := node.Next.DueAt
		switch waits := node.State == overview.StatePending && node.Next.Beyond == 0 && !due.IsZero(); {
		case node.State == overview.StateDue, node.Next.EndsWith != "", waits && m.ahead(due).IsZero():
			n++
		case waits && (next.IsZero() || due.Before(next)):
			next = due
		}
		return true
	})
	return n, next
}

// soonest returns when the next thing below branches is due; zero if nothing is.
func (m Model) soonest(branches []overview.Branch) time.Time {
	var next time.Time
	for i := range branches {
		for j := range branches[i].Nodes {
			at := m.ahead(dueAt(&branches[i].Nodes[j]))
			if next.IsZero() || !at.IsZero() && at.Before(next) {
				next = at
			}
		}
	}
	return next
}

// Limits of the notice of what could not be seen: its lines, on a screen of so many lines.
const (
	mostGapLines = 3
	roomForGaps  = 20
)

// readsThem is the command that reads what only root may read.
const readsThem = "sudo reaperd top reads them"

// stopsNothing is said of x while the policy file is refused.
const stopsNothing = "x stops nothing"
