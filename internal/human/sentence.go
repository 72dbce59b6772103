package human

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Reasons as data: fixed words and the facts between them.
//
// Two reasons are alike if their words are the same and only numbers differ, such as
// a PID or a duration. [Sentence.General] is what alike reasons have in common, so nobody
// has to compare, split or mask the text.

// Sentence is a sentence without a full stop. The zero value is empty.
type Sentence struct {
	form  string
	facts []any
}

// Say makes a sentence as fmt.Sprintf does. Numbers, durations, a [Mark] and the PID
// of a [Named] may differ between alike sentences; strings may not.
func Say(form string, facts ...any) Sentence { return Sentence{form, facts} }

// IsZero reports an empty sentence.
func (s Sentence) IsZero() bool { return s.form == "" }

// Then appends another sentence, without a separator.
func (s Sentence) Then(more Sentence) Sentence {
	if more.IsZero() {
		return s
	}
	return Say("%v%v", s, more)
}

// String is the sentence with its facts.
func (s Sentence) String() string {
	if len(s.facts) == 0 && strings.IndexByte(s.form, '%') < 0 {
		return s.form
	}
	return fmt.Sprintf(s.form, s.facts...)
}

// General is the sentence with "…" for each number, and with names without their
// PIDs: equal for alike sentences.
func (s Sentence) General() string {
	facts := make([]any, len(s.facts))
	for i, fact := range s.facts {
		facts[i] = general(fact)
	}
	return fmt.Sprintf(s.form, facts...)
}

func general(fact any) any {
	switch fact := fact.(type) {
	case Sentence:
		return fact.General()
	case Named:
		return fact.Name
	case int, int64, uint64, float64, time.Duration, Mark:
		return elided{}
	}
	return fact
}

// Named is a process's name and PID: "codex 4". Without a PID it is the name alone.
type Named struct {
	Name string
	PID  int
}

func (n Named) String() string {
	if n.PID == 0 {
		return n.Name
	}
	return n.Name + " " + strconv.Itoa(n.PID)
}

// Mark is text that may differ between alike sentences, such as a duration in words
// or the digits of a container's id.
type Mark string

// elided prints "…" for every verb.
type elided struct{}

func (elided) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("…")) }
