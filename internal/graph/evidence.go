package graph

import (
	"cmp"
	"time"

	"github.com/reaperd/reaperd/internal/sentence"
)

// Check is the source of a line of evidence.
type Check string

// The checks.
const (
	CheckAncestor  Check = "ancestor"
	CheckStdin     Check = "stdin"
	CheckStdout    Check = "stdout"
	CheckMemory    Check = "memory"
	CheckDeclared  Check = "declared"
	CheckService   Check = "service"
	CheckClients   Check = "clients"
	CheckContainer Check = "container"
	CheckZombies   Check = "zombies"
	CheckActivity  Check = "activity"
)

// Says is the conclusion that a line of evidence supports. The zero value supports none.
type Says string

// The conclusions of evidence.
const (
	SaysSilent   Says = ""
	SaysOrphaned Says = "orphaned"
	SaysOwned    Says = "owned"
)

// String is silent for the zero value.
func (s Says) String() string { return cmp.Or(string(s), saysNothing) }

const saysNothing = "silent"

// MarshalText spells the zero value too: silent.
func (s Says) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Says) UnmarshalText(text []byte) error {
	*s = wordOf[Says](string(text), saysNothing)
	return nil
}

// Evidence is one fact about the owner of a target.
type Evidence struct {
	Check Check     `json:"check"`
	Says  Says      `json:"says"`
	Proof bool      `json:"proof"`
	Since time.Time `json:"since,omitzero"`
	Text  string    `json:"text"` // a sentence for a person, no full stop
	// Said is the text as words and facts; the zero value where only the text is known.
	Said sentence.S `json:"-"`
}

// Masked is evidence as programs read it, its texts masked.
func Masked(evidence []Evidence, mask func(string) string) []Evidence {
	masked := make([]Evidence, 0, len(evidence))
	for _, e := range evidence {
		e.Text, e.Said = mask(e.Text), sentence.S{}
		masked = append(masked, e)
	}
	return masked
}

// Sentence is the evidence as words and facts.
func (e Evidence) Sentence() sentence.S { return sentenceOf(e.Said, e.Text) }

func sentenceOf(said sentence.S, text string) sentence.S {
	if said.IsZero() && text != "" {
		return sentence.Of("%s", text)
	}
	return said
}

// Veto is a guard that applies: whatever the policy says, the target is kept.
type Veto struct {
	Guard Guard  `json:"guard"`
	Text  string `json:"text"`
	// Said is the text as words and facts; the zero value where only the text is known.
	Said sentence.S `json:"-"`
	// Marked means that a pin is a label of the container or a variable of the process:
	// reaperd unpin does not end it.
	Marked bool `json:"-"`
	// For is the id of the pinned target for whose sake this one is kept; empty if this one
	// is pinned itself.
	For string `json:"-"`
}

// MaskedVetoes are vetoes as programs read them, their texts masked.
func MaskedVetoes(vetoes []Veto, mask func(string) string) []Veto {
	masked := make([]Veto, 0, len(vetoes))
	for _, v := range vetoes {
		masked = append(masked, Veto{Guard: v.Guard, Text: mask(v.Text), Marked: v.Marked, For: v.For})
	}
	return masked
}

// VetoOf makes a veto of a guard and its reason.
func VetoOf(guard Guard, said sentence.S) Veto {
	return Veto{Guard: guard, Text: said.String(), Said: said}
}

// Sentence is the reason as words and facts.
func (v Veto) Sentence() sentence.S { return sentenceOf(v.Said, v.Text) }

// Guard names a guard of the code, as in the metric vetoes_total{guard}.
type Guard string

// The guards.
const (
	GuardSystem     Guard = "system"       // PID <= 2, a kernel thread
	GuardFirst      Guard = "first"        // the first process of a container
	GuardSelf       Guard = "self"         // reaperd and what it runs below
	GuardForeign    Guard = "foreign"      // another user's process, and not root
	GuardSession    Guard = "live-session" // a live session below it
	GuardService    Guard = "service"      // a service's main process
	GuardInUse      Guard = "in-use"       // it listens and has connections, or somebody uses its container
	GuardPinned     Guard = "pinned"       // REAPERD_KEEP, reaperd.keep, a lease, a pin
	GuardProtected  Guard = "protected"    // something would end with it that the policy protects
	GuardUnproven   Guard = "unproven"     // ambiguous, or a peer could not be told
	GuardRestarts   Guard = "restarts"     // its session starts again what is ended below it
	GuardEngine     Guard = "engine"       // its container could not be seen or told
	GuardIncomplete Guard = "incomplete"   // the process table could not be read
	GuardShapeOnly  Guard = "shape"        // known by its shape alone
)
