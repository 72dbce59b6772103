package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// OtherProcess is a process that is no target.
type OtherProcess struct {
	Process *inventory.Process
	Parent  *inventory.Process // nil if no look has seen it
	Why     string             // why it is no target; empty is that nothing matches it
	// Told means that what reaperd did to it, or that it never touched it, is told behind.
	Told bool
}

// Reason is why reaperd ignores the process.
func (o OtherProcess) Reason() string {
	if !o.Process.Alive() {
		return "it is " + o.zombie()
	}
	return cmp.Or(o.Why, "no catalogue entry, no configuration and no stdio shape matches it")
}

// Explain writes why reaperd ignores the process.
func (o OtherProcess) Explain(w io.Writer, options Options) error {
	s := newScreen(options)
	s.wrap("", o.judgement())
	s.gap()
	lines := explanation{screen: s}
	lines.say("what", processCommand(o.Process, options.Home).fit(mostCommandLines*s.width, s.glyphs))
	lines.say("parent", o.parentText())
	return s.flush(w)
}

func (o OtherProcess) zombie() string {
	return "a zombie: it has exited, and its parent, " + o.parentText() + ", has not waited for it yet"
}

func (o OtherProcess) judgement() string {
	text := fmt.Sprintf("%d (%s) is ", o.Process.PID, processName(o.Process))
	if !o.Process.Alive() {
		return text + o.zombie() + "."
	}
	text += "not an MCP server: " + sentence(o.Reason()) + "."
	if o.Told {
		return text
	}
	return text + " reaperd never touches it."
}

func (o OtherProcess) parentText() string {
	ppid, known := o.Process.PPID.Get()
	switch {
	case o.Parent != nil:
		return fmt.Sprintf("%s %d", processName(o.Parent), o.Parent.PID)
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
