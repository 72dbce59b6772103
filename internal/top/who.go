package top

import (
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// who tells whether a daemon acts, and when the host was read.
func (m Model) who() Line {
	if m.failure != nil {
		return toned(overview.ToneGoes, "No newer look: "+m.failure.Error())
	}
	if !m.looked {
		return nil
	}
	return Line{{Text: m.actor() + " Looked " + m.clock(m.tree.At) + m.again() + "."}, {Text: m.choice(), Style: Style{Bold: true}}}
}

func (m Model) actor() string {
	switch {
	case m.tree.Unfit != "":
		return "The daemon is not well: it stops nothing."
	case m.tree.Pause.On:
		paused := m.tree.Pause.Told(m.clock)
		return human.Capital(paused) + ": " + m.tree.NothingMore() + " is stopped. reaperd resume ends it."
	case m.from == NoDaemon:
		return "No daemon: nothing stops by itself."
	case m.from == BesideDaemon:
		return "A daemon runs beside; top looks by itself."
	case m.from == HungDaemon:
		return "The daemon does not answer (reaperd status): nothing stops by itself."
	case m.from == BlindDaemon:
		return "The daemon has never looked (reaperd status says why): nothing stops by itself."
	case m.tree.Mode == policy.ModeEnforce:
		return "The daemon stops what its rules say."
	case m.mayStop(): // by --mode enforce
		return "The daemon only reports (mode: report); x acts all the same."
	}
	return "The daemon only reports (mode: report)."
}

// again tells when the daemon looks again at the latest; nothing once that time is over.
func (m Model) again() string {
	if m.from != Daemon || !m.now.Before(m.tree.Next) {
		return ""
	}
	return ", again by " + m.clock(m.tree.Next)
}

// choice shows the filter and the order, if the reader has chosen any.
func (m Model) choice() string {
	text := ""
	if m.filter != "" {
		text += "  filter: " + m.filter
	}
	if m.order != ByTree {
		text += "  by " + m.order.String()
	}
	return text
}

func (m Model) clock(at time.Time) string { return at.In(m.options.Location).Format(time.TimeOnly) }
