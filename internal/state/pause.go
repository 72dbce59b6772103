package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
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

// Resumed is what [Dir.Resume] found. The zero value is that it was not paused.
type Resumed struct {
	Paused bool      // a pause held, or could not be read
	Over   time.Time // when the last pause had ended by itself; zero if there was none
}

// Resume ends a pause, even a damaged one.
func (d Dir) Resume(now time.Time) (was Resumed, err error) {
	if _, err := os.Lstat(d.path(pauseFile)); errors.Is(err, fs.ErrNotExist) {
		return was, nil
	}
	var document pauseDocument
	err = d.change(func() error {
		if err := d.read(pauseFile, os.Geteuid(), &document); err == nil && document.isOver(now) {
			was.Over = document.Until
		}
		return os.Remove(d.path(pauseFile))
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Resumed{}, fmt.Errorf("remove pause: %w", err)
	}
	was.Paused = err == nil && was.Over.IsZero()
	return was, nil
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
