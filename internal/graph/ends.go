package graph

import "github.com/reaperd/reaperd/internal/inventory"

// end is what is known about the other end of a stream.
type end struct {
	state endState
	by    []*node // of endHeld: the live processes outside the tree that hold it
}

type endState uint8

const (
	endUnrecorded  endState = iota // it was not looked for: no evidence either way
	endUnconnected                 // /dev/null, a terminal, a file: there is no other end
	endUnreadable                  // could not be read
	endUntold                      // it was looked for, without a result
	endHeld                        // processes of the table hold it
	endHeldUnseen                  // open; its holder cannot be seen
	endGone                        // closed, or held only by the tree itself
)

// endOf works out the state of a stream's other end. own reports the processes that
// do not count as holders: those of the tree itself.
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

// holdersOf works out who holds an open end. A holder that is missing from the table
// is alive and cannot be seen from here.
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

// isClosed reports that no live process outside leaked trees holds an end. If some
// process's descriptors could not be read, an open end counts as held.
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

// isSamePipe reports that two ends belong to one pipe. On Linux both ends of a pipe
// have the same name; the two ends of a socket pair do not.
func isSamePipe(a, b inventory.Fact[inventory.Stdio]) bool {
	return isSameStream(a, b) && a.Or(inventory.Stdio{}).Kind == inventory.KindPipe
}

// isSameStream reports that two processes have the same pipe or socket: one inherited
// it from the other, or both from a third.
func isSameStream(a, b inventory.Fact[inventory.Stdio]) bool {
	one, other := a.Or(inventory.Stdio{}), b.Or(inventory.Stdio{})
	return one.Connected() && one.Kind == other.Kind && one.ID == other.ID && one.ID != ""
}
