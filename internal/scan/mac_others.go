package scan

import "github.com/reaperd/reaperd/internal/darwin"

// attachOthers finds out who else may speak to a process of a server. What of it could not be
// read may be anybody's.
func (l *macLook) attachOthers(i int) {
	member := &l.members[i]
	if !member.whole || member.gone || !member.process.Alive() || member.process.PID == 1 {
		return
	}
	o, table := others{me: l.host.UID.Or(0)}, l.tableOf(i)
	all, err := l.readTCP()
	o.moreShare, o.moreCalled = table.err != nil || err != nil, table.err != nil || err != nil
	for at := 0; at < len(table.descriptors) && err == nil; at++ {
		fd := table.descriptors[at].FD
		switch kind := table.descriptors[at].Type; {
		case fd <= 2:
		case kind == darwin.TypePipe:
			if pipe, err := darwin.PipeAt(l.kernel, member.process.PID, fd); err != nil || pipe.Other() != darwin.EndClosed {
				l.addOther(&o, i, connection{other: pipe.Peer})
			}
		case kind == darwin.TypeSocket:
			socket, err := darwin.SocketAt(l.kernel, member.process.PID, fd)
			if c, ok := all.connection(socket.Handle); err != nil || ok && (c.other != 0 || c.blind) {
				l.addOther(&o, i, c)
			}
		}
	}
	o.record(member.process)
}

func (l *macLook) addOther(o *others, self int, c connection) {
	var pids []int
	holders := l.readEnds().holders[c.other]
	for _, i := range holders {
		if i != self && !isBelow(l, i, self, len(l.members)) {
			pids = append(pids, l.members[i].process.PID)
		}
	}
	o.add(c, pids, c.other != 0 && len(holders) > 0)
}
