package account

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
)

// process tells why reaperd ignores a process.
func (e *explainer) process(p *inventory.Process) {
	out, program := &Process{PID: p.PID, ID: p.ID().String(), Reason: e.reason(p)}, programOf(p)
	named := program
	e.out.Process, e.out.uid = out, p.UID
	for i := range e.account.Things {
		if t := &e.account.Things[i]; idOf(t.Owner.PID, t.Owner.Start) == out.ID && t.Kind != graph.KindSession {
			out.Owns, named = append(out.Owns, t.ID), cmp.Or(t.Owner.Name, named)
		}
	}
	e.say("what", measured(command(redact.Args(p.Args()), ""), 0, p.MemoryBytes.Or(0), nil))
	e.say("", origin("started ", p.StartedAt, p.User, redact.Text(p.Cwd)))
	e.say("parent", Words(prefixed("process ", pidText(p.PPID.Or(0)))))
	name, n := strconv.Itoa(p.PID)+" ("+redact.Name(named)+")", len(out.Owns)
	if n == 0 {
		e.out.Answer = Words(name + " is no MCP server: " + out.Reason + ". reaperd never touches it.")
		return
	}
	e.out.Answer = Words(name + " is no agent that reaperd knows. It has " + human.Count(n, "MCP server") + ", which " + human.Are(n) + " kept while it lives.")
	change := policy.Naming(program, named, redact.Args(p.Args()), e.Policy)
	e.say("owns", Words(e.handles(out.Owns)))
	e.say("to name it", Words(change.Where+":"))
	e.say("", Words(change.Line))
}

// reason is why a process is none of reaperd's.
func (e *explainer) reason(p *inventory.Process) string {
	container, isSeen := e.Graph.Target(p.ContainerID)
	left := slices.IndexFunc(e.account.AlsoLeft, func(left AlsoLeft) bool { return slices.Contains(left.PIDs, p.PID) })
	switch unread := unreadAround(e.Graph, p); {
	case left >= 0:
		return e.account.AlsoLeft[left].Session.String() + " started it, and has ended"
	case !p.Alive():
		return "a zombie, which has exited and goes when its parent waits for it, or ends"
	case isSeen && !container.Incidental:
		return "it runs in the container " + SubjectOf(container).Handle() + ", which is judged as one thing"
	case unread != "":
		return "it runs in a container, and what that is cannot be told: " + unread
	}
	return "no catalogue entry, no configuration and no stdio shape matches it"
}

// unreadAround says why it cannot be told what a process in a container is. It is empty if the look shows the
// container, or every engine was read, or it runs in none or has exited.
func unreadAround(g *graph.Graph, p *inventory.Process) string {
	_, isSeen := g.Target(p.ContainerID)
	if p.ContainerID == "" || !p.Alive() || isSeen || !g.Snapshot.Engines().Failed {
		return ""
	}
	return UnreadOf(g.Snapshot, p.ContainerID)
}
