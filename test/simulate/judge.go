package simulate

import (
	"fmt"
	"strings"
	"sync"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// Judge is what is tested: what a look means, and what is to be done about it.
type Judge struct {
	Correlate func(previous *graph.Graph, look *inventory.Snapshot) *graph.Graph
	Shipped   *policy.Policy
	Strict    *policy.Policy

	catalogue *memo
}

// strictText enforces what the shipped policy only reports, but for what listens.
const strictText = `
version: 1
extends: builtin
rules:
  - name: duplicates
    action: terminate
  - name: orphaned-sessions
    action: terminate
`

// NewJudge is reaperd's own.
func NewJudge() (*Judge, error) {
	known := &memo{Catalogue: catalogue.New()}
	j := &Judge{catalogue: known, Correlate: func(previous *graph.Graph, look *inventory.Snapshot) *graph.Graph {
		return graph.Correlate(previous, look, graph.Options{Catalogue: known})
	}}
	var err error
	if j.Shipped, err = loadPolicy("version: 1\nextends: builtin\n"); err != nil {
		return nil, fmt.Errorf("shipped policy: %w", err)
	}
	if j.Strict, err = loadPolicy(strictText); err != nil {
		return nil, fmt.Errorf("stricter policy: %w", err)
	}
	return j, nil
}

func loadPolicy(text string) (*policy.Policy, error) {
	return policy.Load(policy.File{Name: "simulated.yaml", Data: []byte(text)}, policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()})
}

// memo is the catalogue, asked once for each command: all worlds run the same few
// programs. It may be asked by several goroutines.
type memo struct {
	*catalogue.Catalogue
	classes, programs sync.Map // by command
}

// command is all that the catalogue goes by.
func command(p *inventory.Process) string {
	return strings.Join(p.Argv, "\x00") + "\x01" + p.Exe + "\x01" + p.Comm + "\x01" + p.Cwd + "\x01" + p.ContainerID
}

// Process is the catalogue's answer.
func (m *memo) Process(p *inventory.Process) catalogue.Class {
	key := command(p)
	if class, asked := m.classes.Load(key); asked {
		return class.(catalogue.Class)
	}
	class := m.Catalogue.Process(p)
	m.classes.Store(key, class)
	return class
}

// Program is the catalogue's name for what runs.
func (m *memo) Program(p *inventory.Process) string {
	key := command(p)
	if name, asked := m.programs.Load(key); asked {
		return name.(string)
	}
	name := m.Catalogue.Program(p)
	m.programs.Store(key, name)
	return name
}

// reaps is what a policy makes of a graph: what it would end now.
type reaps struct {
	acts       []policy.Act
	pids       map[int]bool
	containers map[string]bool
}

func (j *Judge) reaps(g *graph.Graph, p *policy.Policy, oneShot bool) reaps {
	verdicts := policy.Judge(g, p, policy.JudgeOptions{OneShot: oneShot})
	r := reaps{}
	for i := range verdicts {
		if verdicts[i].Decision == policy.Reap {
			r.acts = policy.MakePlan(verdicts, p, g.Snapshot.Moment()).Acts
			break
		}
	}
	if len(r.acts) == 0 {
		return r
	}
	r.pids, r.containers = map[int]bool{}, map[string]bool{}
	for _, act := range r.acts {
		for _, member := range act.Members {
			r.pids[member.PID] = true
		}
		if act.Container != nil {
			r.containers[act.Container.ID] = true
		}
	}
	return r
}

// beyond is something that these would end and others would not, empty for none.
func (r reaps) beyond(others reaps) string {
	for _, act := range r.acts {
		if act.Container != nil && !others.containers[act.Container.ID] {
			return "container " + act.Container.ID[:12]
		}
		for _, member := range act.Members {
			if !others.pids[member.PID] {
				return fmt.Sprintf("process %d", member.PID)
			}
		}
	}
	return ""
}
