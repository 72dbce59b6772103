package policy

import (
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// Meaning is what a finding says about a target, as half a sentence.
func Meaning(finding graph.Finding) string {
	switch finding {
	case graph.FindingOrphaned:
		return "nobody alive owns it"
	case graph.FindingDisconnected:
		return "its client lives on and has closed both ends of its stdio"
	case graph.FindingRespawning:
		return "it starts again what was reaped from it"
	case graph.FindingZombies:
		return "it does not wait for its dead children"
	case graph.FindingDuplicate:
		return "a newer copy serves the same owner, and this one is idle"
	case graph.FindingExited:
		return "it has ended and was left behind"
	case graph.FindingAmbiguous:
		return "it could still be somebody's"
	case graph.FindingIdle:
		return "it and all that works for it do nothing"
	}
	return "the rule names it, and ignores who owns it"
}

// wrong is what is wrong with a target, as half a sentence, with its numbers.
func wrong(t *graph.Target) human.Sentence {
	switch t.Finding {
	case graph.FindingRespawning:
		return human.Say("it started %d of what was reaped from it again", t.Respawns)
	case graph.FindingZombies:
		return human.Say("it has %s that it never waited for", human.Mark(human.Count(t.Zombies, "dead child")))
	case graph.FindingIdle:
		return human.Say("it and all that works for it have done nothing for %s", human.Mark(human.Span(t.Idle.Or(0))))
	case graph.FindingAmbiguous:
		for _, veto := range t.Vetoes { // it says whose it could be
			if veto.Guard == graph.GuardUnproven && !veto.Said.IsZero() {
				return veto.Said
			}
		}
	}
	return human.Say(Meaning(t.Finding))
}
