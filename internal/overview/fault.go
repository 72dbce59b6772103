package overview

import (
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// Fault is something wrong with what a tree is made of. What says it in short; the sentence
// goes on with More.
type Fault struct{ What, More string }

// String returns the whole sentence, without a full stop.
func (f Fault) String() string { return f.What + f.More }

// Faults tells that the daemon acts on nothing, that its disk is full, that the policy file is
// refused, and that an engine is gone. clock writes a time of day.
func (t *Tree) Faults(clock func(time.Time) string) []Fault {
	var all []Fault
	if t.Unfit != "" {
		all = append(all, Fault{"The daemon is not well", t.ails()})
	}
	if t.NoRoomIn != "" {
		all = append(all, Fault{"The disk is full", ": " + t.NoRoomIn + " has no room for a file, and pin, unpin and pause fail; make room there"})
	}
	switch faults := strings.Join(t.Refused, "; "); {
	case faults == "":
	case t.ShownBy == "":
		all = append(all, Fault{"The policy file is refused", ", the one before it holds: " + faults})
	default:
		all = append(all, Fault{"The policy file is refused", ": " + faults + "; nothing is stopped by hand until it is mended, and what is shown here goes by " + t.ShownBy})
	}
	switch n := t.Unseen.Containers; {
	case n > 0 && t.Unseen.Since.IsZero():
		all = append(all, Fault{"No container engine was found", ": the " + human.Plural(n, "container") + " of " + human.Count(n, "docker run") + " cannot be seen"})
	case n > 0:
		gone, its := t.Unseen.gone()
		all = append(all, Fault{gone, " since " + clock(t.Unseen.Since) + ": " + its + " " + human.Count(n, "container") + " cannot be seen"})
	}
	return all
}

// gone says which engines are gone: "Docker is gone", "Docker and Podman are gone".
func (u Unseen) gone() (gone, its string) {
	if len(u.Engines) == 0 { // a daemon of an earlier version does not name them
		return "The container engine is gone", "its"
	}
	names := make([]string, len(u.Engines))
	for i, engine := range u.Engines {
		names[i] = human.Capital(engine)
	}
	return human.List(names) + " " + human.Are(len(names)) + " gone", human.Verb(len(names), "its", "their")
}
