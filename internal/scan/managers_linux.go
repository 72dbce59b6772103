package scan

import (
	"context"
	"errors"
)

// readServices names the main processes of services. Their PIDs are those of the
// system's own namespace; if PID 1 is no service manager, there are none. Asking
// takes a message for each unit, so an answer is kept until a service may have
// started.
func (s *Scanner) readServices(ctx context.Context, l *look) {
	if !l.systemdRuns() || !s.mayHaveStarted(l) {
		return
	}
	units, err := s.services(ctx, l.host.UID.Or(-1) == 0)
	s.units.keep(struct{}{}, units, s.looks, rolling)
	if err != nil && (!errors.Is(err, errNoSystemd) || l.isSystemd()) {
		s.units.asOf = 0 // asked again at the next look
		l.complain(gapOfServices(err), "services could not be asked: "+err.Error())
	}
	for i, member := range l.members {
		if member != nil {
			member.process.Service = units[member.process.PID]
		}
		if record := s.slots[i].record; record != nil {
			record.process.Service = units[int(s.slots[i].pid)]
		}
	}
}

// mayHaveStarted reports that a service may have another main process than its
// manager last said: a process below a manager is new, or young enough to hand over.
func (s *Scanner) mayHaveStarted(l *look) bool {
	if !s.units.stands(struct{}{}, s.looks) {
		return true
	}
	for i := range s.slots {
		slot := &s.slots[i]
		if !slot.kernel && (slot.since > s.units.asOf || l.clocks.now.Sub(l.clocks.startedAt(slot.start)) < s.young) && l.belowManager(i) {
			return true
		}
	}
	return false
}

// belowManager reports that a process's parent may be a service manager.
func (l *look) belowManager(i int) bool {
	parent, listed := l.parent(i)
	ppid := l.slot(i).ppid
	return ppid == 1 || ppid > 1 && (!listed || l.slot(parent).systemd)
}

// systemdRuns reports whether the table's PID 1 may be systemd. It is not
// where the table is a container's; where PID 1 is hidden it may be.
func (l *look) systemdRuns() bool {
	i, ok := l.find(1)
	if !ok || l.members[i] == nil {
		return l.host.PIDNamespace == "init"
	}
	comm := l.members[i].process.Comm
	return comm == "systemd" || comm == "init"
}

// isSystemd reports whether process 1 calls itself systemd; as "init" it may be
// another.
func (l *look) isSystemd() bool {
	i, ok := l.find(1)
	return ok && l.slot(i).systemd
}
