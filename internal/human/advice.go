package human

import "fmt"

// An error with a hint: what to do about it. A command prints the
// error, and the hint below it.

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

// Misused is an error of a wrong command line.
func Misused(hint, format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), Hint: hint, Misuse: true}
}
