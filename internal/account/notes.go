package account

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// String is a note in one sentence.
func (n Note) String() string {
	if n.Remedy == "" {
		return n.Text
	}
	return n.Text + ": " + n.Remedy
}

// notes are what is not well: what could not be read, what the daemon says of itself, and what was told
// beside.
func (a *Account) notes() (notes []Note) {
	for _, source := range a.Sources {
		if note := a.unread(source); note.Text != "" {
			notes = append(notes, note)
		}
	}
	if a.Decider.Daemon != nil {
		notes = append(notes, a.Decider.Daemon.notes()...)
	}
	notes = append(notes, a.watched()...)
	return append(notes, a.told...)
}

// watched are those who keep what is left over because they may be attached to it, each with the first that it keeps.
func (a *Account) watched() (notes []Note) {
	for i := range a.Things {
		t := &a.Things[i]
		if t.Remedy != "" && !slices.ContainsFunc(notes, func(n Note) bool { return n.Remedy == t.Remedy }) {
			notes = append(notes, Note{Text: t.Called() + " is kept, as " + t.Why, Remedy: t.Remedy})
		}
	}
	return notes
}

// unread is that a source could not be read. An engine that is absent is a note where something here
// needs one.
func (a *Account) unread(s inventory.Source) Note {
	switch {
	case s.Status == inventory.StatusError && s.IsDenied():
		return Note{Text: s.Called() + " may not be read by this user, so containers are left alone", Remedy: "sudo reaperd scan"}
	case s.Status == inventory.StatusError:
		return Note{Text: s.Called() + " could not be read: " + s.Reason}
	case s.Status != inventory.StatusAbsent || s.Name != inventory.SourceDocker:
		return Note{}
	}
	for i := range a.Things {
		if hasGuard(a.Things[i].Guards, graph.GuardEngine) {
			return Note{Text: "no container engine answers: " + s.Reason}
		}
	}
	return Note{}
}

// notes are what a daemon says of itself that is not well.
func (d *Daemon) notes() (notes []Note) {
	say := func(isSo bool, text, remedy string) {
		if isSo {
			notes = append(notes, Note{Text: text, Remedy: remedy})
		}
	}
	say(d.NotReady != "", "not well: "+d.NotReady, "")
	say(d.LookFault != "", "the last look failed: "+d.LookFault, "")
	say(d.RefusedFile != "", "the policy "+d.RefusedFile+" has "+human.Count(len(d.PolicyFaults), "fault")+", and the one before it holds", "reaperd policy check "+human.Shell(d.RefusedFile))
	say(d.Unrecorded != "", d.Unrecorded+" cannot be written", "reaperd doctor")
	say(d.NoRoomIn != "", "the disk of "+d.NoRoomIn+" is full, so nothing can be pinned or paused", "")
	say(len(d.StateFaults) > 0, strings.Join(d.StateFaults, "; "), "")
	say(d.JournalUnwritten > 0, fmt.Sprintf("the outcomes of %s wait for the journal to take records", human.Count(int(d.JournalUnwritten), "act")), "")
	return notes
}
