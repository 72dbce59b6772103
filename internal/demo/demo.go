package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Options is how a demo is played. The zero value is a first visitor's.
type Options struct {
	// Fast leaves out the pauses for reading, and shortens what is waited for.
	Fast bool
	// Hold leaves the world as it is when a server is pending, until it is
	// interrupted.
	Hold bool
	// Command is run in the held world, and its end is the world's.
	Command []string
}

// story is what is played, as the world's processes are told.
type story struct {
	Fast    bool     `json:"fast,omitempty"`
	Hold    bool     `json:"hold,omitempty"`
	Command []string `json:"command,omitempty"`
	// Demo marks what this demo's containers are; empty where it has none, and
	// NoContainers says why.
	Demo         string `json:"demo,omitempty"`
	NoContainers string `json:"no_containers,omitempty"`
	// Outside is the PID by which the host knows the first process.
	Outside int `json:"outside,omitempty"`
}

// ErrNotHere says that this system gives no world of its own.
var ErrNotHere = errors.New("this system has no namespaces: the demo needs Linux")

// DeniedError says that the kernel refused a step on the way to a world of its own.
type DeniedError struct {
	Step string
	Err  error
}

func (e *DeniedError) Error() string {
	return fmt.Sprintf("make a world of its own: %s: %v", e.Step, e.Err)
}

func (e *DeniedError) Unwrap() error { return e.Err }

// otherwise is that something came out otherwise than it was told.
func otherwise(format string, words ...any) error {
	return fmt.Errorf("the demo did not come out as told: "+format, words...)
}

// Play plays the demo with this process's stdio. It returns when everything in the
// world has ended; nothing of it is left then, however it ended.
func (o Options) Play(ctx context.Context) error {
	code, err := outside(ctx, story{Fast: o.Fast, Hold: o.Hold, Command: o.Command})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case code != 0:
		return &EndedError{Code: code}
	}
	return nil
}

// EndedError is that the director ended otherwise than well and has said why, or
// the command in the held world has.
type EndedError struct{ Code int }

func (e *EndedError) Error() string { return fmt.Sprintf("the demo ended with %d", e.Code) }

// environment is that of the world: of the visitor's own only what says how to
// write on this terminal.
func (s *story) environment() []string {
	own := []string{
		"HOME=" + place.home(), "USER=root", "LOGNAME=root", "PATH=" + place.bin() + ":" + os.Getenv("PATH"),
		"REAPERD_STATE_DIR=" + place.state(),
	}
	if s.Demo != "" {
		own = append(own, "DOCKER_HOST=unix://"+place.engine())
	}
	for _, name := range []string{"TERM", "COLORTERM", "NO_COLOR", "COLUMNS", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "REAPERD_COLOR"} {
		if value, set := os.LookupEnv(name); set {
			own = append(own, name+"="+value)
		}
	}
	return own
}
