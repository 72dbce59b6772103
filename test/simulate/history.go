package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// Failure is a property that does not hold.
type Failure struct {
	Property string // which
	Kind     string // of what: npx, docker, an agent …
	Text     string
	// Snapshots are the looks since the daemon's memory began, the last of them
	// the one that went wrong; PIDs and Containers are what it went wrong about.
	Snapshots []*inventory.Snapshot
	PIDs      []int
	// Look is the number of the look, from 1.
	Look       int
	Containers []string
	Policy     string
}

// history is a script as it is played.
type history struct {
	*world
	judge  *Judge
	script Script
	memory memory
	// mirrored is the same history on a host with other numbers.
	mirrored memory
	mirror   mirror
	// selective is a daemon that lists only what matters; nil is none.
	selective *selective
	past      []*inventory.Snapshot
	tally     Tally
	failures  []Failure
}

// Play plays a script and returns what failed.
func (j *Judge) Play(s Script) (Tally, []Failure) {
	h := &history{world: newWorld(s.Host), judge: j, script: s, tally: newTally()}
	h.tally.Worlds = 1
	if s.Seed%2 == 0 {
		h.selective = j.newSelective(memory{})
	}
	h.mirror = newMirror(rand.New(rand.NewPCG(s.Seed, 3)))
	for _, scene := range s.Scenes {
		scene.start(h.world)
	}
	h.settle()
	for i, step := range s.Steps {
		if step.look {
			h.pass(step.random())
			h.lookAround(step, i == len(s.Steps)-1)
			continue
		}
		step.happen(h.world, step.random(), step.Scene)
		h.settle()
	}
	return h.tally, h.failures
}

func (h *history) lookAround(step Step, last bool) {
	if h.restarted {
		h.memory, h.mirrored, h.past, h.restarted = h.memory.startedAgain(), h.mirrored.startedAgain(), nil, false
		if h.selective != nil {
			h.selective = h.judge.newSelective(h.selective.memory.startedAgain())
		}
	}
	look := h.world.look()
	if err := look.Validate(); err != nil {
		h.fail(Failure{Property: Broken, Text: err.Error()})
		return
	}
	h.past = append(h.past, look)
	s := h.judge.see(h.memory, look, false)
	h.tally.Looks++
	h.tally.Judged += len(s.graph.Targets)
	for i, p := range h.judge.policies() {
		h.checkUse(s.reaps[i], p.name)
	}
	h.checkOwners(s.graph)
	due := h.markProvable()
	r := step.random()
	h.checkVariations(s, r, last)
	if h.script.Seed%5 == 0 {
		h.checkOrder(s, r)
	}
	if h.selective != nil {
		h.checkSelection(s)
	}
	if oneIn(r, 6) {
		h.checkOneShot(s)
	}
	h.memory = h.memory.after(s.graph)
	h.remember()
	if h.script.Strict {
		h.act(s.reaps[1])
	} else {
		h.act(s.reaps[0])
	}
	h.checkTime(due)
}

func (h *history) fail(f Failure) {
	h.tally.Failed[f.Property]++
	f.Snapshots, f.Look = slices.Clone(h.past), h.tally.Looks
	h.failures = append(h.failures, f)
}

// checkUse: nothing that somebody uses is among what would be ended.
func (h *history) checkUse(r reaps, policyName string) {
	for _, act := range r.acts {
		if kind, pid := h.wronglyTaken(act); kind != "" {
			h.tally.Wrong[policyName+": "+kind]++
			f := Failure{Property: InUse, Kind: kind, Policy: policyName, PIDs: []int{pid},
				Text: fmt.Sprintf("%s policy, rule %s: would end %s %s (%s): process %d %s", policyName, act.Rule, act.Kind, act.Name, kind, pid, h.nameOf(pid))}
			if act.Container != nil {
				f.PIDs, f.Containers = nil, []string{act.Container.ID}
			}
			h.fail(f)
		}
	}
}

// wronglyTaken names what an act would take from somebody, empty for nothing.
func (h *history) wronglyTaken(act policy.Act) (kind string, pid int) {
	if act.Container != nil {
		for _, c := range h.engine.containers {
			if c.id == act.Container.ID && h.mustKeepContainer(c) {
				if !h.isTold(c) {
					h.tally.Untold++
					return "", 0
				}
				return "container of " + c.kind(), 0
			}
		}
		return "", 0
	}
	if act.Kind == graph.KindSession {
		return h.wronglyEnded(act)
	}
	for _, member := range act.Members {
		if p := h.find(member); p != nil && (h.mustKeep(p) || h.isLookedThrough(p)) {
			return p.kind(), p.pid
		}
	}
	return "", 0
}

// wronglyEnded: a policy that ends orphaned sessions asks for their end although
// they may be at work. It is wrong where somebody still has their stdio.
func (h *history) wronglyEnded(act policy.Act) (kind string, pid int) {
	p := h.find(inventory.ID{PID: act.Root.PID, Start: act.Root.Start})
	if p != nil && p.alive() && !(h.isLost(p.stdin) && h.isLost(p.stdout)) {
		return "session", p.pid
	}
	return "", 0
}

// isLost reports that nobody has the other end of a stream but what is left over.
func (w *world) isLost(s stream) bool {
	return s.end != nil && !slices.ContainsFunc(s.end.other().holders, w.mustKeep)
}

func (c *container) kind() string {
	if c.server == nil {
		return "nobody's server"
	}
	return c.server.kind
}

// kind names what a process is, for the tally.
func (p *process) kind() string {
	switch {
	case p.server != nil:
		return "server: " + p.server.kind
	case p.role == agent && p.session:
		return "session"
	case p.role == agent:
		return "unknown agent"
	}
	return "bystander"
}

// nameOf is a process for a person.
func (w *world) nameOf(pid int) string {
	for _, p := range w.processes {
		if p.pid == pid && p.parent != nil {
			return fmt.Sprintf("%q below %d", p.argv, p.parent.pid)
		}
	}
	return ""
}

func (w *world) find(id inventory.ID) *process {
	for _, p := range w.processes {
		if p.pid == id.PID && p.start == id.Start {
			return p
		}
	}
	return nil
}

// least is how long the shipped rules want an orphan to have held.
const least = 30 * time.Second

// markProvable notes what is a provable orphan at this look, and returns what has
// been one for as long as the rule wants.
func (h *history) markProvable() (due []*server) {
	now := map[*server]bool{}
	for _, s := range h.provables(!h.engine.down) {
		now[s] = true
	}
	for _, s := range h.servers {
		switch {
		case !now[s]:
			s.provable = moment{}
		case !s.provable.set || s.provable.below != s.hangsOnLetGo():
			s.provable = moment{awake: h.awake, looks: 1, set: true, below: s.hangsOnLetGo()}
		default:
			s.provable.looks++
			if h.awake-s.provable.awake >= least && !s.overdue {
				due = append(due, s)
			}
		}
	}
	return due
}

// hangsOnLetGo reports that its client lives and wants it no more, or that it
// hangs on a gateway of which that holds.
func (s *server) hangsOnLetGo() bool {
	if s.client == nil || !s.client.alive() {
		return false
	}
	return s.letGo || s.client.server != nil && s.client.server.hangsOnLetGo()
}

func (h *history) checkTime(due []*server) {
	for _, s := range due {
		s.overdue = true
		h.tally.Provable[s.kind]++
		if !s.hasLeft() {
			continue
		}
		h.tally.Late[s.kind]++
		f := Failure{Property: InTime, Kind: s.kind, Policy: "shipped", Text: fmt.Sprintf("%s of scene %d is left over", s.kind, s.scene)}
		for _, p := range s.members {
			if p.alive() {
				f.PIDs = append(f.PIDs, p.pid)
			}
		}
		if s.container != nil && s.container.running() {
			f.Containers = append(f.Containers, s.container.id)
		}
		f.Text += fmt.Sprintf(": %v %v", f.PIDs, f.Containers)
		h.fail(f)
	}
}

// remember is what the daemon knows from now on of whose child everybody was.
func (h *history) remember() {
	for _, p := range h.processes {
		if p.remembered == nil {
			p.remembered = p.parent
		}
	}
}

// act ends what was decided, in its order.
func (h *history) act(r reaps) {
	for _, act := range r.acts {
		if act.Container != nil {
			for _, c := range h.engine.containers {
				if c.id == act.Container.ID {
					h.stop(c)
					c.removed = true
				}
			}
		}
		for _, member := range act.Members {
			if p := h.find(member); p != nil {
				h.exit(p)
			}
		}
	}
	h.settle()
}
