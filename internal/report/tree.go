package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
)

// inUseTree shows what is in use: sessions, below them their servers, and below a gateway
// its servers.
func (v *view) inUseTree(s *screen) {
	rest := v.treeTargets()
	owners := v.owners(rest)
	if len(owners) == 0 && len(rest) == 0 {
		return
	}
	s.gap()
	s.row(row{head: "IN USE", cells: columnHeads(), tone: green})
	seen := map[string]bool{}
	for _, owner := range owners {
		s.row(owner.row)
		v.branches(s, rest, owner.is, "", seen)
	}
	v.ownerless(s, rest, seen)
	v.emptySessions(s)
}

func columnHeads() cells { return cells{age: "up", memory: "memory", cpu: "cpu"} }

// treeTargets returns the targets in use, and the gateways above them whatever the
// decision about these.
func (v *view) treeTargets() verdicts {
	shown := v.shown.where(func(verdict *policy.Verdict) bool {
		if v.resting[verdict.Target.ID] || v.along[verdict.Target.ID] != "" {
			return false
		}
		if shelfOf(verdict) == inUse || v.goesWithGateway(verdict) && !v.goesWithLeaked(verdict) {
			return true
		}
		t := verdict.Target
		return t.Kind == graph.KindGateway && t.Owner.Liveness == graph.LivenessLive && shelfOf(verdict) != ending
	})
	for { // a name may mean only what is below it, and that may be a gateway itself
		above := v.all.where(func(verdict *policy.Verdict) bool {
			isIts := func(below *policy.Verdict) bool {
				return verdict.Target.Root != nil && below.Target.Owner.ID == verdict.Target.Root.ID()
			}
			return verdict.Target.Kind == graph.KindGateway && !slices.Contains(shown, verdict) && slices.ContainsFunc(shown, isIts)
		})
		if len(above) == 0 {
			return shown
		}
		shown = append(shown, above...)
	}
}

// owner is a row at the top of the tree. is tells which owners it stands for.
type owner struct {
	is  func(graph.Owner) bool
	row row
}

// owners returns the sessions that own something in the tree, then the live processes and
// services that are no known client, in a stable order.
func (v *view) owners(vs verdicts) []owner {
	var out []owner
	for _, session := range v.sortedSessions() {
		id := session.Process.ID()
		if slices.ContainsFunc(vs, func(verdict *policy.Verdict) bool { return verdict.Target.Owner.ID == id }) {
			out = append(out, owner{is: owns(id), row: v.sessionRow(session)})
		}
	}
	return append(out, v.strangers(vs)...)
}

func owns(id inventory.ID) func(graph.Owner) bool {
	return func(o graph.Owner) bool { return o.ID == id }
}

func (v *view) sortedSessions() []graph.Session {
	sessions := slices.DeleteFunc(slices.Clone(v.sessions()), func(s graph.Session) bool {
		return s.Process == nil || s.Liveness == graph.LivenessGone || v.resting[s.Process.ID().String()]
	})
	slices.SortStableFunc(sessions, func(a, b graph.Session) int {
		return inventory.ByStart(a.Process.ID(), b.Process.ID())
	})
	return sessions
}

func (v *view) sessionRow(s graph.Session) row {
	r := v.processRow(human.Safe(redact.Name(s.Name)), s.Process)
	r.head += v.sessionMark(&s)
	v.sumUp(&r, &s)
	return r
}

// sumUp shows in a session's row what it and all that it holds use.
func (v *view) sumUp(r *row, s *graph.Session) {
	if s.MemoryBytes > 0 {
		r.cells.memory = human.Bytes(s.MemoryBytes)
	}
	sum, isKnown := v.cpuOf(s.Process)
	for _, held := range v.held[s.Process.ID()] {
		if percent, known := held.CPUPercent.Get(); known {
			sum, isKnown = sum+percent, true
		}
	}
	if isKnown {
		r.cells.cpu = human.Percent(sum)
	}
}

// processRow shows a process by name, with its folder.
func (v *view) processRow(name string, p *inventory.Process) row {
	r := row{
		head:   strings.TrimSpace(name + " " + strconv.Itoa(p.PID)),
		detail: words(PlaceOf(p.Cwd, p.User, v.options.Home)),
		cells:  cells{age: v.glyphs.none, memory: v.glyphs.none, cpu: v.cpu(p)},
	}
	if !p.StartedAt.IsZero() {
		r.cells.age = human.Span(v.at.Sub(p.StartedAt))
	}
	if memory := p.MemoryBytes.Or(p.RSSBytes.Or(0)); memory > 0 {
		r.cells.memory = human.Bytes(memory)
	}
	return r
}

// Stranger describes a live owner that is no known client.
const Stranger = "no known client, but it lives"

// strangers returns live owners that are no known client: a shell, an editor, a service.
func (v *view) strangers(vs verdicts) []owner {
	var out []owner
	seen := map[graph.Owner]bool{}
	for _, verdict := range vs {
		o := stranger(verdict.Target.Owner)
		if o == (graph.Owner{}) || seen[o] || v.inTree(vs, o.ID) {
			continue
		}
		seen[o] = true
		out = append(out, owner{is: func(other graph.Owner) bool { return stranger(other) == o }, row: v.strangerRow(o)})
	}
	slices.SortStableFunc(out, func(a, b owner) int { return cmp.Compare(a.row.head, b.row.head) })
	return out
}

// stranger returns the fields of an owner that are equal in all its targets; the zero
// value if it is neither alive nor a service.
func stranger(o graph.Owner) graph.Owner {
	if o.Liveness != graph.LivenessLive && o.Kind != graph.OwnerService {
		return graph.Owner{}
	}
	return graph.Owner{Name: o.Name, Kind: o.Kind, ID: o.ID}
}

// inTree reports whether a process has a row of its own, as a session or as the root of a
// target: of one in the tree, or one that is shown elsewhere.
func (v *view) inTree(tree verdicts, id inventory.ID) bool {
	if id.IsZero() {
		return false
	}
	isSession := slices.ContainsFunc(v.sessions(), func(s graph.Session) bool { return s.Process != nil && s.Process.ID() == id })
	isRoot := func(verdict *policy.Verdict) bool {
		return verdict.Target.Root != nil && verdict.Target.Root.ID() == id
	}
	return isSession || slices.ContainsFunc(tree, isRoot) || slices.ContainsFunc(v.shown, isRoot)
}

func (v *view) strangerRow(o graph.Owner) row {
	name := human.Safe(redact.Name(o.Name))
	if o.Kind == graph.OwnerService {
		return row{head: "service " + name, cells: cells{age: v.glyphs.none, memory: v.glyphs.none, cpu: v.glyphs.none}}
	}
	processes := v.snapshot.Processes
	for i := range processes {
		if processes[i].ID() == o.ID {
			r := v.processRow(name, &processes[i])
			r.detail = words(Stranger)
			if memory := processes[i].MemoryBytes.Or(processes[i].RSSBytes.Or(0)) + v.ownedBy(o.ID).memory(); memory > 0 {
				r.cells.memory = human.Bytes(memory) // as of a session
			}
			return r
		}
	}
	return row{head: cmp.Or(strings.TrimSpace(name+" "+pidText(o.ID)), "maybe somebody unseen"), cells: cells{age: v.glyphs.none, memory: v.glyphs.none, cpu: v.glyphs.none}}
}

// ownedBy returns the verdicts on what a process owns.
func (v *view) ownedBy(id inventory.ID) verdicts {
	return v.all.where(func(verdict *policy.Verdict) bool { return verdict.Target.Owner.ID == id })
}

func pidText(id inventory.ID) string {
	if id.IsZero() {
		return ""
	}
	return strconv.Itoa(id.PID)
}

// branches shows the targets of an owner, in groups, and those of a gateway below it.
func (v *view) branches(s *screen, vs verdicts, is func(graph.Owner) bool, indent string, seen map[string]bool) {
	groups := v.grouping.groups(vs.where(func(verdict *policy.Verdict) bool {
		return is(verdict.Target.Owner) && !seen[verdict.Target.ID]
	}))
	for i, g := range groups {
		branch, below := v.glyphs.branch, v.glyphs.through
		if i == len(groups)-1 {
			branch, below = v.glyphs.last, "  "
		}
		for _, verdict := range g.verdicts {
			seen[verdict.Target.ID] = true
		}
		s.row(v.treeRow(g, indent+branch))
		if root := g.first().Root; len(g.verdicts) == 1 && root != nil {
			v.branches(s, vs, owns(root.ID()), indent+below, seen)
		}
	}
}

// ownerless shows targets in use whose owner has no row: the names have hidden it, or
// nobody knows it. What hangs on one of them stands below that.
func (v *view) ownerless(s *screen, vs verdicts, seen map[string]bool) {
	rest := vs.where(func(verdict *policy.Verdict) bool { return !seen[verdict.Target.ID] })
	hangs := func(verdict *policy.Verdict) bool {
		return slices.ContainsFunc(rest, func(other *policy.Verdict) bool {
			return other != verdict && other.Target.Root != nil && owns(other.Target.Root.ID())(verdict.Target.Owner)
		})
	}
	isUsed := func(verdict *policy.Verdict) bool {
		return shelfOf(verdict) == inUse && verdict.Target.Owner.ID.IsZero() && verdict.Target.Owner.Name == ""
	}
	for _, g := range v.grouping.groups(rest.where(func(verdict *policy.Verdict) bool { return !hangs(verdict) && !isUsed(verdict) })) {
		s.row(v.treeRow(g, ""))
		if root := g.first().Root; len(g.verdicts) == 1 && root != nil {
			v.branches(s, rest, owns(root.ID()), "", seen)
		}
	}
	if used := rest.where(isUsed); len(used) > 0 {
		none := v.glyphs.none
		s.row(row{head: "by whom is not known", cells: cells{age: none, memory: none, cpu: none}})
		v.branches(s, rest, func(o graph.Owner) bool {
			return slices.ContainsFunc(used, func(verdict *policy.Verdict) bool { return verdict.Target.Owner == o })
		}, "", seen)
	}
}

// emptySessions names the sessions without any server.
func (v *view) emptySessions(s *screen) {
	if len(v.options.Names) > 0 {
		return
	}
	var names []string
	for _, session := range v.sortedSessions() {
		id := session.Process.ID()
		if !v.grouping.parents[id] {
			names = append(names, human.Safe(redact.Name(session.Name))+" "+strconv.Itoa(session.Process.PID)+v.sessionMark(&session))
		}
	}
	if len(names) == 0 {
		return
	}
	s.wrap("", "without MCP servers: "+human.List(firstFew(names)))
}

// groupRow returns the row of a group. What is up to root's daemon is not called kept.
func (v *view) groupRow(g group) row {
	if len(g.verdicts) == 1 && isIdle(g.first()) {
		return v.idleRow(g.verdicts[0])
	}
	mark := v.pinMark(g.verdicts)
	if g.verdicts[0].Protected != nil && v.isUpToRoots(g.verdicts[0]) { // its reason says so
		mark = ""
	}
	return row{head: g.head(v.glyphs) + mark, detail: v.detail(g), cells: g.cells(v.glyphs)}
}

// treeRow returns the row of a group in the tree. A gateway's row tells whether it is
// reaped.
func (v *view) treeRow(g group, indent string) row {
	r := v.groupRow(g)
	r.head = indent + r.head
	if g.first().Kind == graph.KindGateway {
		switch g.shelf {
		case leaving:
			r.head += "  " + strings.ToUpper(g.verdicts[0].Action.Stage(g.verdicts[0].Imminent))
		case waiting:
			r.head += "  PENDING"
		case noted:
			if isUnclear(g.verdicts[0]) {
				r.head += "  UNCLEAR WHOSE"
			}
		case reaping:
			r.head += "  " + v.voice.heading(g.verdicts[0].Action)
		}
	}
	return r
}

// detail describes a group in one line: the state of a gateway, the proof of use, else
// its command.
func (v *view) detail(g group) text {
	if g.first().Kind == graph.KindGateway {
		if text := gatewayText(g.verdicts); text != "" {
			return words(text)
		}
	}
	if g.verdicts[0].Rests() {
		return words(g.resting())
	}
	if g.shelf == inUse || v.goesWithGateway(g.verdicts[0]) {
		if text, ok := g.heldBy(); ok {
			return proof{text: text, owner: ownerText(g.first().Owner)}
		}
	}
	return g.command(v.glyphs, v.options.Home)
}

// command returns what the group's commands share.
func (vs verdicts) command(g glyphs, home human.Home) text {
	commands := make([]command, len(vs))
	for i, verdict := range vs {
		commands[i] = commandOf(verdict.Target, home)
	}
	shared := common(commands, g)
	if shared.fit(detailCells, g) == vs.first().Name {
		return nil
	}
	return shared
}

// heldBy returns the proof of use, if it is the same for the whole group. It leaves out the
// ancestor, which the tree shows already, unless only what was seen before speaks beside it.
func (vs verdicts) heldBy() (string, bool) {
	besides := func(e graph.Evidence) bool { return e.Check != graph.CheckAncestor && e.Check != graph.CheckMemory }
	if text := vs.ownedBy(besides); text != "" {
		return text, true
	}
	memory := vs.ownedBy(func(e graph.Evidence) bool { return e.Check == graph.CheckMemory })
	if memory == "" {
		return "", false
	}
	return cmp.Or(vs.ownedBy(func(e graph.Evidence) bool { return e.Check == graph.CheckAncestor }), memory), true
}

// ownedBy is the first of some evidence for an owner that is the same for all; "" is none.
func (vs verdicts) ownedBy(which func(graph.Evidence) bool) string {
	for _, e := range vs.first().Evidence {
		isSame := func(verdict *policy.Verdict) string {
			other, _ := evidenceOf(verdict.Target, e.Check, e.Says)
			return other.text
		}
		if e.Says == graph.SaysOwned && which(e) && allEqual(vs, isSame) {
			return sentence(e.Text)
		}
	}
	return ""
}

// resting describes older copies that count as in use: "an older copy, idle for 26s"; without the time of what may have
// paused between two requests.
func (vs verdicts) resting() string {
	if len(vs) > 1 {
		return "older copies"
	}
	if vs.first().Idle.Or(0) < policy.LeastRest {
		return "an older copy"
	}
	return "an older copy, idle for " + vs[0].Threshold.Has
}
