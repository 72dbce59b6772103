package graph

import "cmp"

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
