package graph

import "cmp"

// Finding is what is wrong with a target; the zero value is nothing.
type Finding string

// The findings. A target gets the first in this order that holds.
const (
	FindingNone         Finding = ""
	FindingOrphaned     Finding = "orphaned"
	FindingDisconnected Finding = "disconnected"
	FindingRespawning   Finding = "respawning"
	FindingZombies      Finding = "zombies"
	FindingDuplicate    Finding = "duplicate"
	FindingExited       Finding = "exited"
	FindingAmbiguous    Finding = "ambiguous"
	FindingIdle         Finding = "idle" // of sessions: see idle.go
)

// none is the spelling of [FindingNone] in outputs and policies.
const none = "none"

// ParseFinding reads the spelling that outputs and policies use. It accepts any word.
func ParseFinding(word string) Finding { return wordOf[Finding](word, none) }

func (f Finding) String() string { return cmp.Or(string(f), none) }

// MarshalText spells the zero value too: none.
func (f Finding) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (f *Finding) UnmarshalText(text []byte) error { *f = ParseFinding(string(text)); return nil }

// wordOf reads a word of a type whose zero value outputs spell as the word zero.
func wordOf[W ~string](word, zero string) W {
	if word == zero {
		return ""
	}
	return W(word)
}
