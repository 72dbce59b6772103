package status

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

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

// glanceWithin is how long root's daemon may take to say how it is in a prompt.
const glanceWithin = 250 * time.Millisecond

// ShortAbsent is the line for a prompt where no daemon of this user answers.
func ShortAbsent(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, glanceWithin)
	defer cancel()
	return shortAbsent(state.ForeignDaemon, func() (serve.Glance, bool) { return serve.GlanceAtRoots(ctx) })
}

func shortAbsent(foreign func() (state.Daemon, bool), roots func() (serve.Glance, bool)) string {
	if _, runs := foreign(); !runs {
		return Off
	}
	if told, tells := roots(); tells && told.InShort() != "" {
		return Roots + ", " + told.InShort()
	}
	return Roots
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
	if n := is.TargetsMaybeInUse; n > 0 {
		parts = append(parts, human.Number(n)+" may be")
	}
	parts = append(parts, goingParts(is)...)
	idle, memory := 0, uint64(0)
	for _, client := range is.InUse {
		if client.Idle && leavingText(client, is) == "" {
			idle, memory = idle+1, memory+client.MemoryBytes
		}
	}
	if n := c.ending(); n > 0 {
		parts = append(parts, human.Count(n, "session")+" "+human.Verb(n, "stops", "stop")+" soon")
	}
	if n := c.copiesEnding(); n > 0 {
		parts = append(parts, human.Count(n, "older copy")+" "+human.Verb(n, "stops", "stop")+" soon")
	}
	if n := stays(is); n > 0 {
		parts = append(parts, human.Number(n)+" to look at")
	}
	if idle > 0 {
		parts = append(parts, human.Number(idle)+" idle"+strings.Replace(bytesBehind(memory), ",", "", 1))
	}
	return strings.Join(parts, ", ")
}

// goingParts count what rules stop, and what of that is in use. What is due and stays, as in mode report, is pending;
// what is being stopped is in use no more.
func goingParts(is *serve.State) (parts []string) {
	pending, soon, begun := len(is.Pending), dueNow(is, false), dueNow(is, true)
	if unless(is) != "" {
		pending, soon = pending+soon, 0
	}
	for _, part := range []struct {
		n    int
		text string
	}{{pending, " pending"}, {soon, " about to be stopped"}, {begun, " being stopped"}} {
		if part.n > 0 {
			parts = append(parts, human.Number(part.n)+part.text)
		}
	}
	switch used := is.TargetsInUseGoing; {
	case used == 0:
		return parts
	case used == pending+soon+begun && used > 1:
		return append(parts, "all of these in use")
	case used == pending+soon+begun:
		return append(parts, "this one in use")
	default:
		return append(parts, human.Number(used)+" of these in use")
	}
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

// copiesEnding counts the older copies that a rule soon stops if they go on doing nothing.
func (c Condition) copiesEnding() int { return len(restingLines(c.is, whose{}, c.now)) }

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
	if gone := c.goneWith(); len(gone) > 0 {
		parts = append(parts, strings.Join(gone, " and ")+" gone")
	}
	if is.Paused {
		parts = append(parts, "paused")
	}
	if is.Mode == policy.ModeReport {
		parts = append(parts, "mode report")
	}
	return parts
}

// dueNow counts the things whose time has come and whose end has begun, or has not: the daemon stops these, or would.
func dueNow(is *serve.State, begun bool) (n int) {
	for _, count := range is.Findings {
		if count.IsDue() && count.UnderWay == begun {
			n += count.Number
		}
	}
	return n
}

// stays counts the things that have a finding, are not pending or due, and still exist.
// It leaves out idle sessions, which [Condition.short] counts by themselves, and what people have pinned.
func stays(is *serve.State) int {
	n := 0
	for _, count := range is.Findings {
		if count.Finding != graph.FindingIdle && count.Finding != graph.FindingNone && !count.Gone && count.Decision != policy.Pending.String() && !count.IsDue() {
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
