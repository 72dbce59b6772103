package graph

import (
	"cmp"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/sentence"
)

// Finding is what is wrong with a target; the zero value is nothing.
type Finding string

// The findings, in the order in which the first that holds is taken.
const (
	FindingNone         Finding = ""
	FindingOrphaned     Finding = "orphaned"
	FindingDisconnected Finding = "disconnected"
	FindingRespawning   Finding = "respawning"
	FindingZombies      Finding = "zombies"
	FindingDuplicate    Finding = "duplicate"
	FindingExited       Finding = "exited"
	FindingAmbiguous    Finding = "ambiguous"
	FindingIdle         Finding = "idle" // of sessions: package idle gives it
)

// none is how outputs and policies spell [FindingNone].
const none = "none"

// ParseFinding is the finding that outputs and policies spell so.
func ParseFinding(word string) Finding {
	if word == none {
		return FindingNone
	}
	return Finding(word)
}

func (f Finding) String() string { return cmp.Or(string(f), none) }

// MarshalText spells the zero value too: none.
func (f Finding) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (f *Finding) UnmarshalText(text []byte) error {
	*f = ParseFinding(string(text))
	return nil
}

// Meaning is what a finding says of whatever has it, as half a sentence.
func (f Finding) Meaning() string {
	switch f {
	case FindingOrphaned:
		return "nobody alive owns it"
	case FindingDisconnected:
		return "its client lives on and has closed both ends of its stdio"
	case FindingRespawning:
		return "it starts again what was reaped from it"
	case FindingZombies:
		return "it does not wait for its dead children"
	case FindingDuplicate:
		return "a newer copy serves the same owner, and this one is idle"
	case FindingExited:
		return "it has ended and was left behind"
	case FindingAmbiguous:
		return "it could still be somebody's"
	case FindingIdle:
		return "it and all that works for it do nothing"
	}
	return "the rule names it, and ignores who owns it"
}

// Wrong is what is wrong with the target, as half a sentence, with its numbers.
func (t *Target) Wrong() sentence.S {
	switch t.Finding {
	case FindingRespawning:
		return sentence.Of("it started %d of what was reaped from it again", t.Respawns)
	case FindingZombies:
		return sentence.Of("it has %s that it never waited for", sentence.Mark(human.Count(t.Zombies, "dead child")))
	case FindingIdle:
		return sentence.Of("it and all that works for it have done nothing for %s", sentence.Mark(human.Span(t.Idle.Or(0))))
	}
	return sentence.Of(t.Finding.Meaning())
}
