package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// sheet collects paragraphs with a heading in their first column.
type sheet struct {
	model Model
	text  text
}

// aboutCells is the width of the first column.
const aboutCells = 11

// say adds a text, in as many lines as it needs. An empty text adds nothing.
func (s *sheet) say(about, text string) { s.tell(about, text, overview.TonePlain) }

func (s *sheet) tell(about, text string, tone Tone) {
	if text == "" {
		return
	}
	var paragraph []Line
	for _, line := range human.Lines(s.model.safe(text), max(s.model.width-aboutCells, 8)) {
		paragraph = append(paragraph, Line{{Text: human.Left(about, aboutCells), Style: Style{Bold: true}}, {Text: line, Style: Style{Tone: tone}}})
		about = ""
	}
	s.text = append(s.text, paragraph)
}

// gap adds an empty line, unless the last line is empty.
func (s *sheet) gap() {
	if n := len(s.text); n > 0 && s.text[n-1][0] != nil {
		s.text = append(s.text, []Line{nil})
	}
}

// detailsTitle names the node and its state.
func (m Model) detailsTitle() string {
	n := m.tree.Find(m.page.about)
	if n == nil {
		return m.safe(m.page.title)
	}
	text := n.Title()
	if state, _ := m.state(m.rowOf(n)); state != "" {
		text += ": " + state
	}
	return text
}

// rowOf returns a row for a node outside the tree's list.
func (m Model) rowOf(n *overview.Node) row {
	place := m.tree.PlaceOf(n.Key)
	if above := m.tree.Top(n.Key); above != nil && above.Key != n.Key {
		place = m.placeBelow(place, above)
	}
	return row{key: n.Key, node: n, branch: m.tree.Branch(place.Branch), place: place, most: mostOf(n), open: things}
}

// details shows everything that is known of a node.
func (m Model) details() text {
	n := m.tree.Find(m.page.about)
	if n == nil {
		return said(human.Lines(m.safe(m.tree.Fate(m.page.about, m.page.missing, m.moment)), m.width))
	}
	s := &sheet{model: m}
	if n.Kind == overview.KindGone {
		m.sayGone(s, n)
		return s.text
	}
	m.sayWhat(s, n)
	s.gap()
	m.sayStranger(s, n)
	s.say("whose", m.whose(n))
	s.say("why", n.Reason)
	if n.Outcome != "" {
		s.tell("tried", n.Outcome, overview.ToneGoes)
	}
	s.gap()
	for _, e := range n.Evidence {
		s.say(string(e.Check), e.Text+speaksFor(e))
	}
	for _, guard := range n.Guards {
		s.tell("guard", string(guard.Guard)+": "+guard.Text, overview.ToneLives)
	}
	s.gap()
	m.sayNext(s, n)
	return s.text
}

// sayStranger says what reaperd does about a live process that is no known client, and how to
// have it known.
func (m Model) sayStranger(s *sheet, n *overview.Node) {
	if n.Kind != overview.KindOwner {
		return
	}
	s.say("why", overview.Stranger+": reaperd never touches it, and keeps what it owns while it lives")
	if n.Name != "" {
		naming := policy.Naming(n.Name, m.tree.Policy, m.options.Home)
		s.say("to name it", "as a client, with its idle time and its pins, "+naming.Where+":")
		s.say("", naming.Line)
	}
}

func speaksFor(e graph.Evidence) string {
	switch {
	case e.Says == graph.SaysSilent:
		return ""
	case e.Proof:
		return " (" + string(e.Says) + ", proof)"
	}
	return " (" + string(e.Says) + ")"
}

func (m Model) sayWhat(s *sheet, n *overview.Node) {
	what := []string{string(n.Kind)}
	if n.Processes > 0 {
		what = append(what, human.Count(n.Processes, "process"))
	}
	if n.Zombies > 0 {
		what = append(what, human.Count(n.Zombies, "zombie"))
	}
	if n.MemoryBytes > 0 {
		what = append(what, human.Bytes(n.MemoryBytes))
	}
	if percent, known := n.CPUPercent.Get(); known {
		what = append(what, human.Percent(percent)+" cpu")
	}
	s.say("what", strings.Join(what, ", "))
	if held := n.Held(); held.Things() > 0 && held.MemoryBytes > n.MemoryBytes {
		s.say("", "with the "+held.String()+" below it "+human.Bytes(held.MemoryBytes))
	}
	s.say("", strings.Join(n.Argv, " "))
	s.say("", n.Image)
	s.say("", m.origin(n))
	s.say("", n.Leaves)
	if runner := m.tree.Runner(n); runner != "" {
		s.say("", "its docker run: "+runner)
	}
	switch {
	case n.Unmeasured:
		s.say("", "whether it idles is unknown: "+n.Use)
		return
	case n.Use != "":
		s.say("", "it is in use: "+n.Use)
		return
	}
	s.say("", m.idle("it", n.IdleSince)+orMore(n))
	s.say("", m.idle("its servers", n.ServersIdleSince)+serversOrMore(n))
}

// origin tells when, by whom and where the node was started.
func (m Model) origin(n *overview.Node) string {
	var parts []string
	if !n.StartedAt.IsZero() {
		began := "started"
		if n.NeverStarted {
			began = "created"
		}
		parts = append(parts, fmt.Sprintf("%s %s (%s ago)", began, m.moment(n.StartedAt), human.Span(m.age(n.StartedAt))))
	}
	for _, part := range []struct{ word, value string }{{"by ", n.User}, {"in ", m.folderOf(n)}, {"on ", n.TTY}, {"container ", human.Handle(n.ContainerID)}} {
		if part.value != "" {
			parts = append(parts, part.word+part.value)
		}
	}
	return strings.Join(parts, " ")
}

func (m Model) moment(at time.Time) string {
	return human.Moment(at.In(m.options.Location))
}

func (m Model) idle(who string, since time.Time) string {
	if since.IsZero() {
		return ""
	}
	return who + " did nothing since " + m.moment(since) + " (" + human.Span(m.age(since)) + ")"
}

// orMore adds that a node may have been idle for longer than reaperd has seen.
func orMore(n *overview.Node) string {
	if n.IdleAtLeast && !n.IdleSince.IsZero() {
		return " or longer: it was never seen in use"
	}
	return ""
}

// serversOrMore is [orMore] for the servers of a session.
func serversOrMore(n *overview.Node) string {
	isOlder := func(c overview.Node) bool { return c.IdleAtLeast && c.IdleSince.Equal(n.ServersIdleSince) }
	if slices.ContainsFunc(n.Children, isOlder) {
		return " or longer"
	}
	return ""
}

func (m Model) whose(n *overview.Node) string {
	name := n.Owner.String()
	switch {
	case n.Kind == overview.KindProcess, n.Kind == overview.KindSession, n.Kind == overview.KindOwner, n.Kind == overview.KindService:
		return ""
	case n.Owner.Liveness == graph.LivenessLive && name != "":
		return name + ", which lives"
	case n.MayBeInUse():
		return "it may be in use, by a process that cannot be seen from here"
	case n.Owner.Liveness == graph.LivenessLive:
		return "it is in use; by whom is not known"
	case m.tree.IsLeftOver(n.Owner):
		return name + ", which is left over itself: nobody alive owns it"
	case n.Owner.Liveness == graph.LivenessGone && name != "":
		if n.Owner.Since.IsZero() {
			return name + ", which is gone: nobody alive owns it"
		}
		return name + ", gone since " + m.moment(n.Owner.Since) + ": nobody alive owns it"
	case n.Owner.Liveness == graph.LivenessGone:
		return "nobody's: nobody alive owns it"
	}
	return "nothing proves whose it is"
}

// sayNext says which rule decided, what it does and when, and how to keep the node.
func (m Model) sayNext(s *sheet, n *overview.Node) {
	if n.Finding != "" {
		s.tell("finding", finding.Since(string(n.Finding), m.moment(n.FindingSince))+": "+policy.Meaning(n.Finding), overview.ToneWaits)
	}
	if n.Next.Rule != "" {
		s.say("rule", n.Next.Rule+m.ruleText(n))
	}
	if n.State.IsGoing() {
		state, tone := m.state(m.rowOf(n))
		s.tell("next", state+deedText(n), tone)
		if !m.acting() && n.State != overview.StateReaping {
			s.say("", m.actor())
		}
	}
	s.say("", m.together(n))
	m.sayWithSession(s, n)
	m.sayAlong(s, n)
	m.sayAwaits(s, n)
	if by := m.byHand().StopCommand(n, n.Typed()); by.Line != "" && !m.isPinned(n) && !m.goesAnyway(n) {
		s.say("stop it", m.stopText(n, by))
	}
	m.sayIdleFrom(s, n)
	m.sayKeep(s, n)
}

// sayIdleFrom says when a rule stops a live session that does nothing, if that is soon, else from when on it counts
// as idle.
func (m Model) sayIdleFrom(s *sheet, n *overview.Node) {
	at := m.ahead(n.Next.AheadAt)
	if ahead := n.StopsSoon(m.now) && !m.isPinned(n); ahead && !at.IsZero() {
		s.tell("next", m.teller().Deed(n)+" in "+m.countdown(at)+" if it goes on doing nothing (rule "+n.Next.AheadRule+"), with all that it holds", overview.ToneWaits)
		return
	}
	if from := m.tree.IdleFrom(n); from != "" {
		s.say("next", from)
	}
}

// sayWithSession tells of what nothing ends but the end of its session when that is.
func (m Model) sayWithSession(s *sheet, n *overview.Node) {
	session := m.goesWith(n)
	if place := m.rowOf(n).place; session == nil && place.StopsSoon(n, m.now) && !place.Pinned {
		session = m.tree.Top(n.Key)
	}
	switch {
	case session == nil || n.Next.With != "":
	case n.State.IsGoing(): // when, it says already
		s.say("", "it goes with "+session.Title())
	default:
		state, tone := m.state(m.rowOf(session))
		s.tell("next", "it goes with "+session.Title()+": "+state, tone)
	}
}

// goesAnyway reports a node that the daemon is about to stop, or an older copy: ruleText says
// that x stops that.
func (m Model) goesAnyway(n *overview.Node) bool {
	return n.State == overview.StateDue && m.acting() || n.State == overview.StateReported && m.mayStop()
}

// stopText tells how a person stops a node, or what it goes with. Without a daemon only this top has seen for how long
// something idles: a sweep by hand would look for that long again.
func (m Model) stopText(n *overview.Node, by overview.Command) string {
	idles := n.Kind == overview.KindSession || n.Finding == graph.FindingDuplicate
	if m.mayStop() && idles && m.from != Daemon {
		return "x asks to stop it now"
	}
	if head := m.goesWith(n); head != nil && m.mayStop() {
		return "x on " + head.Title() + " asks to stop that, with all that goes with it (" + by.Line + ")"
	}
	if m.mayStop() {
		return "x asks to stop it now (" + by.Line + ")"
	}
	return m.handText(by)
}

// handText tells how a person stops something while x is refused, or what has to be done
// before.
func (m Model) handText(by overview.Command) string {
	text := "to " + by.What + ": " + by.Line
	if by.Line == overview.EndsPause {
		return "after " + by.Line + ", which ends the pause"
	}
	if m.isBarred() {
		return text
	}
	return text + ", or quit (q) and press x in reaperd top --mode enforce"
}

// byHand is the tree with the mode that a sweep by hand starts from: the daemon's may come
// from a flag of its own, and the reader's policy still only reports.
func (m Model) byHand() *overview.Tree {
	tree := m.tree
	switch {
	case m.fileMode != "":
		tree.Mode = m.fileMode
	case tree.Mode == policy.ModeEnforce && m.ownMode != "":
		tree.Mode = m.ownMode
	}
	return &tree
}

// isBarred reports that nothing may be stopped by hand in any mode, as of the last look.
func (m Model) isBarred() bool {
	return m.tree.Unfit != "" || len(m.tree.Refused) > 0 || m.tree.Pause.On
}

// mayStop reports whether x may stop anything, as of the last look.
func (m Model) mayStop() bool {
	return !m.isBarred() && cmp.Or(m.ownMode, m.tree.Mode) == policy.ModeEnforce
}

// ruleText names a rule and its place, and tells how to make it act if it only reports.
func (m Model) ruleText(n *overview.Node) string {
	text := ""
	if n.Next.Origin != "" {
		text = " (" + m.options.Home.Short(n.Next.Origin, "") + ")"
	}
	switch {
	case n.Next.Action != policy.ActionReport:
	case n.State == overview.StatePinned || m.isPinned(n): // x does not stop it
		text += ": it only reports"
	case m.switchesOf(n) != policy.Switches{} && !m.mayStop():
		text += ": it only reports"
	case m.switchesOf(n) != policy.Switches{}:
		text += ": it only reports. x stops it all the same, after its question"
	default:
		text += ": it only reports. An action in your policy has it stopped: reaperd help policy"
	}
	return text
}

// deedText tells how a thing is stopped.
func deedText(n *overview.Node) string {
	if ends := slices.IndexFunc(n.Children, func(child overview.Node) bool { return child.Kind == overview.KindContainer && child.State.IsGoing() }); ends >= 0 {
		return ": it ends by itself with its container " + n.Children[ends].Typed()
	}
	grace := human.Exact(time.Duration(n.Next.GraceSeconds * float64(time.Second)))
	switch {
	case n.Kind == overview.KindContainer && n.Next.Action == policy.ActionRemove:
		return ": its container is stopped within " + grace + " and removed"
	case n.Kind == overview.KindContainer:
		return ": its container is stopped within " + grace
	}
	return ": SIGTERM, and SIGKILL after " + grace
}

// together names the container or the node with which this one ends.
func (m Model) together(n *overview.Node) string {
	switch with, ends := m.tree.Find(n.Next.With), m.tree.Find(n.Next.EndsWith); {
	case with != nil && n.WaitsWith(m.acting()):
		state, _ := m.state(m.rowOf(with))
		return "it goes with " + with.Title() + ": " + state
	case with != nil:
		return "it goes with " + with.Title()
	case ends != nil:
		return "it ends by itself with its container " + ends.Typed()
	}
	return ""
}
