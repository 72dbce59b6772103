package state

import (
	"fmt"
	"time"
)

// sweptFile says when a sweep by hand last ended something. The daemon watches it and looks
// at once, so that nothing it tells is about what is gone.
const sweptFile = "swept.json"

type sweptDocument struct {
	Version int       `json:"version"`
	At      time.Time `json:"at"`
}

// Swept notes that a sweep by hand has ended something.
func (d Dir) Swept(now time.Time) error {
	if err := d.change(func() error { return d.write(sweptFile, sweptDocument{version, now}) }); err != nil {
		return fmt.Errorf("write %s: %w", d.path(sweptFile), err)
	}
	return nil
}
