package status

import (
	"fmt"
	"io"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// The lines for a prompt where no daemon of this user runs.
const (
	Off   = "reaperd: off"
	Roots = "reaperd: root's daemon" // it looks after this user's servers too
)

// ShortAbsent is the line for a prompt where no daemon of this user answers.
func ShortAbsent() string { return shortAbsent(state.ForeignDaemon) }

func shortAbsent(foreign func() (state.Daemon, bool)) string {
	if _, runs := foreign(); runs {
		return Roots
	}
	return Off
}

// WriteShort writes the line for a prompt: "reaperd: 12 in use, 2 pending, 4 idle 3.3 GB".
func WriteShort(w io.Writer, c Condition) error {
	_, err := fmt.Fprintln(w, "reaperd: "+c.short())
	return err
}

// short is for a prompt.
func (c Condition) short() string {
	is := c.is
	switch {
	case c.IsStarting():
		return "starting"
	case !c.Acts():
		return "NOT WELL"
	}
	parts := append(c.warnings(), human.Number(is.TargetsInUse)+" in use")
	idle, memory := 0, uint64(0)
	for _, client := range is.InUse {
		if client.Idle {
			idle, memory = idle+1, memory+client.MemoryBytes
		}
	}
	if n := len(is.Pending); n > 0 {
		parts = append(parts, human.Number(n)+" pending")
	}
	if n := beingStopped(is); n > 0 {
		parts = append(parts, human.Number(n)+" being stopped")
	}
	if n := c.ending(); n > 0 {
		parts = append(parts, human.Count(n, "session")+" "+human.Verb(n, "stops", "stop")+" soon")
	}
	if n := stays(is); n > 0 {
		parts = append(parts, human.Number(n)+" to look at")
	}
	if idle > 0 {
		parts = append(parts, human.Number(idle)+" idle"+strings.Replace(bytesBehind(memory), ",", "", 1))
	}
	return strings.Join(parts, ", ")
}

// ending counts the sessions that the daemon soon stops if they go on doing nothing.
func (c Condition) ending() (n int) {
	if unless(c.is) != "" {
		return 0
	}
	for _, client := range c.is.InUse {
		if aheadText(client, c.is, whose{}, c.now) != "" {
			n++
		}
	}
	return n
}

// warnings are what keeps the daemon from seeing or doing everything, in a few words each.
func (c Condition) warnings() []string {
	is, parts := c.is, []string{}
	if isRefused(is.Policy) {
		parts = append(parts, "policy refused")
	}
	if is.NoRoomIn != "" {
		parts = append(parts, "disk full")
	}
	if unseen := c.unseen(); len(unseen) > 0 {
		parts = append(parts, strings.Join(unseen, " and ")+" not read")
	}
	if is.Paused {
		parts = append(parts, "paused")
	}
	if is.Mode == policy.ModeReport {
		parts = append(parts, "mode report")
	}
	return parts
}

// beingStopped counts the things that the daemon is stopping.
func beingStopped(is *serve.State) (n int) {
	for _, count := range is.Findings {
		if isBeingStopped(count, is) {
			n += count.Number
		}
	}
	return n
}

func isBeingStopped(count serve.Count, is *serve.State) bool {
	return count.Came() == policy.Reap.String() && unless(is) == ""
}

// stays counts the things that have a finding, are not pending or being stopped, and still exist.
// It leaves out idle sessions, which [Condition.short] counts by themselves, and what people have pinned.
func stays(is *serve.State) int {
	n := 0
	for _, count := range is.Findings {
		if count.Finding != graph.FindingIdle && count.Finding != graph.FindingNone && !count.Gone && count.Decision != "pending" && !isBeingStopped(count, is) {
			n += count.Number
		}
	}
	for i := range is.Stays {
		if stay := &is.Stays[i]; stay.Pinned && stay.Finding != graph.FindingIdle && stay.Finding != graph.FindingNone {
			n--
		}
	}
	return max(0, n)
}
