package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// headline tells what is wrong, and what would be done, is about to be done, or was done.
func (v *view) headline(s *screen) {
	for _, sentence := range v.answer() {
		s.wrap("", sentence)
	}
	if hint := v.provingHint(); hint != "" {
		s.wrap("hint: ", hint)
	}
}

// answer returns the first lines: failures, what is wrong, and what is done about it.
func (v *view) answer() []string {
	if len(v.counted()) == 0 {
		return slices.Concat(v.nothing(), v.restingText(), v.stoppedElsewhere())
	}
	var lines []string
	if failures := v.failures(); failures != "" {
		lines = append(lines, failures)
	}
	if lost := v.lost(); lost != "" {
		lines = append(lines, lost)
	}
	if failing := v.failing(); failing != "" {
		lines = append(lines, failing)
	}
	return slices.Concat(lines, v.together(v.census(), v.act()), v.scannedByOwnRules(), v.restingText(), v.stoppedElsewhere())
}

// together puts two sentences on one line if it is wide enough.
func (v *view) together(first, second string) []string {
	if one := first + " " + second; human.Width(one) <= v.options.width() {
		return []string{one}
	}
	return []string{first, second}
}

// lost names the sources that did not answer.
func (v *view) lost() string {
	var lines []string
	for _, source := range v.sources() {
		if source.Status != inventory.StatusError {
			continue
		}
		line := human.Capital(sourceName(source)) + " could not be read"
		if source.Reason != "" {
			line += " (" + sentence(source.Reason) + ")"
		}
		lines = append(lines, line+": what rests on it is unknown, and kept.")
	}
	return strings.Join(lines, " ")
}

// failures tells which acts of a sweep failed.
func (v *view) failures() string {
	var names []string
	for _, outcome := range v.in.Outcomes {
		if outcome.Result.Incomplete() {
			names = append(names, v.calledByID(outcome.Target))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Could not stop %s of %s: %s.", human.Number(len(names)), human.Number(len(v.in.Outcomes)), human.List(firstFew(names)))
}

// calledByID returns a target's name and handle.
func (v *view) calledByID(id string) string {
	if verdict, ok := v.verdict(id); ok {
		return nameOf(verdict.Target) + " " + handle(verdict.Target)
	}
	return human.Handle(id)
}

// firstFew returns the first names, and how many more there are.
func firstFew(names []string) []string {
	if len(names) <= namedCopies {
		return names
	}
	return append(slices.Clone(names[:namedCopies]), human.Number(len(names)-namedCopies)+" more")
}

// failing describes the gateways that fail.
func (v *view) failing() string {
	gateways := v.shown.where(func(verdict *policy.Verdict) bool { return fails(verdict.Target) })
	if len(gateways) == 0 {
		return ""
	}
	zombies, respawns, kinds := 0, 0, map[graph.Kind]int{}
	var containers verdicts
	for _, verdict := range gateways {
		t := verdict.Target
		zombies, respawns, kinds[t.Kind] = zombies+t.Zombies, respawns+t.Respawns, kinds[t.Kind]+1
		if t.Root != nil {
			containers = append(containers, v.containersOf(t.Root.ID())...)
		}
	}
	verb := human.Are(len(gateways))
	if v.acted() {
		verb = human.Verb(len(gateways), "was", "were")
	}
	return failingText(verb, kinds, zombies, respawns) + v.containerText(containers) + "."
}

func fails(t *graph.Target) bool {
	finding := t.Finding
	return finding == graph.FindingZombies || finding == graph.FindingRespawning
}

func failingText(verb string, kinds map[graph.Kind]int, zombies, respawns int) string {
	var who, what []string
	for _, kind := range []graph.Kind{graph.KindGateway, graph.KindServer, graph.KindSession} {
		if n := kinds[kind]; n > 0 {
			who = append(who, human.Count(n, string(kind)))
		}
	}
	if zombies > 0 {
		what = append(what, human.Count(zombies, "zombie"))
	}
	if respawns > 0 {
		what = append(what, human.Count(respawns, "server")+" started again")
	}
	return human.List(who) + " " + verb + " failing: " + strings.Join(what, ", ")
}

// containerText counts containers, and those from the last minute.
func (v *view) containerText(containers verdicts) string {
	if len(containers) == 0 {
		return ""
	}
	text := ", " + human.Count(len(containers), "container")
	switch fresh := v.fresh(containers); {
	case fresh == len(containers):
		text += " started in the last minute"
	case fresh > 0:
		text += fmt.Sprintf(" (%s started in the last minute)", human.Number(fresh))
	}
	return text
}

// fresh counts the targets that started within the last minute.
func (v *view) fresh(vs verdicts) int {
	return len(vs.where(func(verdict *policy.Verdict) bool {
		at := verdict.Target.Started(v.at)
		return !at.IsZero() && v.at.Sub(at) <= time.Minute
	}))
}
