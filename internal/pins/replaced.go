package pins

import (
	"fmt"
	"slices"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/state"
)

// replacedNotes say which pins the new ones replace, and which end and reason are dropped
// with them. Alike pins are in one note; the same pin again is in none.
func replacedNotes(found, before []state.Pin) []string {
	var notes []string
	var changes []change
	handles := map[change][]string{}
	for i := range found {
		at := slices.IndexFunc(before, func(old state.Pin) bool { return old.ID == found[i].ID })
		if at < 0 || before[at].Until.Equal(found[i].Until) && before[at].Reason == found[i].Reason {
			continue
		}
		text := change{howPinned(&before[at]), differs(&before[at], &found[i])}
		if handles[text] == nil {
			changes = append(changes, text)
		}
		handles[text] = append(handles[text], Handle(&found[i]))
	}
	for _, text := range changes {
		of := handles[text]
		notes = append(notes, fmt.Sprintf("note: this replaces the %s of %s %s: now %s %s",
			human.Plural(len(of), "pin"), human.List(of), text.from, human.Verb(len(of), "it has", "they have"), text.to))
	}
	return notes
}

// change is what a pin was, and what the one in its place has not, or has otherwise.
type change struct{ from, to string }

// howPinned is a pin's end and reason: `until 2026-11-22 19:32:11 ("a demo")`.
func howPinned(p *state.Pin) string {
	text := "without an end"
	if !p.Until.IsZero() {
		text = "until " + human.Moment(p.Until.Local())
	}
	if p.Reason != "" {
		text += fmt.Sprintf(" (%q)", human.Line(p.Reason))
	}
	return text
}

// differs tells what a new pin has not, or has otherwise, than the old one.
func differs(old, pin *state.Pin) string {
	var parts []string
	switch {
	case old.Until.Equal(pin.Until):
	case pin.Until.IsZero():
		parts = append(parts, "no end")
	default:
		parts = append(parts, "another end ("+human.Moment(pin.Until.Local())+")")
	}
	switch {
	case old.Reason == pin.Reason:
	case pin.Reason == "":
		parts = append(parts, "no reason")
	default:
		parts = append(parts, "another reason")
	}
	return human.List(parts)
}
