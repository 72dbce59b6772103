package graph

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// This file finds out how long sessions have done nothing, and what each of them holds meanwhile.
//
// A session is idle while nothing that works for it shows a sign of use: the client's own processes,
// its servers and gateways with all below them, the processes in its containers, and the tools that
// it runs.
//
//	sign of use               remark
//	processor time or I/O     more than a trickle since the look before ([Activity]); timers and pings are less.
//	                          macOS counts calls to the kernel instead of characters
//	a start or an end         of any process that works for it
//	a connection              to a port or socket that one of them listens on
//	the terminal              typed on or written to; the kernel updates that time only every eight seconds
//	a running tool            any process that is neither the client nor a server's, nor a shell without a child
//	a fact that is unknown    in doubt the session is in use
//
// A session is idle since it was last seen in use, or at least since the first look at it. A daemon
// that starts again begins anew.

// Work is all that works for a session, at one look.
type Work struct {
	Processes []*inventory.Process
	own       int // how many of them, the first, are the client's
	// Busy are signs of use that no counter shows: connections, and tools at work.
	Busy []Use
	// holds are the targets that the session has, and those that these have.
	holds []*Target

	seen map[int]bool // PIDs
}

// measure says what a session holds and has done since the look before, and gives it the finding idle.
// owned are the targets of each owner that lives.
func (c *correlation) measure(s *Session, owned map[inventory.ID][]*Target) {
	w := c.workOf(s, owned)
	s.MemoryBytes = s.Target.MemoryBytes
	for _, held := range w.holds {
		s.MemoryBytes += held.MemoryBytes
		switch {
		case held.Container == nil:
			s.Servers++
		case held.Container.Running() && held.MemoryBytes == 0:
			s.Unmeasured++
		}
	}
	s.Containers = len(w.holds) - s.Servers
	s.Activity = c.past.activities[s.Process.ID()].Next(w, c.snapshot.Moment())
	s.Target.Idle, s.Target.Rested = s.Activity.Idle(), s.Activity.Rested()
	if s.Target.Finding != FindingNone && s.Target.Finding != FindingOrphaned {
		return
	}
	for _, held := range w.holds {
		if !held.Deduced { // it goes with its docker run: nothing is ended by a deduction
			s.Target.Below = append(s.Target.Below, held.ID)
		}
	}
	if s.Target.Finding == FindingNone && s.Target.Idle.Or(0) >= c.options.IdleOver {
		s.rest()
	}
}

// rest gives a session the finding idle.
func (s *Session) rest() {
	t, a := s.Target, s.Activity
	t.Finding, t.Incidental = FindingIdle, false
	t.Since, t.Held, t.Looks = a.IdleSince.At, t.Idle.Or(0), a.Looks
	add := func(check Check, proof bool, since time.Time, text string) {
		e := evidenceOf(check, SaysSilent, human.Say(text))
		e.Proof, e.Since = proof, since
		t.Evidence = append(t.Evidence, e)
	}
	add(CheckActivity, true, t.Since, "none of its processes has used more than a trickle of processor time or input and output")
	if a.AtLeast {
		add(CheckMemory, false, t.Since, "it was not yet seen in use: it may have been idle for longer")
	}
	if !a.TerminalUsed.IsZero() {
		add(CheckStdin, false, a.TerminalUsed, "nobody has typed on its terminal, and nothing was written to it")
	}
}

// Sooner is a graph in which sessions have the finding idle after less time than it was made with.
func (g *Graph) Sooner(over time.Duration) *Graph {
	sooner := *g
	sooner.Sessions, sooner.Targets = slices.Clone(g.Sessions), slices.Clone(g.Targets)
	for i := range sooner.Sessions {
		s := &sooner.Sessions[i]
		if s.Target == nil || s.Target.Finding != FindingNone || s.Target.Idle.Or(0) < over {
			continue
		}
		target := *s.Target
		target.Evidence = slices.Clip(target.Evidence)
		at := slices.Index(sooner.Targets, s.Target)
		s.Target, sooner.Targets[at] = &target, &target
		s.rest()
	}
	return &sooner
}

// workOf gathers what works for a session.
func (c *correlation) workOf(s *Session, owned map[inventory.ID][]*Target) *Work {
	w := &Work{seen: map[int]bool{}}
	for _, member := range s.Members {
		w.add(member)
	}
	w.own = len(w.Processes)
	for _, member := range s.Members {
		c.hold(w, owned, member.ID())
	}
	for _, known := range w.Processes { // processes that stay when a server ends are no tools
		c.addTools(w, c.byPID[known.PID])
	}
	return w
}

func (w *Work) add(p *inventory.Process) {
	if w.seen[p.PID] {
		return
	}
	w.seen[p.PID] = true
	w.Processes = append(w.Processes, p)
	if p.Connections.Or(0) > 0 {
		w.Busy = append(w.Busy, Use{SignConnections, p.PID})
	}
	if p.Listening.IsUnreadable() || p.Connections.IsUnreadable() {
		w.Busy = append(w.Busy, Use{SignUnknown, p.PID})
	}
}

// hold adds the targets of an owner and, in turn, those that they own. If what runs in a container
// cannot be seen, it is not known what it does.
func (c *correlation) hold(w *Work, owned map[inventory.ID][]*Target, owner inventory.ID) {
	for _, target := range owned[owner] {
		w.holds = append(w.holds, target)
		for _, left := range target.Left {
			w.seen[left.PID] = true
		}
		for _, member := range slices.Concat(target.Members, c.inside(target.ID)) {
			w.add(member)
		}
		switch {
		case target.Container == nil && target.Root.ID() != owner:
			c.hold(w, owned, target.Root.ID())
		case target.Container != nil && target.Container.Running() && len(c.inContainers[target.ID]) == 0:
			w.Busy = append(w.Busy, Use{SignUnknown, target.Container.PID})
		}
	}
}

// addTools adds what runs below a process and is not known yet.
func (c *correlation) addTools(w *Work, above *node) {
	for _, n := range above.children {
		if w.seen[n.PID] || above.Start > n.Start {
			continue
		}
		w.add(n.Process)
		if !n.isWaitingShell() {
			w.Busy = append(w.Busy, Use{SignTool, n.PID})
		}
		c.addTools(w, n)
	}
}

// isWaitingShell reports a shell that runs nothing and waits for its next command.
func (n *node) isWaitingShell() bool {
	args := n.Args()
	if len(args) == 0 || !cmdline.IsShell(cmdline.ProgramName(args[0])) || cmdline.RunsLine(args) || len(n.children)+len(n.dead) > 0 {
		return false
	}
	runsFile := func(arg string) bool { return !strings.HasPrefix(arg, "-") }
	return !slices.ContainsFunc(args[1:], runsFile)
}
