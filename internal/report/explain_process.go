package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// OtherProcess is a process that is no target.
type OtherProcess struct {
	Process *inventory.Process
	Parent  *inventory.Process // nil if no look has seen it
	// Container is the MCP container that it runs in; nil if it runs in none.
	Container *graph.Target
	Why       string // why it is no target; empty is that nothing matches it
	// Unread is why it cannot be told what it is, of a process in a container whose engine was not read
	// ([word.UnreadAround]); empty else.
	Unread string
	// Told means that the caller writes behind the explanation what reaperd did to the
	// process, or that it never touched it.
	Told bool
	// In is what the explanation says of the process's parent and server is made from.
	In Input
}

// Reason is why reaperd ignores the process.
func (o OtherProcess) Reason() string {
	switch {
	case !o.Process.Alive():
		return "it is " + o.zombie()
	case o.Container != nil:
		return "it " + o.within()
	case o.Unread != "":
		return "it " + o.unclear()
	}
	return cmp.Or(o.Why, "no catalogue entry, no configuration and no stdio shape matches it")
}

// Explain writes why reaperd ignores the process.
func (o OtherProcess) Explain(w io.Writer, options Options) error {
	s := newScreen(options)
	v := newView(o.In, options, would())
	owned := o.Owned()
	s.wrap("", o.judgement()+o.ownedText(len(owned)))
	s.gap()
	lines := explanation{screen: s}
	what := processCommand(o.Process, v.options.Home).fit(mostCommandLines*s.width, s.glyphs)
	lines.say("what", cmp.Or(what, processName(o.Process)))
	lines.say("", v.startText(o.Process.StartedAt, o.Process.User, o.Process))
	lines.say("parent", o.parentText())
	server := o.server()
	if server != nil {
		lines.say("whose", v.whose(server.Target))
	}
	switch {
	case len(owned) > 0 && o.Process.Alive():
		v.explainHeld(s, human.Left("owns", aboutCells), o.Process.ID())
		naming := ToNameIt(processName(o.Process), o.In.Policy, v.options.Home)
		lines.say("to name it", naming.Where)
		lines.say("", literal(naming.Line))
	case server != nil && !o.Process.Alive():
		v.explainZombie(lines, server)
	case o.Container != nil && o.Process.Alive():
		lines.say("see also", literal("reaperd explain "+handle(o.Container)))
	case o.Unread != "" && v.rootMayAsk():
		lines.say("see also", literal("sudo reaperd explain "+strconv.Itoa(o.Process.PID)))
	}
	return s.flush(w)
}

// ToNameIt is [policy.Naming], introduced by what comes of it.
func ToNameIt(program string, under policy.Identity, home human.Home) policy.Change {
	change := policy.Naming(program, under, home)
	return policy.Change{Where: "as a client, with its idle time and its pins, " + change.Where + ":", Line: change.Line}
}

// Owned returns the ids of the targets that the process owns.
func (o OtherProcess) Owned() (ids []string) {
	for i := range o.In.Verdicts {
		if t := o.In.Verdicts[i].Target; t.Owner.ID == o.Process.ID() && t.Kind != graph.KindSession && !t.Incidental {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// ownedText adds to the first sentence what the process owns: " It owns 2 MCP servers, which are
// kept while it lives."
func (o OtherProcess) ownedText(n int) string {
	if n == 0 || !o.Process.Alive() {
		return ""
	}
	return fmt.Sprintf(" It owns %s, which %s kept while it lives.", human.Count(n, "MCP server"), human.Are(n))
}

// server returns the verdict on the server that the parent belongs to; nil if it belongs to
// none.
func (o OtherProcess) server() *policy.Verdict {
	if o.Parent == nil {
		return nil
	}
	for i := range o.In.Verdicts {
		v := &o.In.Verdicts[i]
		if v.Target.Kind != graph.KindSession && slices.ContainsFunc(v.Target.Members, func(p *inventory.Process) bool { return p.ID() == o.Parent.ID() }) {
			return v
		}
	}
	return nil
}

// explainZombie tells what becomes of a zombie of a server: how many there are, when it goes,
// and by which rule the server is judged.
func (v *view) explainZombie(lines explanation, server *policy.Verdict) {
	t := server.Target
	lines.say("siblings", fmt.Sprintf("%s has %s", called(t), human.Count(t.Zombies, "zombie")))
	lines.say("next", "a zombie cannot be stopped: it goes when its parent waits for it, or ends")
	lines.say("rule", v.ruleText(server))
	lines.say("see also", "reaperd explain "+handle(t))
}

func (o OtherProcess) zombie() string {
	return "a zombie: it has exited, and its parent, " + o.parentText() + ", has not waited for it yet"
}

// within tells of a process in a container that what happens to it is decided there.
func (o OtherProcess) within() string {
	return "runs in container " + handle(o.Container) + " (" + nameOf(o.Container) + "), which is judged as one thing"
}

// unclear tells of a process in a container that it may be an MCP container's.
func (o OtherProcess) unclear() string {
	return fmt.Sprintf("runs in container %.12s, and what it is cannot be told: %s", o.Process.ContainerID, sentence(o.Unread))
}

// judgement is the first sentence: what the process is, and why reaperd ignores it.
func (o OtherProcess) judgement() string {
	if !o.Process.Alive() || o.Container != nil || o.Unread != "" {
		return o.Brief() + "."
	}
	text := o.noServer() + ": " + sentence(o.Reason()) + "."
	if o.Told {
		return text
	}
	return text + " " + ignored + "."
}

// Brief says what the process is where a server, a container or a session is asked for: "63 (dockerd) is
// no MCP server: reaperd never touches it".
func (o OtherProcess) Brief() string {
	switch {
	case !o.Process.Alive():
		return o.numbered() + " is " + o.zombie()
	case o.Container != nil:
		return o.numbered() + " " + o.within()
	case o.Unread != "":
		return o.numbered() + " " + o.unclear()
	}
	return o.noServer() + ": " + ignored
}

// ignored is what reaperd does about a process that is no server.
const ignored = "reaperd never touches it"

func (o OtherProcess) noServer() string { return NoServer(o.Process.PID, processName(o.Process)) }

func (o OtherProcess) numbered() string { return numbered(o.Process.PID, processName(o.Process)) }

// NoServer says of a process that it is no server: "63 (dockerd) is no MCP server".
func NoServer(pid int, name string) string { return numbered(pid, name) + " is no MCP server" }

func numbered(pid int, name string) string { return fmt.Sprintf("%d (%s)", pid, human.Safe(name)) }

func (o OtherProcess) parentText() string {
	ppid, known := o.Process.PPID.Get()
	switch {
	case o.Parent != nil:
		name := fmt.Sprintf("%s %d", processName(o.Parent), o.Parent.PID)
		server := o.server()
		switch {
		case server == nil:
			return name
		case server.Target.Root.ID() == o.Parent.ID():
			return called(server.Target)
		}
		return name + " of " + called(server.Target)
	case known && ppid > 0:
		return "process " + strconv.Itoa(ppid)
	case known:
		return "none in this namespace"
	}
	return "an unknown process"
}

func processName(p *inventory.Process) string {
	if p.Comm != "" {
		return human.Safe(p.Comm)
	}
	if c := processCommand(p, ""); len(c) > 0 {
		return c[0]
	}
	return "unnamed"
}
