package scan

import (
	"iter"
	"net/netip"
	"slices"

	"github.com/reaperd/reaperd/internal/darwin"
	"github.com/reaperd/reaperd/internal/inventory"
)

// linuxState is the state of a TCP connection in the numbers of [sockets]; 0 if it
// does not matter. An end that has closed its side, or waits for the other's, counts
// as closed.
func linuxState(state darwin.State) uint8 {
	const (
		closed    = 0
		closeWait = 5
		closing   = 7
		lastAck   = 8
	)
	switch state {
	case darwin.StateListen:
		return tcpListen
	case darwin.StateEstablished:
		return tcpEstablished
	case darwin.StateTimeWait:
		return tcpTimeWait
	case closed:
		return tcpClose
	case closeWait:
		return tcpCloseWait
	case closing:
		return tcpClosing
	case lastAck:
		return tcpLastAck
	}
	return 0
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
		tcp = append(tcp, tcpSocket{local: socket.Local, remote: socket.Remote, state: linuxState(socket.State), inode: socket.Handle})
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
		peer: socket.Peer, hasPeer: socket.Other() != darwin.EndUnknown}
	if socket.Listening {
		found.state = tcpListen
	}
	return found
}

// otherEnd is the handle of a connection's other end on this host; 0 is none.
func (l *macLook) otherEnd(socket darwin.TCP) uint64 {
	all, err := l.readTCP()
	if err != nil {
		return 0
	}
	if i, ok := all.tcpByEnds[[2]netip.AddrPort{socket.Remote, socket.Local}]; ok {
		return all.tcp[i].inode
	}
	return 0
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
	ours := l.treeSockets(i)
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
		case socket.IsUnix() && socket.Listening:
			found.unix = append(found.unix, socket.Path)
		}
	}
	return found
}

// treeSockets are the sockets of the tree a process belongs to: of the root above
// the candidate at or above it (itself if there is none), and of all below that.
func (l *macLook) treeSockets(i int) map[uint64]bool {
	if nearest := l.members[i].nearest; nearest >= 0 {
		i = nearest
	}
	root := rootAbove(l, i, len(l.members))
	top := &l.members[root]
	if top.tree == nil {
		top.tree = socketsBelow(l, root)
	}
	return top.tree
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

func (l *macLook) children(i int) iter.Seq[int] { return slices.Values(l.below[i]) }
