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

// inUseTree shows who has what: sessions, below them their servers, below a
// gateway what it owns.
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

// treeTargets are what is in use, and the gateways above it whatever is
// decided of them.
func (v *view) treeTargets() verdicts {
	return v.shown.where(func(verdict *policy.Verdict) bool {
		if v.resting[verdict.Target.ID] {
			return false
		}
		if shelfOf(verdict) == inUse || v.goesWithGateway(verdict) {
			return true
		}
		t := verdict.Target
		return t.Kind == graph.KindGateway && t.Owner.Liveness == graph.LivenessLive && shelfOf(verdict) != ending
	})
}

// owner is a row at the top of the tree.
type owner struct {
	is  func(graph.Owner) bool
	row row
}

// owners are the sessions that have something in the tree, then the live
// processes and services that nobody recognises, in a stable order.
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
		return cmp.Or(a.Process.StartedAt.Compare(b.Process.StartedAt), cmp.Compare(a.Process.PID, b.Process.PID))
	})
	return sessions
}

func (v *view) sessionRow(s graph.Session) row {
	r := v.processRow(human.Safe(redact.Name(s.Name)), s.Process)
	if s.MemoryBytes > 0 {
		r.cells.memory = human.Bytes(s.MemoryBytes)
	}
	return r
}

// processRow is a process by name, with its folder.
func (v *view) processRow(name string, p *inventory.Process) row {
	r := row{
		head:   strings.TrimSpace(name + " " + strconv.Itoa(p.PID)),
		detail: words(place(p)),
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

// strangers are live owners that are no known client: a shell, an editor, a
// service.
func (v *view) strangers(vs verdicts) []owner {
	var out []owner
	seen := map[graph.Owner]bool{}
	for _, verdict := range vs {
		o := stranger(verdict.Target.Owner)
		if o == (graph.Owner{}) || seen[o] || v.inTree(o.ID) {
			continue
		}
		seen[o] = true
		out = append(out, owner{is: func(other graph.Owner) bool { return stranger(other) == o }, row: v.strangerRow(o)})
	}
	slices.SortStableFunc(out, func(a, b owner) int { return cmp.Compare(a.row.head, b.row.head) })
	return out
}

// stranger is the owner without what differs between its targets; zero where
// it is nobody who lives.
func stranger(o graph.Owner) graph.Owner {
	if o.Liveness != graph.LivenessLive && o.Kind != graph.OwnerService {
		return graph.Owner{}
	}
	return graph.Owner{Name: o.Name, Kind: o.Kind, ID: o.ID}
}

// inTree reports whether a process has a row of its own: a session, or the
// root of a target.
func (v *view) inTree(id inventory.ID) bool {
	if id.IsZero() {
		return false
	}
	isSession := slices.ContainsFunc(v.sessions(), func(s graph.Session) bool { return s.Process != nil && s.Process.ID() == id })
	return isSession || slices.ContainsFunc(v.shown, func(verdict *policy.Verdict) bool {
		return verdict.Target.Root != nil && verdict.Target.Root.ID() == id
	})
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
			r.detail = words("no known client, but it lives")
			return r
		}
	}
	return row{head: cmp.Or(strings.TrimSpace(name+" "+pidText(o.ID)), "somebody who is not seen"), cells: cells{age: v.glyphs.none, memory: v.glyphs.none, cpu: v.glyphs.none}}
}

func pidText(id inventory.ID) string {
	if id.IsZero() {
		return ""
	}
	return strconv.Itoa(id.PID)
}

// branches shows what an owner has, in groups; a gateway's own below it.
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

// ownerless shows what is in use although nobody is known to own it, and what
// hangs below an owner that the names have hidden.
func (v *view) ownerless(s *screen, vs verdicts, seen map[string]bool) {
	rest := vs.where(func(verdict *policy.Verdict) bool { return !seen[verdict.Target.ID] })
	nobodys := func(verdict *policy.Verdict) bool {
		return verdict.Target.Owner.ID.IsZero() && verdict.Target.Owner.Name == ""
	}
	for _, g := range v.grouping.groups(rest.where(func(verdict *policy.Verdict) bool { return !nobodys(verdict) })) {
		s.row(v.treeRow(g, ""))
	}
	if rest = rest.where(nobodys); len(rest) > 0 {
		none := v.glyphs.none
		s.row(row{head: "by whom is not known", cells: cells{age: none, memory: none, cpu: none}})
		v.branches(s, rest, func(graph.Owner) bool { return true }, "", seen)
	}
}

// emptySessions names the sessions that have no server at all.
func (v *view) emptySessions(s *screen) {
	if len(v.options.Names) > 0 {
		return
	}
	var names []string
	for _, session := range v.sortedSessions() {
		id := session.Process.ID()
		if !v.grouping.parents[id] {
			names = append(names, human.Safe(redact.Name(session.Name))+" "+strconv.Itoa(session.Process.PID))
		}
	}
	if len(names) == 0 {
		return
	}
	s.wrap("", "without MCP servers: "+human.List(firstFew(names)))
}

// groupRow is the row of a group.
func (v *view) groupRow(g group) row {
	if len(g.verdicts) == 1 && isIdle(g.first()) {
		return v.idleRow(g.verdicts[0])
	}
	return row{head: g.head(v.glyphs), detail: v.detail(g), cells: g.cells(v.glyphs)}
}

// treeRow is the row of a group in the tree, with what is decided of a gateway.
func (v *view) treeRow(g group, indent string) row {
	r := v.groupRow(g)
	r.head = indent + r.head
	if g.first().Kind == graph.KindGateway {
		switch g.shelf {
		case waiting:
			r.head += "  PENDING"
		case reaping:
			r.head += "  " + v.voice.heading(g.verdicts[0].Action)
		}
	}
	return r
}

// detail is what is worth knowing of a group in one line: a gateway's state,
// why a server is somebody's, else its command.
func (v *view) detail(g group) text {
	if g.first().Kind == graph.KindGateway {
		if text := gatewayText(g.verdicts); text != "" {
			return words(text)
		}
	}
	if g.shelf == inUse || v.goesWithGateway(g.verdicts[0]) {
		if text, ok := g.heldBy(v.glyphs); ok {
			return words(text)
		}
	}
	return g.command(v.glyphs)
}

// command is what the group's commands have in common.
func (vs verdicts) command(g glyphs) text {
	commands := make([]command, len(vs))
	for i, verdict := range vs {
		commands[i] = commandOf(verdict.Target)
	}
	shared := common(commands, g)
	if shared.fit(detailCells, g) == vs.first().Name {
		return nil
	}
	return shared
}

// heldBy is the proof that somebody has it, where it is the same for all;
// standing below its session is no news in a tree.
func (vs verdicts) heldBy(g glyphs) (string, bool) {
	for _, e := range vs.first().Evidence {
		if e.Says != graph.SaysOwned || e.Check == graph.CheckAncestor {
			continue
		}
		text := sentence(e.Text)
		if allEqual(vs, func(verdict *policy.Verdict) string {
			other, _ := evidenceOf(verdict.Target, e.Check, e.Says)
			return other.text
		}) {
			return text, text != ""
		}
	}
	return "", false
}

// gatewayText is the state of gateways: children, zombies, open descriptors.
func gatewayText(vs verdicts) string {
	states := make([]string, len(vs))
	for i, verdict := range vs {
		states[i] = gatewayState(verdict.Target)
	}
	if !allEqual(states, func(s string) string { return s }) || states[0] == "" {
		return ""
	}
	if len(vs) > 1 {
		return states[0] + " each"
	}
	return states[0]
}

func gatewayState(t *graph.Target) string {
	parts := []string{"no zombies"}
	if t.Zombies > 0 {
		parts[0] = human.Count(t.Zombies, "zombie")
	}
	if n := len(t.Below); n > 0 {
		parts = append(parts, human.Count(n, "server"))
	}
	if t.Respawns > 0 {
		parts = append(parts, human.Count(t.Respawns, "respawn"))
	}
	if t.Root != nil {
		if fds, known := t.Root.OpenFDs.Get(); known {
			parts = append(parts, human.Count(fds, "fd"))
		}
	}
	return strings.Join(parts, ", ")
}
