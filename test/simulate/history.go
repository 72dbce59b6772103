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
	Kind     string // of what: its manner, and npx, docker, an agent …
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
	// there is the memory of a daemon of the same history on a host with other numbers.
	mirror mirror
	there  memory
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
		step.play(h.world)
	}
	h.tally.countThings(h.world)
	return h.tally, h.failures
}

func (h *history) lookAround(step Step, last bool) {
	if h.restarted {
		h.memory, h.there, h.past, h.restarted = h.memory.startedAgain(), h.there.startedAgain(), nil, false
		if h.selective != nil {
			h.selective = h.judge.newSelective(h.selective.memory.startedAgain())
		}
	}
	look := h.world.look()
	if err := look.Validate(); err != nil {
		h.fail(Failure{Property: Broken, Text: err.Error()})
		return
	}
	h.mark()
	h.countCopies()
	h.past = append(h.past, look)
	s := h.judge.see(h.memory, look, false)
	h.tally.Looks++
	h.tally.Judged += len(s.graph.Targets)
	due := h.markProvable()
	for i, p := range h.judge.policies() {
		h.checkUse(s.reaps[i], p.name)
	}
	h.checkOwners(s.graph)
	r := step.random()
	if oneIn(r, 6) {
		h.checkOneShot(s)
	}
	h.checkVariations(s, r, last)
	if h.script.Seed%5 == 0 {
		h.checkOrder(s, r)
	}
	if h.selective != nil {
		h.checkSelection(s)
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

// countCopies notes the commands of which several copies run: their shape is that of a
// server from then on.
func (h *history) countCopies() {
	const several = 3
	copies := map[string]int{}
	for _, s := range h.servers {
		if p := s.members; s.likely && len(p) > 0 && p[0].alive() {
			command := commandOf(p[0])
			copies[command]++
			h.common[command] = h.common[command] || copies[command] >= several
		}
	}
}

// checkUse: nothing that somebody uses is among what would be ended, and nothing before
// its time.
func (h *history) checkUse(r reaps, policyName string) {
	for _, act := range r.acts {
		h.checkAct(act, policyName)
	}
}

func (h *history) checkAct(act policy.Act, policyName string) {
	f := Failure{Property: InUse, Policy: policyName}
	what := h.wronglyTaken(act)
	if what == nil {
		f.Property, what = Early, h.takenEarly(act)
	}
	switch {
	case what == nil:
		return
	case act.Container != nil:
		f.Containers = []string{act.Container.ID}
	default:
		f.PIDs = []int{what.pid}
	}
	thing := what.thing()
	thing.note(wrong, f.Property == InUse)
	thing.note(early, f.Property == Early)
	f.Kind = string(thing.manner) + ": " + what.kind()
	f.Text = fmt.Sprintf("%s policy, rule %s: would end %s %s (%s): process %d %q", policyName, act.Rule, act.Kind, act.Name, f.Kind, what.pid, what.argv)
	for user := what.user; user != nil && user != what; what, user = user, user.user {
		f.Text += fmt.Sprintf(", which %d %q uses", user.pid, user.argv)
	}
	h.fail(f)
}

// wronglyTaken is what an act would take from somebody; nil is nothing.
func (h *history) wronglyTaken(act policy.Act) *process {
	if act.Container != nil {
		return h.wronglyEnded(act)
	}
	for _, member := range act.Members {
		p := h.find(member)
		switch {
		case p == nil, act.Kind == graph.KindSession && (p.pid != act.Root.PID || !h.hasStdio(p)):
		case h.mustKeep(p) || h.isLookedThrough(p):
			return p
		}
	}
	return nil
}

// wronglyEnded stands for a container that somebody uses, or comes back to, as a process of that
// server.
func (h *history) wronglyEnded(act policy.Act) *process {
	for _, c := range h.engine.containers {
		if c.id == act.Container.ID && (h.mustKeepContainer(c) || c.comesBack && act.Verb == policy.ActionRemove) {
			p := &process{server: c.server, program: program{argv: []string{c.name, c.image}}, user: c.user}
			if c.server == nil {
				p.server = &server{kind: "nobody's server", ledger: ledger{manner: c.manner}}
			}
			return p
		}
	}
	return nil
}

// hasStdio reports that an agent may still be spoken to. A policy that ends orphaned
// sessions asks for their end although they may be at work.
func (h *history) hasStdio(p *process) bool {
	isLost := func(s stream) bool {
		return s.end != nil && !slices.ContainsFunc(s.end.other().possessors(), h.mustKeep)
	}
	return p.alive() && !(isLost(p.stdin) && isLost(p.stdout))
}

// rest is for how long something that is only likely has to have been at rest.
const rest = 10 * time.Minute

// takenEarly is the root of what would be ended although it is only likely to be a server
// and has not been at rest for long enough; nil is none. What a server has started may go
// with it.
func (h *history) takenEarly(act policy.Act) *process {
	if act.Root == nil {
		return nil
	}
	p := h.find(act.Root.ID())
	if p == nil || p.server == nil || !p.server.likely || h.common[commandOf(p)] || h.awake-p.server.rested >= rest {
		return nil
	}
	if client := p.server.client; client.server != nil && client.alive() && client.user == nil {
		return nil
	}
	return p
}

// thing is where it is noted what comes of a process.
func (p *process) thing() *ledger {
	if p.server != nil {
		return &p.server.ledger
	}
	return &p.ledger
}

// kind names what a process is.
func (p *process) kind() string {
	switch {
	case p.server != nil:
		return p.server.kind
	case p.role == person:
		return "a person's program"
	case p.role == agent && p.session:
		return "session"
	case p.role == agent:
		return "unknown agent"
	}
	return "bystander"
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
	for _, s := range h.provables() {
		now[s] = true
	}
	for _, s := range h.servers {
		h.see(s, now[s])
		below := h.isLetGo(s)
		switch {
		case !now[s]:
			s.provable = moment{}
		case !s.provable.set || s.provable.below != below:
			s.provable = moment{awake: h.awake, looks: 1, set: true, below: below}
		default:
			s.provable.looks++
			if h.awake-s.provable.awake >= least && !s.overdue {
				due = append(due, s)
			}
		}
	}
	for _, p := range h.processes {
		if p.server == nil && p.alive() {
			p.note(things, true)
			p.note(wanted, true)
		}
	}
	return due
}

// see notes what a look shows of a server.
func (h *history) see(s *server, provable bool) {
	left, used := s.hasLeft(), h.inUse(s)
	s.note(things, left)
	s.note(wanted, used)
	s.note(vague, s.likely && left && !used)
	s.noted[doubt] = left && !used && !provable && !s.likely
}

func (h *history) checkTime(due []*server) {
	for _, s := range due {
		s.overdue = true
		s.note(proven, true)
		h.tally.Provable[s.kind]++
		if !s.hasLeft() {
			continue
		}
		s.note(late, true)
		h.tally.Late[s.kind]++
		f := Failure{Property: InTime, Kind: string(s.manner) + ": " + s.kind, Policy: "shipped", Text: fmt.Sprintf("%s of scene %d is left over", s.kind, s.scene)}
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

// remember is what the daemon knows from now on: whose child everybody was, and which server was whose.
func (h *history) remember() {
	for _, s := range h.servers {
		if s.client != nil && s.client.alive() && !slices.Contains(s.seen, s.client) {
			s.seen = append(s.seen, s.client)
		}
	}
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
					c.removed = c.removed || act.Verb == policy.ActionRemove
				}
			}
		}
		for _, member := range act.Members {
			if p := h.find(member); p != nil {
				p.thing().note(went, p.thing().noted[vague])
				h.exit(p)
			}
		}
	}
	h.settle()
}
