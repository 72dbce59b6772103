package scan

import (
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
)

// others are the processes at the other ends of what a process has open above stdin, stdout
// and stderr: those that share something with it, and those that it has called. There may
// be more of them where moreShare and moreCalled say so.
type others struct {
	shares, calls         []int
	moreShare, moreCalled bool
	me                    int // the user who looks
}

// add adds the other end of a socket. Somebody has it, if not one of pids then one who
// cannot be seen. Whoever was called and is another user's is no session of this user's.
func (o *others) add(c connection, pids []int, seen bool) {
	if !c.called {
		o.shares, o.moreShare = append(o.shares, pids...), o.moreShare || !seen
		return
	}
	isMine := o.me == 0 || c.uid == -1 || c.uid == o.me
	o.calls, o.moreCalled = append(o.calls, pids...), o.moreCalled || !seen && isMine
}

// record writes them down.
func (o *others) record(p *inventory.Process) {
	p.Shares, p.Connects = pidsOr(o.shares, o.moreShare), pidsOr(o.calls, o.moreCalled)
}

func pidsOr(pids []int, more bool) inventory.Fact[[]int] {
	if more {
		return inventory.Unreadable[[]int]()
	}
	slices.Sort(pids)
	return inventory.Known(append([]int{}, slices.Compact(pids)...))
}
