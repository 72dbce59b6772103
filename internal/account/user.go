package account

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Reader is who reads an account or gives an order: a user of this host, and the engines that
// this user reaches, by their endpoints; nil reaches none.
type Reader struct {
	UID     int
	Reaches func(engine string) bool
}

// Sees reports what the reader may see: what is the reader's, and each container of an engine
// that the reader reaches. of is whose it is; engine is a container's, else empty. Root sees all.
func (r Reader) Sees(of inventory.Fact[int], engine string) bool {
	return r.UID == 0 || r.owns(of) || engine != "" && r.Reaches != nil && r.Reaches(engine)
}

func (r Reader) owns(of inventory.Fact[int]) bool {
	uid, known := of.Get()
	return known && uid == r.UID
}

// For is what a user may see of an account: the things of that user, the containers whose
// runner is that user's, and all containers of MCP servers of the engines that the user
// reaches. Nothing of another user's is in it, not even a count. Root sees all.
func (a *Account) For(r Reader) *Account {
	if r.UID == 0 {
		return a
	}
	uid, isOwn := r.UID, r.owns
	mine := *a
	mine.Reader = &uid
	mine.Things = slices.DeleteFunc(slices.Clone(a.Things), func(t Thing) bool { return !r.Sees(t.uid, t.engine) })
	mine.AlsoLeft = slices.DeleteFunc(slices.Clone(a.AlsoLeft), func(left AlsoLeft) bool { return !isOwn(left.uid) })
	mine.Sessions = slices.DeleteFunc(slices.Clone(a.Sessions), func(s Session) bool { return !isOwn(s.uid) })
	if a.Acts != nil {
		mine.Acts = slices.DeleteFunc(slices.Clone(a.Acts), func(act Act) bool { return !isOwn(act.uid) })
	}
	mine.Summary.Processes, mine.processes = a.processes[uid], map[int]int{uid: a.processes[uid]}
	mine.Today = a.today[uid]
	if a.Decider.Whole {
		mine.Decider.Daemon = a.Decider.Daemon.public()
	}
	if pause, paused := a.pauses[uid]; paused {
		mine.Decider.Rests, mine.Decider.PausedUntil, mine.Decider.PauseReason = Paused, pause.Until, pause.Why
	}
	mine.Sources = nil
	for _, source := range a.Sources {
		if !isOfOther(source.Endpoint, uid) {
			mine.Sources = append(mine.Sources, r.without(source))
		}
	}
	mine.finish()
	return &mine
}

// public is what a daemon says of itself without what names files.
func (d *Daemon) public() *Daemon {
	if d == nil {
		return nil
	}
	seen := &Daemon{Build: d.Build, IntervalSeconds: d.IntervalSeconds, LookedFor: d.LookedFor, LookSeconds: d.LookSeconds, NotReady: d.NotReady}
	if d.LookFault != "" {
		seen.LookFault = "root sees why"
	}
	return seen
}

// without is a source without the reasons that may name what is another user's.
func (r Reader) without(s inventory.Source) inventory.Source {
	if s.Endpoint == "" || !r.Sees(inventory.Fact[int]{}, s.Endpoint) {
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
