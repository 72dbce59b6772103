package inventory

import (
	"bytes"
	"encoding/json"
)

// Fact is an optional observation. The zero value means "not recorded": nobody
// looked, and it is no evidence. An unreadable fact was looked for and could not be
// read.
type Fact[T any] struct {
	value T
	state factState
}

type factState uint8

const (
	notRecorded factState = iota
	unreadable
	known
)

// Known is a fact that was read.
func Known[T any](value T) Fact[T] { return Fact[T]{value: value, state: known} }

// Unreadable is a fact that was looked for and could not be read.
func Unreadable[T any]() Fact[T] { return Fact[T]{state: unreadable} }

// Get returns the value and whether it is known.
func (f Fact[T]) Get() (T, bool) { return f.value, f.state == known }

// Or returns the value, or fallback where it is not known.
func (f Fact[T]) Or(fallback T) T {
	if f.state == known {
		return f.value
	}
	return fallback
}

// IsKnown reports whether the fact was read.
func (f Fact[T]) IsKnown() bool { return f.state == known }

// IsUnreadable reports whether the fact was looked for and could not be read.
func (f Fact[T]) IsUnreadable() bool { return f.state == unreadable }

// IsZero reports whether the fact was not recorded; encoding/json's omitzero
// leaves it out then.
func (f Fact[T]) IsZero() bool { return f.state == notRecorded }

// MarshalJSON writes the value, or null for what could not be read.
func (f Fact[T]) MarshalJSON() ([]byte, error) {
	if f.state != known {
		return []byte("null"), nil
	}
	return json.Marshal(f.value)
}

// UnmarshalJSON reads a value; null is a fact that could not be read.
func (f *Fact[T]) UnmarshalJSON(data []byte) error {
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		*f = Unreadable[T]()
		return nil
	}
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	*f = Known(value)
	return nil
}
