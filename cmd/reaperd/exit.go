package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/reaperd/reaperd/deploy"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
)

// The exit codes; `reaperd help exit-codes` explains them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitWouldReap   = 3
	exitIncomplete  = 4
	exitInterrupted = 130
	// exitMisconfigured is exitUsage for a service manager. Go ends a program with 2
	// when it crashes, or when the watchdog sends SIGABRT; so 2 cannot tell the
	// manager that a restart is useless. It never ends one with 64 (EX_USAGE of
	// sysexits.h).
	exitMisconfigured = 64
)

// forManager is the exit code of a daemon for the program that started it. systemd
// gets a code of its own for a wrong command line. launchd restarts the daemon unless
// the code is 0. A person gets the code unchanged.
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

// ending is an error with an exit code. If it wraps no error, the command has printed its
// answer.
type ending struct {
	code int
	err  error
}

func (e *ending) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *ending) Unwrap() error { return e.err }

// exitWith ends a command that has printed its answer, with an exit code other than 0.
func exitWith(code int) error {
	if code == exitOK {
		return nil
	}
	return &ending{code: code}
}

// codeOf returns the exit code of an error that a command or one of our packages has
// made. made is false for cobra's errors about the command line.
func codeOf(err error) (code int, made bool) {
	var end *ending
	var advised *human.Error
	switch {
	case errors.As(err, &end):
		return end.code, true
	case !errors.As(err, &advised):
		return exitUsage, false
	case advised.Misuse:
		return exitUsage, true
	}
	return exitFailed, true
}

// hintOf returns the advice for an error; "" if there is none. help is that for a wrong command line.
func hintOf(err error, help string) string {
	var advised *human.Error
	switch {
	case !errors.As(err, &advised):
		return ""
	case advised.Misuse:
		return cmp.Or(advised.Hint, help)
	}
	return advised.Hint
}

// conclude prints an error with its hint, and returns the exit code.
func conclude(ctx context.Context, t *cli.Terminal, help string, err error) int {
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		t.Remark("interrupted")
		return exitInterrupted
	}
	for line := range strings.Lines(err.Error()) {
		t.Remark("error: " + strings.TrimRight(line, "\n"))
	}
	code, _ := codeOf(err)
	if hint := hintOf(err, help); hint != "" {
		t.Remark("hint: " + hint)
	}
	return code
}
