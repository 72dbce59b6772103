package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/reaperd/reaperd/deploy"
	"github.com/reaperd/reaperd/internal/advice"
)

// The exit codes; `reaperd help exit-codes` explains them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitWouldReap   = 3
	exitIncomplete  = 4
	exitInterrupted = 130
	// exitMisconfigured is exitUsage for a service manager. Go ends a program that
	// crashed, or that was told to by the watchdog's SIGABRT, with 2, so 2 cannot
	// tell the manager that starting it again is of no use; 64 it never ends with
	// (EX_USAGE of sysexits.h).
	exitMisconfigured = 64
)

// forManager is the exit code that a daemon gives to whoever started it. A wrong
// command line has a code of its own for systemd. launchd starts the daemon again
// unless the code is 0. A person gets the code unchanged.
func forManager(command string, code int, lookup func(string) (string, bool)) int {
	if code != exitUsage || command != "run" && command != "reaperd" {
		return code
	}
	if socket, _ := lookup("NOTIFY_SOCKET"); socket != "" {
		return exitMisconfigured
	}
	if job, _ := lookup("XPC_SERVICE_NAME"); job == deploy.Label {
		return exitOK
	}
	return code
}

// failure is an error that knows its exit code and what to do about it. A
// failure without an error only sets the code.
type failure struct {
	code int
	err  error
	hint string
}

func (f *failure) Error() string {
	if f.err == nil {
		return ""
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

func usage(hint, format string, args ...any) error {
	return &failure{code: exitUsage, err: fmt.Errorf(format, args...), hint: hint}
}

func failed(hint, format string, args ...any) error {
	return &failure{code: exitFailed, err: fmt.Errorf(format, args...), hint: hint}
}

// exitWith ends a command that did print its answer with another code than 0.
func exitWith(code int) error {
	if code == exitOK {
		return nil
	}
	return &failure{code: code}
}

// failureOf returns the exit code and hint that an error carries: one of a command's
// own, or one with advice from a package that it called. It returns nil for an error
// of cobra's, which could not read the command line.
func failureOf(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	var advised *advice.Error
	switch {
	case !errors.As(err, &advised):
		return nil
	case advised.Misuse:
		return &failure{code: exitUsage, err: err, hint: advised.Hint}
	}
	return &failure{code: exitFailed, err: err, hint: advised.Hint}
}

// conclude prints an error and returns the exit code. An error that is no failure
// comes from reading the command line.
func conclude(ctx context.Context, w io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		fmt.Fprintln(w, "interrupted")
		return exitInterrupted
	}
	f := failureOf(err)
	if f == nil {
		f = &failure{code: exitUsage, err: err, hint: "reaperd help"}
	}
	if f.err != nil {
		for line := range strings.Lines(f.err.Error()) {
			fmt.Fprintf(w, "error: %s\n", strings.TrimRight(line, "\n"))
		}
	}
	if f.hint != "" {
		fmt.Fprintf(w, "hint: %s\n", f.hint)
	}
	return f.code
}
