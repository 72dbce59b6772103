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

// burst is what started about the same time.
type burst struct {
	from, to time.Time
	verdicts verdicts
}

const (
	// burstPause separates two bursts: that long nothing started.
	burstPause = 30 * time.Minute
	// mostBursts are shown; where there would be more, longer pauses separate.
	mostBursts = 12
)

// bursts splits targets, oldest first, at the pauses between their starts.
// Those whose start is unknown are left out.
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

// starts shows when the copies of a group started, how many, with how much
// memory, and who left them.
// named says whose they are, where other groups stand beside it.
func (v *view) starts(s *screen, g group, named bool) {
	vs, lead := g.verdicts, "   "
	if named {
		lead += nameOf(g.first()) + ": "
	}
	if len(vs) <= namedCopies {
		return
	}
	found := v.bursts(vs)
	by, everybody := leftBy(vs)
	switch {
	case len(found) == 0:
		return
	case len(found) == 1:
		text := "started " + v.when(found[0])
		if who := owners(vs, false); who != "" {
			text += ", left by " + who
		}
		s.wrap(lead, text)
		return
	}
	if named {
		s.say(lead)
	}
	s.say(strings.TrimRight("   "+left("started", v.startCells(found))+right("count", 7)+right("memory", 10)+"   "+by, " "))
	for _, b := range found {
		memory := v.glyphs.none
		if sum := b.verdicts.memory(); sum > 0 {
			memory = human.Bytes(sum)
		}
		who := owners(b.verdicts, everybody)
		if who == "" && by != "" {
			who = "unknown"
		}
		line := "   " + left(v.when(b), v.startCells(found)) + right(human.Number(len(b.verdicts)), 7) + right(memory, 10) + "   " + who
		s.say(strings.TrimRight(line, " "))
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

// leftBy is the heading over who left the targets: by name where one kind of
// client left them all, and whether it was one; empty where nobody is known.
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

// owners names those who left the targets, the first of them and how many more:
// "claude-code 21655 +4"; without the name where the heading has it.
func owners(vs verdicts, named bool) string {
	var all []graph.Owner
	for _, verdict := range vs {
		o := leaver(verdict)
		o.Since = time.Time{}
		if o.Name != "" && !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
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

// leaver is who left a target; an owner that lives has not.
func leaver(v *policy.Verdict) graph.Owner {
	if v.Target.Owner.Liveness == graph.LivenessLive {
		return graph.Owner{}
	}
	return v.Target.Owner
}
