// Package advice has the error that knows what to do about it. A command prints the
// error, and its hint below it.
package advice

import "fmt"

// Error is an error with what helps.
type Error struct {
	Err error
	// Hint is a command to type, or what else helps; empty is that nothing is known.
	Hint string
	// Misuse marks a command that was asked wrongly: another command line would do.
	Misuse bool
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Failed is an error of something that could not be done.
func Failed(hint, format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), Hint: hint}
}

// Misused is an error of something that was asked wrongly.
func Misused(hint, format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), Hint: hint, Misuse: true}
}
