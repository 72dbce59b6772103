package human

import (
	"fmt"
	"strconv"
	"strings"
)

// Sentence is a reason without a full stop, which is written only where somebody reads it. The zero value is empty.
type Sentence struct {
	form  string
	facts []any
}

// Say makes a sentence as fmt.Sprintf does.
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

// Mark is text in a sentence, such as a duration in words.
type Mark string
