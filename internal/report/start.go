package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// burst is a number of targets that started at about the same time.
type burst struct {
	from, to time.Time
	verdicts verdicts
}

const (
	// burstPause is the least time without a start between two bursts.
	burstPause = 30 * time.Minute
	// mostBursts limits the list of bursts. For fewer bursts, longer pauses separate.
	mostBursts = 12
)

// bursts splits targets, the oldest first, at the pauses between their starts. It leaves
// out targets whose start is unknown.
func (v *view) bursts(vs verdicts) []burst {
	for pause := burstPause; ; pause *= 2 {
		if found := v.split(vs, pause); len(found) <= mostBursts {
			return found
		}
	}
}

func (v *view) split(vs verdicts, pause time.Duration) []burst {
	var out []burst
	for _, verdict := range vs {
		at := verdict.Target.Started(v.at)
		if at.IsZero() {
			continue
		}
		if n := len(out); n == 0 || at.Sub(out[n-1].to) > pause {
			out = append(out, burst{from: at})
		}
		last := &out[len(out)-1]
		last.to = at
		last.verdicts = append(last.verdicts, verdict)
	}
	return out
}

// starts shows when the copies of a group started, their number, memory and former
// owners. named adds the group's count and name, which are needed beside other groups.
func (v *view) starts(s *screen, g group, named bool) {
	vs, lead := g.verdicts, "   "
	if named {
		lead += human.Number(len(vs)) + " " + v.glyphs.times + " " + nameOf(g.first()) + ": "
	}
	if !g.isMany() {
		return
	}
	found := v.bursts(vs)
	by, everybody := leftBy(vs)
	switch {
	case len(found) == 0:
		return
	case len(found) == 1:
		text := "started " + v.when(found[0])
		if who := owners(vs, false); who != "" && vs.areLeft() {
			text += ", left by " + who
		} else if who != "" {
			text += ", " + human.Number(len(vs.where(func(verdict *policy.Verdict) bool { return leaver(verdict).Name != "" }))) + " of them left by " + who
		}
		s.wrap(lead, text)
		return
	}
	if named {
		s.say(lead)
	}
	s.say(strings.TrimRight("   "+human.Left("started", v.startCells(found))+human.Right("count", 7)+human.Right("memory", 10)+"   "+by, " "))
	for _, b := range found {
		memory := v.glyphs.none
		if sum := b.verdicts.memory(); sum > 0 {
			memory = human.Bytes(sum)
		}
		who := owners(b.verdicts, everybody)
		if who == "" && by != "" {
			who = "unknown"
		}
		line := "   " + human.Left(v.when(b), v.startCells(found)) + human.Right(human.Number(len(b.verdicts)), 7) + human.Right(memory, 10) + "   " + who
		s.say(strings.TrimRight(line, " "))
	}
}

// areLeft reports that a session which is known has left each of them.
func (vs verdicts) areLeft() bool {
	return !slices.ContainsFunc(vs, func(verdict *policy.Verdict) bool { return !IsLeft(verdict.Target) || leaver(verdict).Name == "" })
}

// mostLeavers is how many sessions have a line of their own for what they left.
const mostLeavers = 6

// leftBySome is [view.leftByOne] of a cause. Where several sessions left its rows, or nobody knows who left
// some, it says of each session what that left. Of a group of many, starts tells who left them.
func (v *view) leftBySome(s *screen, c cause, shown string) {
	var few verdicts
	for _, g := range c.groups {
		if !g.isMany() {
			few = append(few, g.verdicts...)
		}
	}
	if sessions := leavers(few); len(few) == len(c.verdicts()) && few.areLeft() && (len(sessions) == 1 || len(c.groups) == 1 || len(sessions) > mostLeavers) {
		v.leftByOne(s, few, shown)
		return
	}
	for _, session := range leavers(few)[:min(len(leavers(few)), mostLeavers)] {
		left := few.where(func(verdict *policy.Verdict) bool { return IsLeft(verdict.Target) && isOf(session)(verdict) })
		if len(left) > 0 {
			s.wrap("   ", "left by "+ownerText(session)+": "+v.listed(left))
		}
	}
}

// isOf selects what a session left.
func isOf(session graph.Owner) func(*policy.Verdict) bool {
	return func(verdict *policy.Verdict) bool {
		o := leaver(verdict)
		o.Since = time.Time{}
		return o == session
	}
}

// listed names targets with their handles: "memory 10210, github 57 58".
func (v *view) listed(vs verdicts) string {
	var texts []string
	for _, g := range v.grouping.groups(vs) {
		texts = append(texts, g.head(v.glyphs))
	}
	return strings.Join(texts, ", ")
}

func leaversText(vs verdicts) string {
	var names []string
	for _, owner := range leavers(vs) {
		names = append(names, ownerText(owner))
	}
	return human.List(firstFew(names))
}

// leftByOne says once which sessions left a few targets, if what is shown of them does not
// name these.
func (v *view) leftByOne(s *screen, vs verdicts, shown string) {
	if !vs.areLeft() {
		return
	}
	if names := leaversText(vs); len(leavers(vs)) != 1 || !strings.Contains(shown, names) {
		s.wrap("   ", "left by "+names)
	}
}

func (v *view) startCells(found []burst) int {
	widest := len("started")
	for _, b := range found {
		widest = max(widest, len([]rune(v.when(b))))
	}
	return widest
}

func (v *view) when(b burst) string {
	return human.Period(v.local(b.from), v.local(b.to), v.local(v.at), v.glyphs.dash)
}

// leftBy returns the heading for the former owners. It contains the client's name if all
// have the same (one); it is empty if no owner is known.
func leftBy(vs verdicts) (heading string, one bool) {
	var names []string
	for _, verdict := range vs {
		if name := leaver(verdict).Name; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch len(names) {
	case 0:
		return "", false
	case 1:
		return "left by " + human.Safe(names[0]), true
	}
	return "left by", false
}

// owners names the first former owner, and counts the others: "claude-code 21655 +4".
// named leaves the name out, since the heading has it.
func owners(vs verdicts, named bool) string {
	all := leavers(vs)
	if len(all) == 0 {
		return ""
	}
	text := ownerText(all[0])
	if named && !all[0].ID.IsZero() {
		text = pidText(all[0].ID)
	}
	if len(all) > 1 {
		text += fmt.Sprintf(" +%d", len(all)-1)
	}
	return text
}

// leavers returns the owners that left targets, each once.
func leavers(vs verdicts) (all []graph.Owner) {
	for _, verdict := range vs {
		o := leaver(verdict)
		o.Since = time.Time{}
		if o.Name != "" && !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	return all
}

// leaver returns the owner that left a target; the zero value if the owner lives.
func leaver(v *policy.Verdict) graph.Owner {
	if v.Target.Owner.Liveness == graph.LivenessLive {
		return graph.Owner{}
	}
	return v.Target.Owner
}
