package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// view is all that the whole page and its live part show.
type view struct {
	Title    string
	Look     string // its number
	Now      time.Time
	Taken    string // time of the look; empty before the first
	Host     string
	Filter   string
	Mode     string
	Alarms   []alarm
	Headline string
	Tiles    []tile
	Goes     string   // the heading of Coming
	Coming   []coming // reaped first
	Later    []coming // reaped after those
	More     int      // how many more are not listed
	Next     string   // the next scheduled look; empty if unknown
	NextAt   string   // its moment in ms; empty if unknown
	Memory   string   // the kind of the figures
	branches func() []branch
	pause    func() // after the first screen; nil is none
	Matches  int    // number of things that match the filter
	Refusals []refusal
	Day      day
	Ended    []ended24
	Earlier  []ended24 // before those
	Older    int       // how many more are not listed
	Sources  []string
	Footer   []string
}

// tile is one figure at the top of the page.
type tile struct {
	Label, Value, Note string
	Section            string    // the id of the heading of its section
	Due                time.Time // the moment that In counts down to
	In                 string
	Tone               overview.Tone
}

// coming is one thing that is pending or due.
type coming struct {
	Key, Name, Handle, Of, Why, Rule string
	Since                            time.Time // when it was found or, if it Idles, since when it does
	Idles                            bool
	Ago                              string             // the time since then; empty if unknown
	Commands                         []overview.Command // that keep or stop what is pending
	State                            state
}

// refusal is something that a rule would end and that stays.
type refusal struct {
	Key, Name, Rule, Text string
	Deed                  string             // what the rule would do
	Commands              []overview.Command // that end the pin which keeps it
}

// ended24 is an act of the last 24 hours. ByHand is the command by which a person asked for it.
type ended24 struct{ At, What, Owner, Outcome, Rule, ByHand, Freed string }

// Limits of lists. If more than mostAtOnce things go next, the rest is folded, so that
// the first screen shows live sessions too. So is what was reaped before the last
// mostLately acts.
const (
	mostAtOnce = 2
	mostComing = 20
	mostLately = 10
	mostEnded  = 30
)

func newView(in Input) view {
	c := clockOf(in)
	t := &in.Tree
	v := view{
		Title: titleOf(t), Look: in.Look, Now: in.Now, Host: t.Hostname, Filter: in.Filter,
		Mode: modeText(t), Alarms: alarms(in, c), Headline: headline(t), Tiles: tiles(t, c),
		Day: dayOf(t, in.Status.StartedAt, c), Refusals: refusalsOf(in, c), Footer: footer(in, c),
	}
	if !t.At.IsZero() {
		v.Taken = c.moment(t.At)
	}
	if !t.Next.IsZero() {
		v.Next, v.NextAt = t.Next.In(c.zone).Format(time.TimeOnly), millis(t.Next)
	}
	if v.Memory = "memory"; t.OneMemoryKind() {
		v.Memory += ", " + strings.ToUpper(t.Totals.MemoryKind)
	}
	v.Coming, v.More = comingOf(t, c)
	if v.Goes = "What goes next"; len(v.Coming) > 0 && !t.Acts() {
		v.Goes = "What would go"
	}
	if len(v.Coming) > mostAtOnce+1 {
		v.Coming, v.Later = v.Coming[:mostAtOnce], v.Coming[mostAtOnce:]
	}
	if v.Ended, v.Older = endedOf(t, c); len(v.Ended) > mostLately+1 {
		v.Ended, v.Earlier = v.Ended[:mostLately], v.Ended[mostLately:]
	}
	v.branches = func() []branch { return branchesOf(in, c) }
	v.Matches = matchesOf(in)
	for _, source := range t.Sources {
		v.Sources = append(v.Sources, sourceText(source))
	}
	return v
}

func titleOf(t *overview.Tree) string {
	if going := t.Totals.Going(); going > 0 {
		return "(" + human.Number(going) + ") reaperd"
	}
	return "reaperd"
}

func modeText(t *overview.Tree) string {
	switch {
	case t.Unfit != "":
		return "is not well"
	case t.Pause.On:
		return "paused"
	case t.Mode == policy.ModeEnforce:
		return "enforces the policy"
	}
	return "only reports"
}

func sourceText(s inventory.Source) string {
	text := strings.TrimSpace(s.Called() + " " + s.Endpoint + " " + string(s.Status))
	if s.Reason != "" {
		text += " (" + s.Reason + ")"
	}
	return text
}

// notLooked is all that is known before the daemon's first look.
const notLooked = "Nothing was looked at yet."

// headline tells how much memory sessions and leaks hold, in one sentence each.
func headline(t *overview.Tree) string {
	if t.At.IsZero() {
		return notLooked
	}
	live := totalsOf(t, overview.BranchSessions)
	text := "No session of an agent client is live."
	if live.Sessions > 0 {
		text = holdersText(t) + " " + memoryText(live.MemoryBytes) + " in " + live.String() + largestText(t) + "."
	}
	leaked := totalsOf(t, overview.BranchLeaked).Leaked()
	reported := ""
	if n := t.Totals.Reported - t.Totals.Guarded; n > 0 {
		reported = " " + human.Capital(human.Count(n, "thing")) + " " + human.Are(n) + " only reported."
	}
	if n := t.Totals.Guarded; n > 0 {
		reported += " " + human.Capital(human.Count(n, "thing")) + " " + human.Are(n) + " kept against a rule."
	}
	if leaked.Things() == 0 {
		return text + " Nothing leaked" + t.AsSeen() + "." + reported
	}
	return text + " " + human.Capital(leaked.String()) + " leaked and " + human.Verb(leaked.Things(), "holds", "hold") + " " +
		memoryText(leaked.MemoryBytes) + "." + pinnedText(leaked) + reported
}

// pinnedText is the sentence on how many of the leaked things are pinned; empty if none is.
func pinnedText(leaked overview.Totals) string {
	switch {
	case leaked.Pinned == 0:
		return ""
	case leaked.Pinned == leaked.Things():
		return " " + human.Verb(leaked.Pinned, "It is pinned.", "All of it is pinned.")
	}
	return " " + human.Number(leaked.Pinned) + " of these " + human.Are(leaked.Pinned) + " pinned."
}

// holdersText names a single session, and counts several.
func holdersText(t *overview.Tree) string {
	nodes := t.Branch(overview.BranchSessions).Nodes
	if len(nodes) == 1 {
		return nodes[0].Title() + " holds"
	}
	return human.Count(len(nodes), "session") + " hold"
}

// largestText names the session with the most memory, if there are several sessions.
func largestText(t *overview.Tree) string {
	nodes := t.Branch(overview.BranchSessions).Nodes
	if len(nodes) < 2 {
		return ""
	}
	largest := slices.MaxFunc(nodes, func(a, b overview.Node) int { return cmp.Compare(a.Totals.MemoryBytes, b.Totals.MemoryBytes) })
	if largest.Totals.MemoryBytes == 0 {
		return ""
	}
	return "; " + largest.Title() + " holds the most, " + human.Bytes(largest.Totals.MemoryBytes)
}

func memoryText(n uint64) string {
	if n == 0 {
		return "memory that is not known"
	}
	return human.Bytes(n)
}

func totalsOf(t *overview.Tree, name overview.BranchName) overview.Totals {
	if b := t.Branch(name); b != nil {
		return b.Totals
	}
	return overview.Totals{}
}

func tiles(t *overview.Tree, c clock) []tile {
	reaped, freed := dayTotals(t.Day)
	day := tile{Label: "Last 24 hours", Section: "day", Value: human.Number(reaped) + " reaped", Note: freedText(freed) + " freed"}
	if t.At.IsZero() {
		const unknown = "not known"
		return []tile{{Label: "In sessions", Section: "sessions", Value: unknown}, {Label: "Leaked", Section: "coming", Value: unknown}, {Label: "Goes next", Section: "coming", Value: unknown}, day}
	}
	live, leaked := totalsOf(t, overview.BranchSessions), totalsOf(t, overview.BranchLeaked).Leaked()
	shown := []tile{
		{Label: "In sessions", Section: "sessions", Value: bytesText(live.MemoryBytes), Note: human.Count(live.Sessions, "session") + ", " + live.String()},
	}
	if t.Totals.IdleSessions > 0 {
		shown = append(shown, tile{Label: "Of that idle", Section: "sessions", Value: bytesText(t.Totals.IdleBytes), Note: human.Count(t.Totals.IdleSessions, "session"), Tone: overview.ToneAside})
	}
	leak := tile{Label: "Leaked", Section: "coming", Value: "nothing", Tone: overview.ToneLives}
	if leaked.Things() > 0 {
		leak = tile{Label: "Leaked", Section: string(overview.BranchLeaked), Value: bytesText(leaked.MemoryBytes), Note: leaked.String(), Tone: overview.ToneWaits}
	}
	if leaked.Pinned > 0 {
		leak.Note += ", " + human.Number(leaked.Pinned) + " pinned"
	}
	return append(shown, leak, nextTile(t, c), day)
}

func freedText(n uint64) string {
	if n == 0 {
		return "nothing"
	}
	return human.Bytes(n)
}

// nextTile counts what is reaped next, with the time of the first act.
func nextTile(t *overview.Tree, c clock) tile {
	nodes := going(t, c)
	if len(nodes) == 0 {
		return tile{Label: "Goes next", Section: "coming", Value: "nothing", Tone: overview.ToneLives}
	}
	next := tile{Label: "Goes next", Section: "coming", Value: goingText(nodes), Tone: overview.ToneGoes}
	held := t.Totals.GoingBytes
	for _, n := range nodes {
		if isAhead(t, n, c) {
			held += n.Memory()
		}
	}
	if held > 0 {
		next.Note = human.Bytes(held)
	}
	if !t.Acts() {
		next.Label, next.Tone = "Would go", overview.ToneWaits
	}
	if due := dueOf(nodes[0]); due.After(c.now) && nodes[0].Next.Beyond == 0 {
		next.Due, next.In = due, c.until(due)
	}
	return next
}

// refusalsOf lists the refusals that match the filter.
func refusalsOf(in Input, c clock) []refusal {
	t, wanted := &in.Tree, wantedOf(in, c)
	var out []refusal
	for _, r := range t.Refusals {
		n := t.Find(r.Key)
		if in.Filter == "" || n != nil && wanted.matches(n, t.PlaceOf(r.Key)) {
			out = append(out, refusalOf(t, r, c))
		}
	}
	return out
}

func refusalOf(t *overview.Tree, r overview.Refusal, c clock) refusal {
	kept := refusal{Key: r.Key, Name: r.Name, Rule: r.Rule, Text: r.Text, Deed: "stop"}
	n := t.Find(r.Key)
	if n != nil {
		kept.Name = n.Title()
	}
	if n != nil && n.Next.Action == policy.ActionRemove {
		kept.Deed = "remove"
	}
	if n != nil && r.Guard == graph.GuardPinned {
		kept.Commands = unpins(t, n)
	}
	namesIt := r.Guard == graph.GuardPinned || r.Guard == graph.GuardProtected
	if r.Guard != "" && !namesIt && (n == nil || n.KeptWith.Target == "") { // else the text says what keeps it
		kept.Text = string(r.Guard) + ": " + r.Text
	}
	return kept
}

func endedOf(t *overview.Tree, c clock) (listed []ended24, older int) {
	for _, e := range t.Ended[:min(len(t.Ended), mostEnded)] {
		listed = append(listed, ended24{
			At: c.moment(e.At), What: endedName(e, c), Owner: e.Owner,
			Outcome: e.Came(), Rule: e.Rule, ByHand: e.ByHand, Freed: bytesText(e.FreedBytes),
		})
	}
	return listed, len(t.Ended) - len(listed)
}

// endedName names what was reaped. Of a session it tells the folder, by which a reader knows
// it.
func endedName(e overview.Ended, c clock) string {
	name := strings.TrimSpace(string(e.Kind) + " " + e.Name + " " + e.Handle)
	if e.Kind == graph.KindSession && e.Cwd != "" {
		name += " in " + shortened(overview.FolderOf(e.Cwd, "", c.home))
	}
	return name
}

func footer(in Input, c clock) []string {
	s := in.Status
	version := s.Version
	if version == "" {
		version = "of unknown version"
	}
	lines := []string{"reaperd " + version + ", process " + strconv.Itoa(s.PID) + ", since " + c.moment(s.StartedAt)}
	if s.Policy != "" {
		lines = append(lines, "policy "+c.home.Short(s.Policy, "")+", sha256 "+s.SHA256[:min(len(s.SHA256), 12)])
	}
	if s.LastSweep != "" {
		lines = append(lines, s.LastSweep)
	}
	if next := in.Tree.Next; !next.IsZero() {
		lines = append(lines, "next look by schedule "+c.moment(next))
	}
	if s.Pins > 0 {
		lines = append(lines, human.Count(s.Pins, "pin")+": reaperd pins")
	}
	return lines
}
