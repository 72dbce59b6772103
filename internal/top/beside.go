package top

import (
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// besides tells what the daemons of other users do in spite of a pause, or where no daemon of the
// reader's runs; empty if there is nothing of the kind.
func (m Model) besides() string {
	pause := m.tree.Pause
	switch {
	case len(m.neighbours) == 0 || m.tree.Unfit != "":
	case pause.On:
		left := time.Duration(0)
		if !pause.Until.IsZero() {
			left = max(time.Second, pause.Until.Sub(m.now))
		}
		return human.Capital(pause.Told(m.clock)) + m.neighbours.Paused(left) + "."
	case m.from == NoDaemon:
		return m.neighbours.After() + ", and tells nobody else when it stops what: " + m.neighbours.Commands("reaperd top") + "."
	}
	return ""
}
