package simulate

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// The properties.
const (
	InUse     = "nothing in use is reaped"
	Early     = "what is only likely rests for ten minutes first"
	GapAdds   = "a gap adds no reap"
	LifeAdds  = "somebody alive adds no reap"
	InTime    = "a provable orphan is reaped in time"
	Order     = "order and numbering change nothing"
	OneShot   = "a one-shot reaps what the daemon does"
	Selection = "what is left out changes nothing"
	Owned     = "a container is told to be its owner's"
	Broken    = "a look is what a host can have shown"
)

// policies are the two that judge every look.
func (j *Judge) policies() [2]named {
	return [2]named{{"shipped", j.Shipped}, {"strict", j.Strict}}
}

type named struct {
	name   string
	policy *policy.Policy
}

// sight is one look with what it means and what each policy makes of it.
type sight struct {
	look  *inventory.Snapshot
	graph *graph.Graph
	reaps [2]reaps // in the order of policies
}

func (j *Judge) see(past memory, look *inventory.Snapshot, oneShot bool) sight {
	s := sight{look: look, graph: j.Correlate(past, look)}
	for i, p := range j.policies() {
		s.reaps[i] = j.reaps(s.graph, p.policy, oneShot)
	}
	return s
}

// checkOwners: a container whose owner follows from what others need has that of the docker
// run which started it. A docker run that has lost its container, and a container of its
// image that somebody started over the API, are as good as a pair: there it cannot be told.
func (h *history) checkOwners(g *graph.Graph) {
	for _, target := range g.Targets {
		if !target.Deduced || target.Owner.Liveness != graph.LivenessLive {
			continue
		}
		h.tally.Deduced++
		for _, c := range h.engine.containers {
			lost := func(p *process) bool { return p.alive() && p.runs(c.image) }
			if c.id == target.ID && !slices.ContainsFunc(h.lingering, lost) && ownerOf(g, c.server) != target.Owner.ID {
				h.fail(Failure{Property: Owned, Kind: "container", Containers: []string{c.id}, Text: fmt.Sprintf("container %s is said to be that of process %d", c.id[:12], target.Owner.ID.PID)})
			}
		}
	}
}

// ownerOf is whose the docker run of a server is; zero if it is nobody's.
func ownerOf(g *graph.Graph, s *server) inventory.ID {
	for _, target := range g.Targets {
		if s != nil && slices.ContainsFunc(s.members, func(p *process) bool { return p.alive() && p.cli && slices.Contains(target.PIDs(), p.pid) }) {
			return target.Owner.ID
		}
	}
	return inventory.ID{}
}

// checkVariations tries one variation of a look; of the last look of a script
// that shrinks, where the one that failed must be found again, all there are.
func (h *history) checkVariations(s sight, r *rand.Rand, last bool) {
	if !h.script.Thorough {
		if oneIn(r, 2) {
			h.checkVariation(s, pick(r, variations()...), r.IntN(len(s.look.Processes)))
		}
		return
	}
	for at := range s.look.Processes {
		for _, v := range variations() {
			if last && h.checkVariation(s, v, at) {
				return
			}
		}
	}
}

// checkVariation: the same moment seen with a gap, or with somebody more alive,
// comes to no more reaps, but for what is worse off without it ([history.worseOff]).
func (h *history) checkVariation(s sight, v variation, at int) (failed bool) {
	look, what := v.of(s.look, at)
	other := h.judge.see(h.memory, look, false)
	for i, p := range h.judge.policies() {
		if f := h.beyond(other.reaps[i], h.worseOff(s.reaps[i])); f.Text != "" {
			failed = true
			f.Property, f.Policy, f.Text = v.property, p.name, fmt.Sprintf("%s policy: with %s it would end %s too", p.name, what, f.Text)
			last := len(h.past) - 1
			h.past[last] = look
			h.fail(f)
			h.past[last] = s.look
		}
	}
	return failed
}

// beyond is a failure about all that these would end and others would not; its text names the
// first of it, its kind is what that is. Without a text there is nothing.
func (h *history) beyond(these, others reaps) (f Failure) {
	for _, act := range these.acts {
		if c := act.Container; c != nil && !others.containers[c.ID] {
			f.Containers = append(f.Containers, c.ID)
			f.Kind, f.Text = cmp.Or(f.Kind, "container"), cmp.Or(f.Text, "container "+c.ID[:12])
		}
		for _, member := range act.Members {
			if p := h.find(member); p != nil && !others.pids[p.pid] {
				f.PIDs = append(f.PIDs, p.pid)
				f.Kind, f.Text = cmp.Or(f.Kind, string(p.thing().manner)+": "+p.kind()), cmp.Or(f.Text, fmt.Sprintf("process %d", p.pid))
			}
		}
	}
	return f
}

// worseOff adds to the processes that a policy ends those which it ends as soon as this has lasted
// for long enough: disconnected from a live owner at the look before, and orphaned now that the owner
// is gone. Where a look does not show that end, they are only disconnected still, and may be due.
func (h *history) worseOff(r reaps) reaps {
	r.pids = maps.Clone(r.pids)
	for i := range r.verdicts {
		v := &r.verdicts[i]
		if v.Decision != policy.Pending || v.Target.Finding != graph.FindingOrphaned || h.memory.previous == nil {
			continue
		}
		if before, known := h.memory.previous.Target(v.Target.ID); known && before.Finding == graph.FindingDisconnected {
			for _, member := range v.Target.Members {
				r.pids[member.PID] = true
			}
		}
	}
	return r
}

// checkOrder: a host with other PIDs, which lists its processes in another
// order, comes to the same.
func (h *history) checkOrder(s sight, r *rand.Rand) {
	there := h.judge.see(h.there, h.world.mirrored(h.mirror, r), false)
	h.there = h.there.after(there.graph)
	for i, p := range h.judge.policies() {
		expected := h.mirror.reaps(s.reaps[i])
		if !maps.Equal(there.reaps[i].pids, expected.pids) || !maps.Equal(there.reaps[i].containers, s.reaps[i].containers) {
			h.fail(Failure{Property: Order, Policy: p.name, Text: fmt.Sprintf("%s policy: %d processes and %d containers; with other numbers %d and %d",
				p.name, len(expected.pids), len(s.reaps[i].containers), len(there.reaps[i].pids), len(there.reaps[i].containers))})
		}
	}
}

// checkOneShot: two looks without a past take nothing that is in use, and all
// that was a provable orphan in both of them and is old enough.
func (h *history) checkOneShot(s sight) {
	if len(h.past) < 2 {
		return
	}
	first := h.judge.Correlate(memory{}, h.past[len(h.past)-2])
	once := h.judge.see(memory{previous: first}, s.look, true)
	for i, p := range h.judge.policies() {
		h.checkUse(once.reaps[i], p.name+" one-shot")
	}
	for _, server := range h.servers {
		if server.provable.looks < 2 || server.provable.below || !h.isPlain(server) {
			continue
		}
		for _, p := range server.members {
			if p.alive() && !once.reaps[0].pids[p.pid] {
				h.fail(Failure{Property: OneShot, Kind: string(server.manner) + ": " + server.kind, Policy: "shipped one-shot", PIDs: []int{p.pid},
					Text: fmt.Sprintf("process %d of %s is a provable orphan in both looks", p.pid, server.kind)})
				break
			}
		}
	}
}

// isPlain reports a server that two looks are enough for: older than its rule
// wants, on a clock that can be read, and hanging where nobody needs to remember
// its parent.
func (h *history) isPlain(s *server) bool {
	if c := s.container; c != nil && (h.engine.away || h.boot-c.created < least || !h.hasRunner(c)) {
		return false
	}
	for _, p := range s.members {
		if p.alive() && (h.hangsOnDesktop(p) || h.boot-time.Duration(p.start)*tick < least) {
			return false
		}
	}
	return s.container == nil || !slices.ContainsFunc(h.processes, func(p *process) bool {
		return p.alive() && p.runs(s.container.image) && p.server != nil && h.hangsOnDesktop(p) // the container may be its
	})
}

// hangsOnDesktop reports a process whose tree the desktop's supervisor has adopted, or
// started: only who remembers its parent can tell.
func (h *history) hangsOnDesktop(p *process) bool {
	for p.parent.server != nil {
		p = p.parent
	}
	return p.parent == h.desktop
}
