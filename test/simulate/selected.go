package simulate

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/idle"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/matters"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/test/selection"
)

// selective is a daemon on the same host that lists only what can matter to a
// verdict, as the scanner does.
type selective struct {
	known  matters.Catalogue
	rule   *matters.Rule
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
		_, recalled := past.recalled[p.ID().String()]
		return p.Configured != "" || recalled
	}
	return &selective{known: j.catalogue, rule: matters.NewRule(j.catalogue, isRead), hung: map[inventory.ID]hung{}, memory: past}
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
	for i := range whole {
		if i >= len(part) || !reflect.DeepEqual(whole[i], part[i]) {
			h.fail(Failure{Property: Selection, PIDs: whole[i].Members, Text: fmt.Sprintf("of the whole table: %+v, of what matters: %+v", whole[i], part[min(i, len(part)):min(i+1, len(part))])})
			return
		}
	}
	if len(part) > len(whole) {
		h.fail(Failure{Property: Selection, PIDs: part[len(whole)].Members, Text: fmt.Sprintf("only of what matters: %+v", part[len(whole)])})
	}
}

// judged is a target with what is decided about it, by value.
type judged struct {
	ID, Name, How, Client, User string
	Kind                        graph.Kind
	Members, Left               []int
	Containers, Below           []string
	Owner                       graph.Owner
	Finding                     graph.Finding
	Since                       time.Time
	Held, Age, OldestZombie     time.Duration
	Looks, Zombies              int
	Respawns, Generation        int
	ByShape, Incidental, InUse  bool
	Evidence                    []graph.Evidence
	Vetoes                      []graph.Veto
	Listening                   inventory.Fact[bool]
	Idle                        inventory.Fact[time.Duration]
	MemoryBytes                 uint64
	CPUPercent                  inventory.Fact[float64]
	Decision                    policy.Decision
	Rule, Reason                string
	DueAt                       time.Time
	Sessions                    []string // and what each owns
}

// judgedOf is all that a graph comes to under the policy whose verdicts these are.
func judgedOf(g *graph.Graph, verdicts []policy.Verdict) []judged {
	all := make([]judged, 1, 1+len(verdicts))
	held := idle.HeldBy(g)
	for _, s := range g.Sessions {
		of := fmt.Sprint(s.Process.ID(), s.Name, len(s.Members))
		for _, target := range held[s.Process.ID()] {
			of += " " + target.ID
		}
		all[0].Sessions = append(all[0].Sessions, of)
	}
	for _, v := range verdicts {
		t := v.Target
		of := judged{
			ID: t.ID, Name: t.Name, How: t.How, Client: t.Runner, User: t.User, Kind: t.Kind, Members: t.PIDs(), Containers: t.Containers,
			Below: t.Below, Owner: t.Owner, Finding: t.Finding, Since: t.Since, Held: t.Held, Age: t.Age, OldestZombie: t.OldestZombie,
			Looks: t.Looks, Zombies: t.Zombies, Respawns: t.Respawns, Generation: t.Generation, ByShape: t.ByShape, Incidental: t.Incidental,
			InUse: t.InUse, Evidence: t.Evidence, Vetoes: t.Vetoes, Listening: t.Listening, Idle: t.Idle, MemoryBytes: t.MemoryBytes,
			CPUPercent: t.CPUPercent, Decision: v.Decision, Rule: v.Rule, Reason: v.Reason, DueAt: v.DueAt,
		}
		for _, left := range t.Left {
			of.Left = append(of.Left, left.PID)
		}
		all = append(all, of)
	}
	return all
}
