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
}

// AbsentType is the type that is encoded where no daemon runs, for its schema.
func AbsentType() reflect.Type { return reflect.TypeFor[Absent]() }

// NewAbsent reads the state directory.
func NewAbsent(dir state.Dir, now time.Time) Absent {
	var is serve.State
	IsPaused(&is, dir, now)
	return Absent{
		Version: serve.Version, Paused: is.Paused, PausedUntil: is.PausedUntil, PauseReason: is.PauseReason, StateFaults: dir.Faults(now),
	}
}

// JSON returns it for programs.
func (a Absent) JSON() ([]byte, error) { return json.Marshal(a) }

// Write writes it for a person.
func (a Absent) Write(w io.Writer, width int) error {
	if _, err := fmt.Fprintln(w, "reaperd is not running."); err != nil {
		return err
	}
	lines := pauseLines(&serve.State{Paused: a.Paused, PausedUntil: a.PausedUntil, PauseReason: a.PauseReason})
	for _, fault := range a.StateFaults {
		lines = append(lines, line{"FAULT", fault})
	}
	return writeLines(w, lines, width)
}
