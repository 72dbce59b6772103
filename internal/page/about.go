package page

import (
	"cmp"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// about is the page of one node.
type about struct {
	Name, Kind string
	Taken      string // the time, and how long ago the look was
	State      state
	Reason     string
	Facts      []fact
	Evidence   []evidence
	Guards     []string
	Holds      []row // the servers and containers below it
	Processes  []row
	Commands   []overview.Command
}

// farewell is the page of a node that is no more.
type farewell struct{ Name, Taken, Fate string }

func newFarewell(in Input, key string) farewell {
	c, t := clockOf(in), &in.Tree
	return farewell{cmp.Or(t.TitleOf(key), "Nothing"), takenText(t, c), t.Fate(key, t.At, c.moment)}
}

// takenText is the time, and how long ago the look was.
func takenText(t *overview.Tree, c clock) string {
	if t.At.IsZero() {
		return c.moment(c.now) + ", no look yet"
	}
	return c.moment(c.now) + ", looked " + c.ago(t.At) + " ago"
}

// fact is one line about the node. Key is that of the node which its text names, if that has a
// page of its own. Code is something to write or to type, behind the text.
type fact struct{ Name, Text, Key, Code string }

type evidence struct{ Check, Text, Says string }

func newAbout(in Input, key string) (about, bool) {
	c := clockOf(in)
	t := &in.Tree
	n := t.Find(key)
	if n == nil {
		return about{}, false
	}
	place := t.PlaceOf(key)
	rows := newBuilder(t, c, place)
	title := n.Title()
	a := about{
		Name: title, Kind: string(n.Kind), Taken: takenText(t, c), State: rows.state(n),
		Reason: reasonOf(n), Facts: factsOf(t, n, c), Commands: commandsOf(t, n),
	}
	for _, e := range n.Evidence {
		says := e.Says.String()
		switch {
		case e.Says == graph.SaysSilent:
			says = unknown
		case e.Proof:
			says += ", proof"
		}
		a.Evidence = append(a.Evidence, evidence{Check: string(e.Check), Text: e.Text, Says: says})
	}
	for _, g := range n.Guards {
		a.Guards = append(a.Guards, string(g.Guard)+": "+g.Text)
	}
	below := newBuilder(t, c, place.Below(n))
	below.told = userOf(n)
	a.Holds = below.rows(n, 1)
	for i := range n.Children {
		if child := &n.Children[i]; child.Kind == overview.KindProcess {
			r := rows.row(child)
			r.Handle, r.What = overview.PIDText(child.PID), strings.Join(child.Argv, " ")
			a.Processes = append(a.Processes, r)
		}
	}
	return a, true
}

// reasonOf is why a node has its state, without the state, which stands before it.
func reasonOf(n *overview.Node) string {
	if n.State == overview.StatePinned && n.Finding == "" { // the guards tell what keeps it
		return ""
	}
	if n.Rests {
		return strings.TrimPrefix(n.Reason, finding.Word(string(graph.FindingDuplicate))+": ")
	}
	return n.Reason
}

// factsOf tells what is known of a node. An idle time is that of the look.
func factsOf(t *overview.Tree, n *overview.Node, c clock) []fact {
	facts := []fact{
		{Name: "whose", Text: whose(t, n, c), Key: keyOfOwner(t, n)},
		{Name: "finding", Text: findingLine(t, n, c)},
		{Name: "rule", Text: ruleLine(n, c.home)},
		{Name: "next", Text: nextLine(t, n, c)},
		{Name: "nobody acts", Text: hindrance(t, n, c)},
		{Name: "command", Text: strings.Join(n.Argv, " ")},
		{Name: "folder", Text: overview.FolderOf(n.Cwd, n.User, c.home)},
		{Name: "terminal", Text: n.TTY},
		{Name: "docker run", Text: t.Runner(n)},
		{Name: "image", Text: n.Image},
		{Name: "container", Text: n.ContainerID},
		{Name: "user", Text: n.User},
		started(n, c),
		{Name: "memory", Text: memoryLine(n)},
		{Name: "processor", Text: processorLine(n)},
		{Name: "idle", Text: idleLine(t, n, c.at(t.At))},
		{Name: "go on", Text: resume(n)},
		wayToAct(t, n, c),
	}
	known := facts[:0]
	for _, f := range facts {
		if f.Text != "" {
			known = append(known, f)
		}
	}
	return known
}

// whose names the owner of a node; a session is its own.
func whose(t *overview.Tree, n *overview.Node, c clock) string {
	switch n.Kind {
	case overview.KindServer, overview.KindGateway, overview.KindContainer:
	case overview.KindSession, overview.KindProcess, overview.KindOwner, overview.KindService, overview.KindGone:
		return ""
	}
	text := ownerText(n.Owner)
	if t.IsLeftOver(n.Owner) {
		return text + ", which is left over itself"
	}
	if n.Owner.Liveness == "gone" && n.Owner.Name == "" && n.Owner.PID == 0 {
		return "nobody is known who started it"
	}
	if n.Owner.Liveness == "gone" {
		text = strings.TrimSpace(text + ", which ended " + ended(c.ago(n.Owner.Since)))
	}
	return text
}

// keyOfOwner is the key of the node of a node's owner; empty if the owner has none.
func keyOfOwner(t *overview.Tree, n *overview.Node) string {
	if top := t.Top(n.Key); top != nil && top.Key != n.Key && n.Owner.PID != 0 && top.PID == n.Owner.PID {
		return top.Key
	}
	return ""
}

// goesLine tells when a node goes with its session, its gateway or its docker run, and by which rule.
func goesLine(t *overview.Tree, n *overview.Node, c clock) string {
	session, goes := t.Top(n.Key), t.PlaceOf(n.Key).Stops && n.GoesWithSession()
	if goesLater(t, n) {
		session, goes = t.Find(n.Next.With), true
	}
	at, rule, ifSo := time.Time{}, "", ""
	switch {
	case session == nil:
		return ""
	case goes:
		at, rule = session.Next.DueAt, session.Next.Rule
	case t.PlaceOf(n.Key).StopsSoon(n, c.now):
		at, rule, ifSo = session.Next.AheadAt, session.Next.AheadRule, " if it goes on doing nothing"
	default:
		return ""
	}
	text := session.Title() + ", with which it goes, " + tellerOf(t, c).Deed(session)
	if at.After(c.now) {
		text += " at " + c.moment(at)
	}
	return text + ifSo + " (rule " + rule + ")"
}

// nextLine tells what becomes of a node, and when.
func nextLine(t *overview.Tree, n *overview.Node, c clock) string {
	teller := tellerOf(t, c)
	switch at := teller.Ahead(n.Next.DueAt); {
	case n.State == overview.StatePending && !goesLater(t, n) && n.Next.Beyond == 0 && !at.IsZero():
		text := teller.Deed(n) + " at " + c.moment(at)
		if along := goesAlong(t, n); len(along) > 0 {
			text += ", and with it " + goingText(along)
		} else if n.Kind == overview.KindSession {
			text += ", with all that it holds"
		}
		return text
	case n.StopsSoon(c.now):
		return teller.Deed(n) + " at " + c.moment(n.Next.AheadAt) + " if it goes on doing nothing (rule " + n.Next.AheadRule + "), with all that it holds"
	}
	return awaitsLine(n, c.home) + goesLine(t, n, c) + t.IdleFrom(n)
}

// findingLine tells what is wrong with a node, and since when. An idle time is that of the look, as
// in all other lines.
func findingLine(t *overview.Tree, n *overview.Node, c clock) string {
	switch n.Finding {
	case "":
		return ""
	case graph.FindingIdle:
		c = c.at(t.At)
	}
	text := string(n.Finding) + ": " + policy.Meaning(n.Finding)
	switch ago := c.ago(n.FindingSince); {
	case ago == "":
	case n.Finding == graph.FindingIdle:
		text += ", for " + ago + " (since " + c.moment(n.FindingSince) + ")"
	default:
		text += ", first seen " + ago + " ago (" + c.moment(n.FindingSince) + ")"
	}
	return text
}

func ruleLine(n *overview.Node, home human.Home) string {
	if n.Next.Rule == "" {
		return ""
	}
	text := n.Next.Rule + ", action " + string(n.Next.Action)
	if n.Next.Origin != "" {
		text += ", " + home.Short(n.Next.Origin, "")
	}
	return text
}

// wayToAct tells, as explain does, how to make a rule act that only reports a node.
func wayToAct(t *overview.Tree, n *overview.Node, c clock) fact {
	change := t.WayToAct(n, c.home)
	if change.Line == "" {
		return fact{}
	}
	return fact{Name: "to act", Text: change.Where + ": ", Code: change.Line}
}

// awaitsLine tells what becomes of an older copy that counts as in use, if it goes on idling.
func awaitsLine(n *overview.Node, home human.Home) string {
	if n.Next.Awaits.Rule == "" || n.State == overview.StatePinned { // a pin keeps it then
		return ""
	}
	return n.Next.Awaits.String() + " (" + home.Short(n.Next.Awaits.Origin, "") + ")"
}

// hindrance tells why the daemon does not stop what a rule would end.
func hindrance(t *overview.Tree, n *overview.Node, c clock) string {
	if n.State != overview.StatePending && n.State != overview.StateDue {
		return ""
	}
	return t.Hindrance(c.moment)
}

// started tells when a node started or, of a container that never did, when it was created.
func started(n *overview.Node, c clock) fact {
	f := fact{Name: "started"}
	if n.NeverStarted {
		f.Name = "created"
	}
	if !n.StartedAt.IsZero() {
		f.Text = c.moment(n.StartedAt) + ", " + c.ago(n.StartedAt) + " ago"
	}
	return f
}

// heldBy names what a sum counts beside the node. Other processes below it are in no sum.
func heldBy(n *overview.Node) string {
	if n.Kind == overview.KindGone { // it has no memory of its own
		return " in " + n.Held().String()
	}
	return " with its " + n.Held().String()
}

func memoryLine(n *overview.Node) string {
	if n.Totals.MemoryBytes == 0 && n.MemoryBytes == 0 {
		return ""
	}
	if n.MemoryBytes == 0 {
		return bytesText(n.Totals.MemoryBytes) + " " + strings.ToUpper(n.Totals.MemoryKind) + heldBy(n)
	}
	text := bytesText(n.MemoryBytes) + " " + strings.ToUpper(n.MemoryKind)
	if n.Totals.MemoryBytes > n.MemoryBytes {
		text += ", " + bytesText(n.Totals.MemoryBytes) + heldBy(n)
	}
	return text
}

func processorLine(n *overview.Node) string {
	percent, known := n.CPUPercent.Get()
	if !known {
		return ""
	}
	text := human.Percent(percent) + " of one core"
	if all, _ := n.CPU(); n.Held().Things() > 0 {
		text += ", " + human.Percent(all) + heldBy(n)
	}
	return text
}

// resume tells how a session is continued by its client's own command; empty if unknown.
func resume(n *overview.Node) string {
	if n.Kind != overview.KindSession {
		return ""
	}
	if command := catalogue.Resumes()[n.Name]; command != "" {
		return "once it has ended, in its folder: " + command
	}
	return ""
}

// idleLine tells since when a node, and the servers of a session, did nothing at the look, or
// how a session was used.
func idleLine(t *overview.Tree, n *overview.Node, c clock) string {
	switch {
	case n.Unmeasured:
		return "unknown: " + n.Use
	case n.Use != "":
		return "no: " + n.Use
	case n.IdleSince.IsZero():
		return ""
	}
	text := "for " + atLeast(n) + human.Span(t.At.Sub(n.IdleSince)) + ", since " + c.moment(n.IdleSince)
	if !n.ServersIdleSince.IsZero() {
		text += "; its servers for " + human.Span(t.At.Sub(n.ServersIdleSince))
	}
	return text
}
