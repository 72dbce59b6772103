package pins

import (
	"fmt"
	"os"
	"slices"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/state"
)

// LookNotes are remarks about new pins that the look knows in which they were made: what is
// kept with a session, and which daemons of others do not go by them.
func LookNotes(g *graph.Graph, found []state.Pin, others beside.Daemons) []string {
	var notes []string
	for i := range found {
		pin := &found[i]
		if held := report.HeldBy(g, pin.ID); held != "" {
			notes = append(notes, fmt.Sprintf("note: while %s lives, this keeps what it holds too: %s; a pin of its own keeps one for longer", called(pin), held))
		}
	}
	return slices.Concat(notes, IgnoredNotes(g, found, others), strangersNotes(g, found, others, os.Geteuid()), lateNotes(g, found, others))
}

// strangersNotes tell a user that the pin of another user's process keeps that from nobody, where no daemon is seen that
// looks after it: this user's own never touches it.
func strangersNotes(g *graph.Graph, found []state.Pin, others beside.Daemons, me int) []string {
	var names []string
	for i := range found {
		if pin := &found[i]; isStrangers(g, pin, others, me) {
			names = append(names, called(pin))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("note: %s %s another user's: only daemons of that user and of root touch %s, and these do not go by this",
		human.List(fewest(names)), human.Are(len(names)), human.Verb(len(names), "it", "them"))}
}

// isStrangers reports a pin by a user of another user's process, after which no daemon is seen to look: no sweep of this
// user's touches it.
func isStrangers(g *graph.Graph, pin *state.Pin, others beside.Daemons, me int) bool {
	uid, known := userOf(g, pin.ID).Get()
	_, cares := others.Of(uid)
	t, seen := g.Target(pin.ID)
	return known && seen && t.Container == nil && uid != me && me != 0 && !cares
}

// endedStrangers tells a user, of ended pins of which isStrangers, whose sweep decides, and returns the others.
func endedStrangers(g *graph.Graph, ended []state.Pin, daemons beside.Daemons, me int) (notes []string, others []state.Pin) {
	var names, handles []string
	for i := range ended {
		if pin := &ended[i]; isStrangers(g, pin, daemons, me) {
			names, handles = append(names, called(pin)), append(handles, Handle(pin))
		} else {
			others = append(others, *pin)
		}
	}
	if len(names) == 0 {
		return nil, ended
	}
	return []string{fmt.Sprintf("note: %s %s another user's: a sweep of that user or of root decides, not one of yours (%s)",
		human.List(fewest(names)), human.Are(len(names)), beside.Daemon{User: "root"}.Command("reaperd sweep "+human.Shell(handles...)))}, others
}

// endedGone tells which targets of ended pins are gone: nobody decides on them. It returns the other pins.
func endedGone(g *graph.Graph, ended []state.Pin) (notes []string, others []state.Pin) {
	there := MayBeThere(g.Snapshot, ended)
	var names []string
	for i := range ended {
		pin := &ended[i]
		_, seen := g.Target(pin.ID)
		if seen || slices.ContainsFunc(there, func(other state.Pin) bool { return other.ID == pin.ID }) {
			others = append(others, *pin)
		} else {
			names = append(names, called(pin))
		}
	}
	if len(names) == 0 {
		return nil, ended
	}
	return []string{fmt.Sprintf("note: %s %s gone", human.List(fewest(names)), human.Are(len(names)))}, others
}

// endedUnheeded tells a user, of ended pins of containers and of another user's processes, that root's daemon decides as
// it did before: it did not go by them. It returns the other pins.
func endedUnheeded(g *graph.Graph, ended []state.Pin, daemons beside.Daemons) (notes []string, others []state.Pin) {
	roots, runs := daemons.Of(0)
	var names []string
	for i := range ended {
		if pin := &ended[i]; runs && (!isProcess(*pin) || isIgnored(g, pin, roots, daemons)) {
			names = append(names, called(pin))
		} else {
			others = append(others, *pin)
		}
	}
	if len(names) == 0 {
		return nil, ended
	}
	return []string{fmt.Sprintf("note: %s decides on %s as before, by its own policy and pins: %s", roots, human.List(fewest(names)), roots.Command("reaperd status"))}, others
}

// lateNotes tell a user beside root's daemon, which tells nobody else what it is stopping, that a pin of what nobody
// owns may come too late.
func lateNotes(g *graph.Graph, found []state.Pin, others beside.Daemons) []string {
	roots, runs := others.Of(0)
	if !runs {
		return nil
	}
	var names, handles []string
	for i := range found {
		pin := &found[i]
		if t, known := g.Target(pin.ID); known && t.Finding == graph.FindingOrphaned && !isIgnored(g, pin, roots, others) {
			names, handles = append(names, called(pin)), append(handles, Handle(pin))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("note: %s may have begun to stop %s, and then this comes too late: %s", roots.Whose(), human.List(fewest(names)), roots.Command("reaperd explain "+human.Shell(handles[0])))}
}

// IgnoredNotes tell which daemon of another user looks after what was pinned, and does not go by the
// pin: root's, where it is a third user's; that of its user, where root has pinned it.
func IgnoredNotes(g *graph.Graph, found []state.Pin, others beside.Daemons) []string {
	var notes []string
	for _, daemon := range others {
		var names, handles []string
		for i := range found {
			if pin := &found[i]; isIgnored(g, pin, daemon, others) {
				names, handles = append(names, called(pin)), append(handles, Handle(pin))
			}
		}
		if len(names) > 0 {
			notes = append(notes, "note: "+daemon.IgnoresPinOfAnother(fewest(names), handles))
		}
	}
	return notes
}

// isIgnored reports a pin of another user's thing that a daemon looks after, and by which it does not go.
func isIgnored(g *graph.Graph, pin *state.Pin, daemon beside.Daemon, others beside.Daemons) bool {
	uid, known := userOf(g, pin.ID).Get()
	keeper, cares := others.Of(uid)
	if !known || !cares || keeper != daemon || uid == os.Geteuid() {
		return false
	}
	t, seen := g.Target(pin.ID)
	return daemon.UID != 0 || !seen || t.Container == nil // else another note tells that
}

// fewest are the first names, and how many more there are.
func fewest(names []string) []string {
	if len(names) <= mostNamed {
		return names
	}
	return append(slices.Clone(names[:mostNamed]), human.Number(len(names)-mostNamed)+" more")
}

// userOf returns the user of the target or process with an id; unknown if the look has neither.
func userOf(g *graph.Graph, id string) inventory.Fact[int] {
	if t, seen := g.Target(id); seen {
		return g.UserOf(t)
	}
	for i := range g.Snapshot.Processes {
		if p := &g.Snapshot.Processes[i]; p.ID().String() == id {
			return p.UID
		}
	}
	return inventory.Fact[int]{}
}
