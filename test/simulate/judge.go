package simulate

import (
	"fmt"
	"slices"
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
	Correlate func(past memory, look *inventory.Snapshot) *graph.Graph
	Shipped   *policy.Policy
	Strict    *policy.Policy

	catalogue *memo
}

// memory is what a daemon knows when it looks again. The zero value is a first look.
type memory struct {
	previous *graph.Graph
	recalled []string // the ids of servers by shape: what the daemon before it has kept
}

// after is the memory when the daemon has looked.
func (m memory) after(g *graph.Graph) memory { return memory{g, m.recalled} }

// startedAgain is the memory of a daemon that takes the place of one with that memory.
func (m memory) startedAgain() memory {
	if m.previous == nil {
		return m
	}
	return memory{recalled: m.previous.ByShape()}
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
	j := &Judge{catalogue: known, Correlate: func(past memory, look *inventory.Snapshot) *graph.Graph {
		return graph.Correlate(past.previous, look, graph.Options{Catalogue: known, ByShape: past.recalled})
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

// Process is the catalogue's answer.
func (m *memo) Process(p *inventory.Process) inventory.Class {
	return remembered(&m.classes, p, m.Catalogue.Process)
}

// Program is the catalogue's name for what runs.
func (m *memo) Program(p *inventory.Process) string {
	return remembered(&m.programs, p, m.Catalogue.Program)
}

// remembered is the answer about a process, which ask gives the first time. The catalogue goes
// by nothing else than what is in the key.
func remembered[T any](known *sync.Map, p *inventory.Process, ask func(*inventory.Process) T) T {
	key := strings.Join(append(slices.Clip(p.Argv), "\x01", p.Exe, p.Comm, p.Cwd, p.ContainerID), "\x00")
	answer, found := known.Load(key)
	if !found {
		answer = ask(p)
		known.Store(key, answer)
	}
	return answer.(T)
}

// reaps is what a policy makes of a graph: what it would end now.
type reaps struct {
	verdicts   []policy.Verdict // of all targets
	acts       []policy.Act
	pids       map[int]bool
	containers map[string]bool
}

func (j *Judge) reaps(g *graph.Graph, p *policy.Policy, oneShot bool) reaps {
	verdicts := policy.Judge(g, p, policy.JudgeOptions{OneShot: oneShot})
	r := reaps{verdicts: verdicts}
	for i := range verdicts {
		if verdicts[i].Decision == policy.Reap {
			r.acts = policy.MakePlan(verdicts, p, g.Snapshot.Moment()).Acts
			break
		}
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
