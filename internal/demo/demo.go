package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/reaperd/reaperd/internal/human"
)

// Options control how the demo is played. The zero value is for a first visitor.
type Options struct {
	// Fast leaves out the pauses for reading, and shortens waiting times.
	Fast bool `json:"fast,omitempty"`
	// Hold stops the story when servers are pending, and keeps the world until Ctrl-C.
	Hold bool `json:"hold,omitempty"`
	// LifeSize makes the stand-ins take up as much memory as what they stand for: some
	// 3 GB in a held world.
	LifeSize bool `json:"life_size,omitempty"`
	// Color is that of the commands in the world, as for --color; "" is auto.
	Color string `json:"color,omitempty"`
	// Command runs in the held world. The world ends with it.
	Command []string `json:"command,omitempty"`
}

// story is the order to play, as the world's processes get it.
type story struct {
	Options
	// Outside is the first process's PID on the host.
	Outside int `json:"outside,omitempty"`
}

// ErrNotHere means that this system cannot make a world.
var ErrNotHere = errors.New("this system has no namespaces: the demo needs Linux")

// DeniedError means that the kernel refused a step in making the world.
type DeniedError struct {
	Step string
	Err  error
}

func (e *DeniedError) Error() string {
	return fmt.Sprintf("make a world of its own: %s: %v", e.Step, e.Err)
}

func (e *DeniedError) Unwrap() error { return e.Err }

// otherwise returns the error that the demo did not go as told.
func otherwise(format string, words ...any) error {
	return fmt.Errorf("the demo did not come out as told: "+format, words...)
}

// Play plays the demo with this process's stdio. It returns when everything in the world
// has ended; nothing of the world is left then. A command that the world will not have is an
// error before the world is made.
func (o Options) Play(ctx context.Context) error {
	if err := o.checkCommand(); err != nil {
		return err
	}
	code, err := outside(ctx, story{Options: o})
	switch {
	case err != nil:
		return advise(err)
	case ctx.Err() != nil:
		return ctx.Err()
	case code != 0:
		return &EndedError{Code: code}
	}
	return nil
}

// checkCommand refuses a command that the world will not have: it has the programs of this
// PATH, and reaperd.
func (o Options) checkCommand() error {
	if len(o.Command) == 0 || o.Command[0] == "reaperd" {
		return nil
	}
	if _, err := exec.LookPath(o.Command[0]); err != nil {
		return human.Misused("reaperd demo   plays it; reaperd demo -- reaperd top   looks at it live", "demo: %s: no such program here to run in its world", o.Command[0])
	}
	return nil
}

// Farewell says behind a command of reaperd's own that what it named to type does nothing outside of
// its world; "" if there was no such command.
func (o Options) Farewell() string {
	if len(o.Command) == 0 || o.Command[0] != "reaperd" {
		return ""
	}
	return "That world has ended, and the commands above were for it alone. To stay in one: reaperd demo -- sh"
}

// advise adds to the error of a world that could not be made where it can be.
func advise(err error) error {
	var denied *DeniedError
	switch {
	case errors.Is(err, ErrNotHere):
		return human.Failed("docker run --rm --privileged reaperd demo   plays it on a Linux kernel", "%w", err)
	case errors.As(err, &denied):
		return human.Failed("sudo reaperd demo; in a container: docker run --privileged", "%w", err)
	}
	return err
}

// EndedError means that the director or the command in the held world has failed, and has
// said why.
type EndedError struct{ Code int }

func (e *EndedError) Error() string { return fmt.Sprintf("the demo ended with %d", e.Code) }

// environment is the environment of the world. From the visitor's it takes only variables
// about the terminal.
func (s *story) environment() []string {
	own := []string{
		"HOME=" + place.home(), "USER=root", "LOGNAME=root", "PATH=" + place.bin() + ":" + os.Getenv("PATH"),
		"REAPERD_STATE_DIR=" + place.state(),
	}
	for _, name := range []string{"TERM", "COLORTERM", "NO_COLOR", "COLUMNS", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "REAPERD_COLOR"} {
		if value, set := os.LookupEnv(name); set {
			own = append(own, name+"="+value)
		}
	}
	if s.Color != "" { // behind the visitor's own
		own = append(own, "REAPERD_COLOR="+s.Color)
	}
	return own
}
