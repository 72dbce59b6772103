package status

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/neighbours"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// Absent is what there is to tell where no daemon runs, or none answers: what people have asked for holds
// for sweeps by hand, and for the next daemon.
type Absent struct {
	Version     int       `json:"version"`
	Running     bool      `json:"running"`
	Paused      bool      `json:"paused,omitempty"`
	PausedUntil time.Time `json:"paused_until,omitzero"`
	PauseReason string    `json:"pause_reason,omitempty"`
	StateFaults []string  `json:"state_faults,omitempty"`
	// NoAnswer is why a daemon that runs has told nothing; empty if none runs.
	NoAnswer string `json:"no_answer,omitempty"`
	// Beside are the daemons of other users that look after servers here.
	Beside beside.Daemons `json:"beside,omitempty"`
	// RootsRests is why root's daemon, which is among these, stops nothing; empty if it acts.
	RootsRests string `json:"roots_rests,omitempty"`

	now time.Time
}

// AbsentType is the type that is encoded where no daemon runs, for its schema.
func AbsentType() reflect.Type { return reflect.TypeFor[Absent]() }

// NewAbsent reads the state directory, and finds the daemons of others.
func NewAbsent(ctx context.Context, dir state.Dir, now time.Time) Absent {
	var is serve.State
	IsPaused(&is, dir, now)
	a := Absent{
		now: now, Version: serve.Version, Paused: is.Paused, PausedUntil: is.PausedUntil, PauseReason: is.PauseReason, StateFaults: dir.Faults(now),
		Beside: neighbours.Daemons(ctx),
	}
	a.RootsRests = RootsRests(ctx, a.Beside)
	return a
}

// RootsRests is why root's daemon stops nothing, as far as any user can know; empty if it acts, or is not among the
// daemons.
func RootsRests(ctx context.Context, beside beside.Daemons) string {
	if _, runs := beside.Of(0); !runs {
		return ""
	}
	if roots, tells := serve.GlanceAtRoots(ctx); tells {
		return roots.Rests()
	}
	return serve.NotTold
}

// Silent is what there is to tell where a daemon runs and does not answer.
func (a Absent) Silent(why error) Absent {
	a.Running, a.NoAnswer = true, why.Error()
	return a
}

// JSON returns it for programs.
func (a Absent) JSON() ([]byte, error) { return json.Marshal(a) }

// Hint is what to type next.
func (a Absent) Hint() string {
	asks := a.Beside.Commands("reaperd status") + human.Verb(len(a.Beside), "   asks it", "   ask them")
	switch {
	case a.isCovered():
		return asks
	case len(a.Beside) > 0:
		return asks + "; " + StartHint()
	}
	return StartHint() + "; reaperd scan   looks without it"
}

// isCovered reports that root's daemon runs: it looks after this user's servers too.
func (a Absent) isCovered() bool { return len(a.Beside) > 0 && a.Beside[0].UID == 0 }

func (a Absent) headline() string {
	switch {
	case a.isCovered():
		return state.LooksAfterAll(a.Beside[0].PID) + butRests(a.RootsRests) + "."
	case len(a.Beside) > 0:
		return "No daemon of root runs.\n" + a.Beside.After() + "."
	}
	return "reaperd is not running."
}

// butRests goes on about root's daemon, if it stops nothing or that is not known.
func butRests(rests string) string {
	switch rests {
	case "":
		return ""
	case serve.NotTold:
		return "; " + serve.NotTold
	}
	return ", but " + rests
}

// Write writes it for a person.
func (a Absent) Write(w io.Writer, width int) error {
	for headline := range strings.SplitSeq(a.headline(), "\n") {
		if _, err := fmt.Fprintln(w, report.Hang("", headline, width)); err != nil {
			return err
		}
	}
	lines := pauseLines(&serve.State{Paused: a.Paused, PausedUntil: a.PausedUntil, PauseReason: a.PauseReason}, a.Beside, a.now)
	for _, fault := range a.StateFaults {
		lines = append(lines, line{"FAULT", fault})
	}
	return writeLines(w, lines, width)
}
