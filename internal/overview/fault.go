package overview

import (
	"cmp"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// Fault is something wrong with what a tree is made of. What says it in short; the sentence
// goes on with More. Each has the faults of a file that the sentence only counts.
type Fault struct {
	What, More string
	Each       []string
}

// String returns the whole sentence, without a full stop.
func (f Fault) String() string { return f.What + f.More }

// Faults tells that the daemon acts on nothing, that its disk is full, that the policy file is
// refused, and that an engine is gone. clock writes a time of day; byHand is what stops nothing
// while the policy file is refused.
func (t *Tree) Faults(clock func(time.Time) string, byHand string) []Fault {
	var all []Fault
	if t.Unfit != "" {
		all = append(all, Fault{What: "The daemon is not well", More: t.ails()})
	}
	if t.NoRoomIn != "" {
		all = append(all, Fault{What: "The disk is full", More: ": " + t.NoRoomIn + " has no room for a file, and pin, unpin and pause fail; make room there"})
	}
	if len(t.Refused) > 0 {
		all = append(all, t.refusal(byHand))
	}
	switch n := t.Unseen.Containers; {
	case n > 0 && t.Unseen.Since.IsZero():
		all = append(all, Fault{What: "No container engine was found", More: ": the " + human.Plural(n, "container") + " of " + human.Count(n, "docker run") + " cannot be seen"})
	case n > 0:
		gone, its := t.Unseen.gone()
		all = append(all, Fault{What: gone, More: " since " + clock(t.Unseen.Since) + ": " + its + " " + human.Count(n, "container") + " cannot be seen"})
	}
	return all
}

// refusal tells of a policy file that is refused: what lists its faults, which policy holds, and what
// stops nothing meanwhile.
func (t *Tree) refusal(byHand string) Fault {
	holds := cmp.Or(t.ShownBy, "the one before it")
	return Fault{
		What: "The policy file is refused", Each: t.Refused,
		More: " (" + human.Count(len(t.Refused), "fault") + ": reaperd policy check); " + holds + " holds, and " + byHand,
	}
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
