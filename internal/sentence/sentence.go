// Package sentence has reasons as data: fixed words with facts in them.
//
// Two reasons are alike when they are the same sentence about different things:
// they have the same words, and differ in numbers alone, such as a PID or a
// duration. [S.General] says what they have in common, so that nobody compares,
// splits or masks the text itself.
package sentence

import (
	"fmt"
	"time"
)

// S is a sentence without a full stop. The zero value says nothing.
type S struct {
	form  string
	facts []any
}

// Of makes a sentence as fmt.Sprintf does. Numbers, durations, a [Mark] and the PID
// of a [Name] tell one thing from another of its kind; strings do not.
func Of(form string, facts ...any) S { return S{form, facts} }

// IsZero reports that nothing is said.
func (s S) IsZero() bool { return s.form == "" }

// Then is the sentence with another right behind it.
func (s S) Then(more S) S {
	if more.IsZero() {
		return s
	}
	return Of("%v%v", s, more)
}

// String is the sentence with all its facts.
func (s S) String() string { return fmt.Sprintf(s.form, s.facts...) }

// General is what alike sentences have in common: "…" stands for each number, and
// names stand without their PIDs.
func (s S) General() string {
	facts := make([]any, len(s.facts))
	for i, fact := range s.facts {
		facts[i] = general(fact)
	}
	return fmt.Sprintf(s.form, facts...)
}

func general(fact any) any {
	switch fact := fact.(type) {
	case S:
		return fact.General()
	case Name:
		return fact.Name
	case int, int64, uint64, float64, time.Duration, Mark:
		return elided{}
	}
	return fact
}

// Name is a process by its name and PID: "codex 4". Without a PID it is the name.
type Name struct {
	Name string
	PID  int
}

func (n Name) String() string {
	if n.PID == 0 {
		return n.Name
	}
	return fmt.Sprintf("%s %d", n.Name, n.PID)
}

// Mark is text that tells one thing from another, such as a duration in words or
// the digits of a container's id.
type Mark string

// elided is "…" whatever the verb.
type elided struct{}

func (elided) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("…")) }
