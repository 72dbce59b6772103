package graph

import "github.com/reaperd/reaperd/internal/inventory"

// end is what is known of the other end of a stream.
type end struct {
	state endState
	by    []*node // of endHeld: the live processes outside the tree that hold it
}

type endState uint8

const (
	endUnrecorded  endState = iota // nobody looked: says nothing either way
	endUnconnected                 // /dev/null, a terminal, a file: there is no other end
	endUnreadable                  // could not be read
	endUntold                      // looked for, and could not be told
	endHeld                        // processes of the table hold it
	endHeldUnseen                  // open, and its holder cannot be seen
	endGone                        // closed, or held by the tree itself only
)

// endOf tells what became of the other end of a stream. own reports the processes
// that do not count as holders: those of the tree itself.
func (t *table) endOf(own func(pid int) bool, stream inventory.Fact[inventory.Stdio]) end {
	stdio, known := stream.Get()
	switch {
	case stream.IsZero():
		return end{state: endUnrecorded}
	case !known || stdio.Kind == inventory.KindUnknown:
		return end{state: endUnreadable}
	case !stdio.Connected():
		return end{state: endUnconnected}
	case stdio.Peer == inventory.PeerClosed:
		return end{state: endGone}
	case stdio.Peer != inventory.PeerOpen:
		return end{state: endUntold}
	}
	return t.holdersOf(own, stdio.Holders)
}

// holdersOf sorts out who holds an open end. One that is not in the table and
// yet holds is alive and cannot be seen from here.
func (t *table) holdersOf(own func(pid int) bool, holders []int) end {
	e := end{state: endHeldUnseen}
	for _, pid := range holders {
		holder := t.byPID[pid]
		switch {
		case own(pid):
			e.state = endGone
		case holder == nil:
			return end{state: endHeldUnseen}
		case holder.Alive():
			e.by = append(e.by, holder)
		}
	}
	switch {
	case len(e.by) > 0:
		e.state = endHeld
	case !t.everyHolderSeen:
		e.state = endHeldUnseen
	}
	return e
}

// isClosed reports an end that nobody alive has, now that it is known what is
// leaked. Where not everybody's descriptors were read an open end may be held.
func (t *table) isClosed(e end) bool {
	if e.state != endHeld {
		return e.state == endGone
	}
	for _, holder := range e.by {
		if holder.isLive() {
			return false
		}
	}
	return t.everyHolderSeen
}

func idOf(stream inventory.Fact[inventory.Stdio]) string { return stream.Or(inventory.Stdio{}).ID }

// isSamePipe reports that two ends belong to one pipe: on Linux both ends of a
// pipe have one name, and those of a socket pair have two.
func isSamePipe(a, b inventory.Fact[inventory.Stdio]) bool {
	return isSameStream(a, b) && a.Or(inventory.Stdio{}).Kind == inventory.KindPipe
}

// isSameStream reports that two processes have one and the same pipe or socket,
// which one of them has inherited from the other or both from a third.
func isSameStream(a, b inventory.Fact[inventory.Stdio]) bool {
	one, other := a.Or(inventory.Stdio{}), b.Or(inventory.Stdio{})
	return one.Connected() && one.Kind == other.Kind && one.ID == other.ID && one.ID != ""
}
