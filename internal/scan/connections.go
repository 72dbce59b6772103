package scan

import (
	"net/netip"
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
)

// sockets are the sockets of one network namespace, indexed. The zero value has none.
type sockets struct {
	tcp  []tcpSocket
	unix []unixSocket
	// peers means that the other ends of Unix sockets are known.
	peers bool

	tcpByInode  map[uint64]int
	unixByInode map[uint64]int
	tcpByEnds   map[[2]netip.AddrPort]int
}

// newSockets indexes sockets.
func newSockets(tcp []tcpSocket, unix []unixSocket, peers bool) *sockets {
	s := &sockets{tcp: tcp, unix: unix, peers: peers,
		tcpByInode:  make(map[uint64]int, len(tcp)),
		unixByInode: make(map[uint64]int, len(unix)),
		tcpByEnds:   make(map[[2]netip.AddrPort]int, len(tcp)),
	}
	for i, socket := range tcp {
		if socket.inode != 0 {
			s.tcpByInode[socket.inode] = i
		}
		s.tcpByEnds[[2]netip.AddrPort{socket.local, socket.remote}] = i
	}
	for i, socket := range unix {
		if socket.inode != 0 {
			s.unixByInode[socket.inode] = i
		}
	}
	return s
}

// listeners are the listening sockets among some process's.
type listeners struct {
	tcp  []netip.AddrPort
	unix []string
}

func (l listeners) none() bool { return len(l.tcp) == 0 && len(l.unix) == 0 }

// ports are the TCP ports, in order.
func (l listeners) ports() []int {
	var ports []int
	for _, at := range l.tcp {
		ports = append(ports, int(at.Port()))
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// listening finds the listening sockets among a process's inodes.
func (s *sockets) listening(inodes []uint64) listeners {
	var found listeners
	for _, inode := range inodes {
		if i, ok := s.tcpByInode[inode]; ok && s.tcp[i].state == tcpListen {
			found.tcp = append(found.tcp, s.tcp[i].local)
		}
		if i, ok := s.unixByInode[inode]; ok && s.unix[i].state == tcpListen {
			found.unix = append(found.unix, s.unix[i].name)
		}
	}
	return found
}

// connections counts the connections to the listeners whose other end is not the tree's
// own; ours reports a socket of the tree. It returns false if there are Unix
// connections whose other end cannot be told.
func (s *sockets) connections(l listeners, ours func(inode uint64) bool) (count int, known bool) {
	if len(l.tcp) > 0 {
		count = s.tcpConnections(l.tcp, ours)
	}
	known = true
	for _, name := range l.unix {
		n, told := s.unixConnections(name, ours)
		count += n
		known = known && told
	}
	return count, known
}

func (s *sockets) tcpConnections(at []netip.AddrPort, ours func(uint64) bool) int {
	count := 0
	for _, socket := range s.tcp {
		switch socket.state {
		case tcpEstablished:
			if accepts(at, socket.local) && !s.otherEndIs(socket, ours) {
				count++
			}
		case tcpTimeWait:
			if accepts(at, socket.local) || isHere(socket) && accepts(at, socket.remote) {
				count++
			}
		}
	}
	return count
}

// otherEndIs reports that the other end of a connection is in the same namespace and
// belongs to the tree.
func (s *sockets) otherEndIs(socket tcpSocket, ours func(uint64) bool) bool {
	i, ok := s.tcpByEnds[[2]netip.AddrPort{socket.remote, socket.local}]
	return ok && s.tcp[i].inode != 0 && ours(s.tcp[i].inode)
}

// accepts reports that one of the listeners listens at a connection's end.
func accepts(at []netip.AddrPort, end netip.AddrPort) bool {
	for _, listener := range at {
		if listener.Port() == end.Port() && (listener.Addr().IsUnspecified() || listener.Addr() == end.Addr()) {
			return true
		}
	}
	return false
}

// isHere reports that both ends of a connection are on this machine. The side that
// closes first keeps the TIME_WAIT: with a local connection, that may be its side.
func isHere(socket tcpSocket) bool {
	return socket.remote.Addr().IsLoopback() || socket.remote.Addr() == socket.local.Addr()
}

// unixConnections counts the connections to the listener of that name, and those that it
// has not accepted yet. The sockets that it accepts have its name.
func (s *sockets) unixConnections(name string, ours func(uint64) bool) (count int, known bool) {
	known = true
	for _, socket := range s.unix {
		if socket.name != name || name == "" {
			continue
		}
		for _, waiting := range socket.waiting {
			if waiting != 0 && !ours(waiting) { // 0 has hung up
				count++
			}
		}
		if socket.state != tcpEstablished {
			continue
		}
		known = known && s.peers
		if socket.hasPeer && socket.peer != 0 && !ours(socket.peer) {
			count++
		}
	}
	return count, known
}

// peerOfState is the state of the other end that a TCP state implies: it has closed,
// or the connection has ended.
func peerOfState(state uint8) inventory.Peer {
	switch state {
	case tcpEstablished:
		return inventory.PeerOpen
	case tcpCloseWait, tcpClose, tcpLastAck, tcpClosing:
		return inventory.PeerClosed
	}
	return inventory.PeerUnknown
}
