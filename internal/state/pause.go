package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// Pause is a time during which nothing is acted on.
type Pause struct {
	// Until is when it ends; zero means with [Dir.Resume].
	Until  time.Time `json:"until,omitzero"`
	Reason string    `json:"reason,omitempty"`
	By     int       `json:"by_uid"`
	At     time.Time `json:"at"`
}

// Sentence says for people that nothing is acted on.
func (p Pause) Sentence() string { return sentence("paused", p.Until, p.Reason) }

// mostReason is the length of the longest reason, in characters.
const mostReason = 500

// CheckReason refuses a reason that no screen has room for. What is accepted is shown
// whole.
func CheckReason(reason string) error {
	if n := len([]rune(reason)); n > mostReason {
		return fmt.Errorf("the reason has %s characters: want at most %d", human.Number(n), mostReason)
	}
	return nil
}

// pauseDocument is the content of the file.
type pauseDocument struct {
	Version int `json:"version"`
	Pause
}

// Pause begins a pause now and replaces one that holds. It fills in At.
func (d Dir) Pause(now time.Time, pause Pause) error {
	pause.At = now
	err := d.change(func() error { return d.write(pauseFile, pauseDocument{version, pause}) })
	if err != nil {
		return fmt.Errorf("write pause %s: %w", d.path(pauseFile), err)
	}
	return nil
}

// Resume ends a pause, even a damaged one.
func (d Dir) Resume() error {
	if _, err := os.Lstat(d.path(pauseFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := d.change(func() error { return os.Remove(d.path(pauseFile)) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove pause: %w", err)
	}
	return nil
}

func (p Pause) isOver(now time.Time) bool { return !p.Until.IsZero() && !now.Before(p.Until) }

// Paused returns the pause that holds, if any. If it returns an error, that is not
// known, and nothing may be acted on.
func (d Dir) Paused(now time.Time) (Pause, bool, error) {
	var document pauseDocument
	err := d.read(pauseFile, os.Geteuid(), &document)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Pause{}, false, nil
	case err != nil:
		return Pause{}, false, fmt.Errorf("read pause %s: %w", d.path(pauseFile), err)
	case document.isOver(now):
		return Pause{}, false, nil
	}
	return document.Pause, true, nil
}
