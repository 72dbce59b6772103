package status

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// Absent is what there is to tell where no daemon runs: what people have asked for holds
// for sweeps by hand, and for the next daemon.
type Absent struct {
	Version     int       `json:"version"`
	Running     bool      `json:"running"`
	Paused      bool      `json:"paused,omitempty"`
	PausedUntil time.Time `json:"paused_until,omitzero"`
	PauseReason string    `json:"pause_reason,omitempty"`
	StateFaults []string  `json:"state_faults,omitempty"`

	system int // the process of root's daemon, which looks after this user's servers too; 0 is none
}

// AbsentType is the type that is encoded where no daemon runs, for its schema.
func AbsentType() reflect.Type { return reflect.TypeFor[Absent]() }

// NewAbsent reads the state directory.
func NewAbsent(dir state.Dir, now time.Time) Absent {
	var is serve.State
	IsPaused(&is, dir, now)
	system, _ := state.ForeignDaemon()
	return Absent{
		system: system.PID, Version: serve.Version, Paused: is.Paused, PausedUntil: is.PausedUntil, PauseReason: is.PauseReason, StateFaults: dir.Faults(now),
	}
}

// JSON returns it for programs.
func (a Absent) JSON() ([]byte, error) { return json.Marshal(a) }

// IsCovered reports that root's daemon runs.
func (a Absent) IsCovered() bool { return a.system != 0 }

func (a Absent) headline() string {
	if a.IsCovered() {
		return state.LooksAfterAll(a.system) + "."
	}
	return "reaperd is not running."
}

// Write writes it for a person.
func (a Absent) Write(w io.Writer, width int) error {
	if _, err := fmt.Fprintln(w, a.headline()); err != nil {
		return err
	}
	lines := pauseLines(&serve.State{Paused: a.Paused, PausedUntil: a.PausedUntil, PauseReason: a.PauseReason})
	for _, fault := range a.StateFaults {
		lines = append(lines, line{"FAULT", fault})
	}
	return writeLines(w, lines, width)
}
