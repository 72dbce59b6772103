package scan

import (
	"fmt"
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
)

// hidden says whose processes are missing from the table; "" if none are.
func (l *look) hidden() string {
	uid := l.host.UID.Or(0)
	if uid == 0 {
		return ""
	}
	mounts, _ := l.reader.whole(l.scanner.root, "self/mountinfo")
	if hidesProcesses(string(mounts)) && !l.seesOthers(uid) {
		return fmt.Sprintf("hidepid: only uid %d's processes are visible", uid)
	}
	return ""
}

func (l *look) seesOthers(uid int) bool {
	return slices.ContainsFunc(l.scanner.slots, func(s slot) bool { return !s.kernel && s.told > 0 && s.uid != -1 && s.uid != int32(uid) })
}

// source sums up how well the table could be read.
func (l *look) source(listed []inventory.Process) inventory.Source {
	hidden := l.hidden()
	if hidden != "" {
		l.complain(inventory.GapProcesses, hidden)
	}
	missing := hidden != "" || l.unread > 0
	if l.unread > 0 {
		l.complain(inventory.GapProcesses, fmt.Sprintf("%d processes could not be read", l.unread))
	}
	all, others := unreadTables(listed, l.host.UID.Or(0))
	if why := unreadWords(all+int(l.unlisted.all.Load()), others+int(l.unlisted.others.Load())); why != "" {
		l.complain(inventory.GapDescriptors, why)
	}
	if why := l.scanner.patience.complaint(); why != "" {
		l.complain(inventory.GapSilent, why)
	}
	if l.net.tooMany {
		l.complain(inventory.GapSockets, fmt.Sprintf("more than %d sockets: who listens could not be read", maxSockets))
	}
	return sourceOf(l.gaps, l.complaints, missing)
}
