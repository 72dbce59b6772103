package state

import (
	"fmt"
	"time"
)

// sweptFile says when a sweep by hand last ended something. The daemon watches it and looks
// at once, so that nothing it tells is about what is gone.
const sweptFile = "swept.json"

// lookFile says when somebody last asked the daemon for a look. The daemon watches it too.
const lookFile = "look.json"

// momentDocument is the content of both files.
type momentDocument struct {
	Version int       `json:"version"`
	At      time.Time `json:"at"`
}

// Swept notes that a sweep by hand has ended something.
func (d Dir) Swept(now time.Time) error { return d.note(sweptFile, now) }

// WantLook notes that somebody wants the daemon to look now.
func (d Dir) WantLook(now time.Time) error { return d.note(lookFile, now) }

func (d Dir) note(file string, now time.Time) error {
	if err := d.change(func() error { return d.write(file, momentDocument{version, now}) }); err != nil {
		return fmt.Errorf("write %s: %w", d.path(file), err)
	}
	return nil
}
