package top

import (
	"cmp"
	"strings"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// events shows what is wrong with the tree and which sources could not be read, then what ended lately, and
// what a rule would end but stays.
func (m Model) events() text {
	s := &sheet{model: m}
	m.sayFaults(s)
	s.gap()
	switch {
	case m.from != Daemon:
		s.say("", "Only what x stops in this top is told here, as "+m.untold()+" tells the rest.")
		s.gap()
	}
	before := ""
	for _, e := range m.tree.Ended {
		about := "ended"
		if !done.Result(e.Outcome).Gone() {
			about = "left alone"
		}
		if about == before {
			about = ""
		} else {
			before = about
		}
		text := m.moment(e.At) + "  " + strings.TrimSpace(e.Name+" "+e.Handle) + of(e) + " " + e.Outcome
		if e.FreedBytes > 0 {
			text += ", " + human.Bytes(e.FreedBytes)
		}
		s.say(about, text+" (rule "+cmp.Or(e.By(), "unknown")+")")
	}
	s.gap()
	for _, refusal := range m.tree.Refusals {
		s.say(m.aboutRefusal(refusal), m.refusal(refusal))
	}
	if len(s.text) == 0 {
		s.say("", "Nothing was reaped, nothing was refused, everything was seen.")
	}
	return s.text
}

// sayFaults tells what is wrong with the tree, and which sources could not be read.
func (m Model) sayFaults(s *sheet) {
	for _, fault := range m.tree.Faults(m.moment, stopsNothing) {
		s.tell("fault", fault.String(), overview.ToneGoes)
		for _, each := range fault.Each {
			s.tell("", m.options.Home.Short(each, ""), overview.ToneGoes)
		}
	}
	_, texts := m.unseen()
	for _, text := range texts {
		s.tell("not seen", text, overview.ToneGoes)
	}
}

// untold tells why no daemon's acts are shown, and which command shows them.
func (m Model) untold() string {
	switch {
	case m.from == NoDaemon:
		return "no daemon of yours runs: `reaperd history`"
	}
	return "the daemon does not send what it did: `reaperd history`"
}

// of names the owner of what ended, if one is known.
func of(e overview.Ended) string {
	if e.Owner == "" {
		return ""
	}
	return " of " + e.Owner
}

// aboutRefusal is the heading of a refusal. A pin is the reader's own wish.
func (m Model) aboutRefusal(r overview.Refusal) string {
	switch n := m.tree.Find(r.Key); {
	case r.Guard == graph.GuardProtected:
		return "kept"
	case r.Guard != graph.GuardPinned:
		return "refused"
	case n != nil && m.keeper(n) != nil:
		return "kept"
	}
	return "pinned"
}

// refusal tells what stays, when that was decided, and why. Of a pin it tells since
// when that holds, and until when.
func (m Model) refusal(r overview.Refusal) string {
	n := m.tree.Find(r.Key)
	if n == nil {
		return r.Name + ": " + r.Text + " (rule " + r.Rule + ")"
	}
	why := cmp.Or(m.pinTexts[n.Target], r.Text)
	if r.Guard == graph.GuardPinned && m.keeper(n) != nil {
		why = m.pinText(n)
	}
	text := n.Title() + ": " + why + " (rule " + r.Rule + ")"
	if m.aboutRefusal(r) != "pinned" && !r.At.IsZero() {
		text = m.moment(r.At) + "  " + text
	}
	return text
}
