package simulate

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/test/selection"
)

// selective is a daemon on the same host that lists only what can matter to a
// verdict, as the scanner does.
type selective struct {
	known  graph.Catalogue
	rule   *graph.Selection
	memory memory
	hung   map[inventory.ID]hung
}

// hung is below whom a process was seen to hang, and whether that look listed it.
type hung struct {
	ppid       int
	listed     bool
	reparented bool
}

func (j *Judge) newSelective(past memory) *selective {
	isRead := func(p *inventory.Process) bool {
		return p.Configured != "" || slices.Contains(past.recalled, p.ID().String())
	}
	return &selective{known: j.catalogue, rule: graph.NewSelection(j.catalogue, isRead), hung: map[inventory.ID]hung{}, memory: past}
}

// of is what such a daemon sees of a look.
func (s *selective) of(look *inventory.Snapshot) *inventory.Snapshot {
	told := *look
	told.Processes = slices.Clone(look.Processes)
	now := make(map[inventory.ID]hung, len(told.Processes))
	for i := range told.Processes {
		p := &told.Processes[i]
		before, seen := s.hung[p.ID()]
		h := hung{ppid: p.PPID.Or(0), reparented: before.reparented || seen && !before.listed && before.ppid != p.PPID.Or(0)}
		p.Reparented = h.reparented
		now[p.ID()] = h
	}
	selected := selection.Of(&told, s.known, s.rule.After(s.memory.previous))
	for i := range selected.Processes {
		h := now[selected.Processes[i].ID()]
		h.listed = true
		now[selected.Processes[i].ID()] = h
	}
	s.hung = now
	return selected
}

// checkSelection: the whole table and what can matter of it come to the same report.
func (h *history) checkSelection(s sight) {
	selected := h.selective.of(s.look)
	h.tally.Listed += len(selected.Processes)
	h.tally.Unlisted += selected.Unlisted
	h.selective.memory = h.selective.memory.after(h.judge.Correlate(h.selective.memory, selected))
	whole := judgedOf(s.graph, s.reaps[0].verdicts)
	part := judgedOf(h.selective.memory.previous, policy.Judge(h.selective.memory.previous, h.judge.Shipped, policy.JudgeOptions{}))
	for i := range max(len(whole), len(part)) {
		w, p := whole[min(i, len(whole)):min(i+1, len(whole))], part[min(i, len(part)):min(i+1, len(part))]
		if !reflect.DeepEqual(w, p) {
			h.fail(Failure{Property: Selection, PIDs: slices.Concat(w, p)[0].pids, Text: fmt.Sprintf("of the whole table: %+v, of what matters: %+v", w, p)})
			return
		}
	}
}

// judged is a target with all that a report tells of it.
type judged struct {
	pids []int
	told []any
}

// judgedOf is all that a graph comes to under the policy whose verdicts these are: the sessions,
// then the targets.
func judgedOf(g *graph.Graph, verdicts []policy.Verdict) []judged {
	all := make([]judged, 1, 1+len(verdicts))
	for _, s := range g.Sessions {
		all[0].told = append(all[0].told, s.Process.ID(), s.Name, len(s.Members))
	}
	for _, v := range verdicts {
		t := v.Target
		told := []any{t.ID, t.Name, t.How, t.Runner, t.User, t.Kind, t.Containers, t.Below, t.Owner, t.Finding, t.Since, t.Held, t.Age,
			t.Looks, t.Zombies, t.Respawns, t.Generation, t.ByShape, t.Incidental, t.InUse, t.Evidence, t.Vetoes, t.Listening,
			t.Idle, t.MemoryBytes, t.CPUPercent, v.Decision, v.Rule, v.Reason, v.DueAt}
		for _, left := range t.Left {
			told = append(told, left.PID)
		}
		all = append(all, judged{t.PIDs(), told})
	}
	return all
}
