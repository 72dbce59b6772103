// Package advice has an error with a hint: what to do about it. A command prints the
// error, and the hint below it.
package advice

import "fmt"

// Error is an error with a hint.
type Error struct {
	Err error
	// Hint is a command to type, or other advice; "" if none is known.
	Hint string
	// Misuse marks a wrong command line: another one would work.
	Misuse bool
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Failed is an error of something that could not be done.
func Failed(hint, format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), Hint: hint}
}

// NobodyToAsk is the error of a command that has to ask first, and has no terminal for it. why says
// which stream is none.
func NobodyToAsk(hint, why string) error {
	return Misused(hint, "nobody is there to ask: %s", why)
}

// Misused is an error of a wrong command line.
func Misused(hint, format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), Hint: hint, Misuse: true}
}
