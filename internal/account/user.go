package account

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// For is what a user may see of an account: the things of that user, the containers whose
// runner is that user's and, where that user reaches the engine, all containers of MCP
// servers. Nothing of another user's is in it, not even a count. Root sees all.
func (a *Account) For(uid int, reaches bool) *Account {
	if uid == 0 {
		return a
	}
	isOwn := func(of inventory.Fact[int]) bool { own, known := of.Get(); return known && own == uid }
	mine := *a
	mine.Reader = &uid
	mine.Things = slices.DeleteFunc(slices.Clone(a.Things), func(t Thing) bool {
		return !isOwn(t.uid) && !(reaches && t.Kind == graph.KindContainer)
	})
	mine.AlsoLeft = slices.DeleteFunc(slices.Clone(a.AlsoLeft), func(left AlsoLeft) bool { return !isOwn(left.uid) })
	mine.Sessions = slices.DeleteFunc(slices.Clone(a.Sessions), func(s Session) bool { return !isOwn(s.uid) })
	if a.Acts != nil {
		mine.Acts = slices.DeleteFunc(slices.Clone(a.Acts), func(act Act) bool { return !isOwn(act.uid) })
	}
	mine.Summary.Processes, mine.processes = a.processes[uid], map[int]int{uid: a.processes[uid]}
	mine.Today = a.today[uid]
	if pause, paused := a.pauses[uid]; paused {
		mine.Decider.Rests, mine.Decider.PausedUntil, mine.Decider.PauseReason = Paused, pause.Until, pause.Why
	}
	mine.told = slices.DeleteFunc(slices.Clone(a.told), func(n Note) bool { return n.uid.IsKnown() && !isOwn(n.uid) })
	mine.Sources = nil
	for _, source := range a.Sources {
		if !isOfOther(source.Endpoint, uid) {
			mine.Sources = append(mine.Sources, withoutNames(source))
		}
	}
	mine.finish()
	return &mine
}

// withoutNames is a source without the reasons that may name what is another user's.
func withoutNames(s inventory.Source) inventory.Source {
	if s.Name != inventory.SourceDocker {
		s.Reason, s.Remedy, s.Gaps = "", "", nil
	}
	s.RunnerUIDs = nil
	return s
}

// isOfOther reports the address of an engine that another user runs.
func isOfOther(endpoint string, uid int) bool {
	_, below, isUsers := strings.Cut(endpoint, "/run/user/")
	owner, _, _ := strings.Cut(below, "/")
	return isUsers && owner != strconv.Itoa(uid)
}
