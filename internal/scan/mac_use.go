package scan

import (
	"iter"

	"github.com/reaperd/reaperd/internal/darwin"
	"github.com/reaperd/reaperd/internal/inventory"
)

// linuxState is the state of a TCP connection in the numbers of [sockets]; 0 if it
// does not matter. The table is in the order of TSI_S_… of bsd/sys/proc_info.h.
func linuxState(state darwin.State) uint8 {
	table := [...]uint8{
		tcpClose, tcpListen, 0, 0 /* SYN sent and received */, tcpEstablished,
		tcpCloseWait, tcpFinWait1, tcpClosing, tcpLastAck, tcpFinWait2, tcpTimeWait,
	}
	if int(state) >= len(table) {
		return 0
	}
	return table[state]
}

// readTCP reads the host's TCP sockets, once a look.
func (l *macLook) readTCP() (*sockets, error) {
	if l.tcp != nil || l.tcpErr != nil {
		return l.tcp, l.tcpErr
	}
	all, err := darwin.TCPSockets(l.kernel)
	if err != nil {
		l.tcpErr = err
		return nil, err
	}
	l.tcp = l.socketsOf(all)
	return l.tcp, nil
}

// socketsOf adds the Unix sockets of every process that may be read: a connection
// that a listener accepts belongs to its own process or to a child.
func (l *macLook) socketsOf(all []darwin.TCP) *sockets {
	tcp := make([]tcpSocket, 0, len(all))
	for _, socket := range all {
		tcp = append(tcp, tcpOf(socket))
	}
	var local []unixSocket
	for i := range l.members {
		for _, socket := range l.readEnds().sockets[i] {
			if socket.IsUnix() {
				local = append(local, unixOf(socket))
			}
		}
	}
	return newSockets(tcp, local, true)
}

func unixOf(socket darwin.Socket) unixSocket {
	found := unixSocket{inode: socket.Handle, state: tcpEstablished, name: socket.Path,
		peer: socket.Peer, hasPeer: socket.Other() != darwin.EndUnknown, uid: -1}
	if socket.Listening {
		found.state = tcpListen
	}
	if socket.Other() == darwin.EndClosed {
		found.shut = bothWays
	}
	return found
}

func tcpOf(socket darwin.TCP) tcpSocket {
	return tcpSocket{local: socket.Local, remote: socket.Remote, state: linuxState(socket.State), inode: socket.Handle, uid: -1}
}

// tcpEnd is a connection's other end, and its handle if that is on this host.
func (l *macLook) tcpEnd(socket darwin.TCP) (inventory.Peer, uint64) {
	all, err := l.readTCP()
	if err != nil {
		return peerOfState(linuxState(socket.State)), 0
	}
	return all.tcpEnd(tcpOf(socket))
}

// readUse finds out of each related process whether it listens, and how many
// connections come from outside its tree.
func (l *macLook) readUse() {
	for i := range l.members {
		member := &l.members[i]
		if member.related && !member.gone && member.process.Alive() && member.process.PID != 1 {
			l.readUseOf(i)
		}
	}
}

func (l *macLook) readUseOf(i int) {
	process := l.members[i].process
	_, own := l.endsOf(i)
	if l.tableOf(i).err != nil || process.OpenFDs.IsUnreadable() {
		process.Listening, process.Connections = inventory.Unreadable[bool](), inventory.Unreadable[int]()
		return
	}
	at := listenersAmong(own)
	process.Listening, process.Connections = inventory.Known(!at.none()), inventory.Known(0)
	if at.none() {
		return
	}
	process.ListenPorts = at.ports()
	process.Connections = l.connectionsTo(i, at)
}

// connectionsTo counts the connections to a process's listeners from outside its
// tree, other users' among them: the accepting end is the process's own.
func (l *macLook) connectionsTo(i int, at listeners) inventory.Fact[int] {
	all, err := l.readTCP()
	if err != nil {
		return inventory.Unreadable[int]()
	}
	ours := treeSockets(l, i, len(l.members))
	count, known := all.connections(at, func(handle uint64) bool { return ours[handle] })
	if !known {
		return inventory.Unreadable[int]()
	}
	return inventory.Known(count)
}

func listenersAmong(own []darwin.Socket) listeners {
	var found listeners
	for _, socket := range own {
		switch {
		case socket.IsTCP() && (socket.Listening || socket.TCP.State == darwin.StateListen):
			found.tcp = append(found.tcp, socket.TCP.Local)
		case socket.IsUnix() && socket.Listening && !isOfPlugin(socket.Path):
			found.unix = append(found.unix, socket.Path)
		}
	}
	return found
}

func (l *macLook) stdin(i int) inventory.Fact[inventory.Stdio] { return l.members[i].process.Stdin }

func (l *macLook) sockets(i int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for _, socket := range l.readEnds().sockets[i] {
			if !yield(socket.Handle) {
				return
			}
		}
	}
}

func (l *macLook) at(i int) *standing { return &l.members[i].standing }

func (l *macLook) appendChildren(to []int, i int) []int { return append(to, l.below[i]...) }
