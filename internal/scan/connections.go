package scan

import (
	"fmt"
	"net/netip"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// sockets are the sockets of one network namespace, indexed. The zero value has none.
type sockets struct {
	tcp  []tcpSocket
	unix []unixSocket
	// peers means that the other ends of Unix sockets are known.
	peers bool
	// displays means that some of them listen for programs with windows.
	displays bool

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
		s.displays = s.displays || socket.state == tcpListen && isForwarded(socket.local)
	}
	for i, socket := range unix {
		if socket.inode != 0 {
			s.unixByInode[socket.inode] = i
		}
		s.displays = s.displays || socket.state == tcpListen && isDisplay(socket.name)
	}
	return s
}

// isDisplay reports the socket of an X11 or a Wayland display, by its name.
func isDisplay(name string) bool {
	folder, file := path.Split(name)
	return strings.HasSuffix(folder, "/.X11-unix/") && strings.HasPrefix(file, "X") || strings.HasPrefix(file, "wayland-")
}

// isForwarded reports a port at which sshd listens for windows that it shows elsewhere: from
// X11DisplayOffset on, which is 10 (sshd_config(5)).
func isForwarded(at netip.AddrPort) bool {
	const first, last = 6010, 6059
	return at.Addr().IsLoopback() && at.Port() >= first && at.Port() <= last
}

// isToDisplay reports a connection to a display.
func (s *sockets) isToDisplay(inode uint64) bool {
	if i, ok := s.tcpByInode[inode]; ok {
		return s.tcp[i].state == tcpEstablished && isForwarded(s.tcp[i].remote)
	}
	c, _ := s.connection(inode)
	i, ok := s.unixByInode[c.other]
	return ok && isDisplay(s.unix[i].name)
}

// listeners are the listening sockets among some process's.
type listeners struct {
	tcp  []netip.AddrPort
	unix []string
	// datagrams are received from anybody: who sends them cannot be told.
	datagrams bool
}

func (l listeners) none() bool { return len(l.tcp) == 0 && len(l.unix) == 0 && !l.datagrams }

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
		if i, ok := s.tcpByInode[inode]; ok {
			switch inet := &s.tcp[i]; {
			case inet.state == tcpListen:
				found.tcp = append(found.tcp, inet.local)
			case inet.state == udpBound:
				found.datagrams = found.datagrams || isServed(inet.local.Port()) || inet.local.Addr().IsLoopback()
			}
		}
		if i, ok := s.unixByInode[inode]; ok {
			switch local := &s.unix[i]; {
			case isOfPlugin(local.name):
			case local.state == tcpListen:
				found.unix = append(found.unix, local.name)
			case local.kind == unixDatagram && local.state == tcpClose:
				found.datagrams = found.datagrams || isMeant(local.name)
			}
		}
	}
	return found
}

// isServed reports a UDP port at which a program serves. At one that the kernel chose it waits
// for answers, unless it has asked for the loopback address, where others of this host call; at those of multicast DNS and SSDP programs look for each other in the
// network, browsers among them.
func isServed(port uint16) bool {
	const mdns, ssdp = 5353, 1900
	return isChosen(port) && port != mdns && port != ssdp
}

// isMeant reports a name that a program gave to a socket. The kernel gives one of five digits
// to a datagram socket that has none and wants answers.
func isMeant(name string) bool {
	return name != "" && !(name[0] == '@' && len(name) == len("@00000"))
}

// isChosen reports a port that a program has chosen: from some port on the kernel gives them
// to whoever asks for any. Where that cannot be read it is where it usually is.
func isChosen(port uint16) bool {
	first := 32768
	if words, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range"); err == nil {
		_, _ = fmt.Sscan(string(words), &first)
	}
	return int(port) < first
}

// isOfPlugin reports the socket that the docker CLI opens for its plugin alone, which it
// starts: "docker_cli_" and 32 hexadecimal digits, abstract or in the temporary folder
// (cli-plugins/socket of docker/cli).
func isOfPlugin(name string) bool {
	digits, ok := strings.CutPrefix(path.Base(strings.TrimPrefix(name, "@")), "docker_cli_")
	return ok && len(digits) == 32 && strings.Trim(digits, "0123456789abcdef") == ""
}

// connections counts the connections to the listeners whose other end is not the tree's
// own; ours reports a socket of the tree. It returns false if there are Unix
// connections whose other end cannot be told, or if none is found and datagrams are
// received.
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
	return count, known && (count > 0 || !l.datagrams)
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

// tcpEnd is the other end of a TCP connection, and its inode if some process has it here.
// If it has sent its last byte, it may still read: it is closed only if it was on this
// network namespace and nobody has it there any more. A packet filter may have given the
// connection another far address, so it is looked for by its own.
func (s *sockets) tcpEnd(socket tcpSocket) (inventory.Peer, uint64) {
	peer := peerOfState(socket.state)
	if peer != inventory.PeerOpen {
		return peer, 0
	}
	if i, ok := s.tcpByEnds[[2]netip.AddrPort{socket.remote, socket.local}]; ok && s.tcp[i].inode != 0 {
		return peer, s.tcp[i].inode
	}
	isThere := func(other tcpSocket) bool {
		return other.local == socket.remote && other.inode != 0 && other.state != tcpListen
	}
	if socket.state == tcpCloseWait && isHere(socket) && !slices.ContainsFunc(s.tcp, isThere) {
		peer = inventory.PeerClosed
	}
	return peer, 0
}

// peerOfState is the state of the other end that a TCP state alone implies: closed means
// that both directions are.
func peerOfState(state uint8) inventory.Peer {
	switch state {
	case tcpEstablished, tcpCloseWait, tcpFinWait1, tcpFinWait2:
		return inventory.PeerOpen
	case tcpClose, tcpLastAck, tcpClosing:
		return inventory.PeerClosed
	}
	return inventory.PeerUnknown
}

func (s *sockets) isUnix(inode uint64) bool {
	_, ok := s.unixByInode[inode]
	return ok
}

func (s *sockets) isListener(inode uint64) bool { return !s.listening([]uint64{inode}).none() }

// connection is what can be told of a socket's other end.
type connection struct {
	other  uint64 // its inode; 0 is nobody here
	called bool   // the connection was opened from this side, to somebody who listens
	uid    int    // whose the other end is; -1 is not known
	blind  bool   // somebody may have it who cannot be told
}

// connection tells about a socket's other end, if the socket is one of these.
func (s *sockets) connection(inode uint64) (c connection, ok bool) {
	if i, ok := s.unixByInode[inode]; ok {
		return s.unixConnection(&s.unix[i]), true
	}
	if i, ok := s.tcpByInode[inode]; ok {
		return s.tcpConnection(&s.tcp[i]), true
	}
	return c, false
}

// unixConnection: a connection that waits to be accepted is with whoever listens.
func (s *sockets) unixConnection(u *unixSocket) (c connection) {
	isWaiting := func(listener unixSocket) bool { return slices.Contains(listener.waiting, u.inode) }
	other, ok := s.unixByInode[u.peer]
	switch {
	case !s.peers:
		return connection{blind: u.state == tcpEstablished}
	case u.other() != inventory.PeerOpen:
		return c
	case u.peer == 0:
		if other = slices.IndexFunc(s.unix, isWaiting); other < 0 {
			return connection{blind: true}
		}
	case !ok: // it is in another network namespace
		return connection{other: u.peer, uid: -1}
	}
	peer := &s.unix[other]
	if isOfPlugin(u.name) || isOfPlugin(peer.name) {
		return c
	}
	return connection{other: peer.inode, called: u.name == "" && peer.name != "", uid: peer.uid}
}

// tcpConnection: who opened it shows by who listens. If nobody does any more, a port that
// the kernel does not give to callers is of the side that was called.
func (s *sockets) tcpConnection(t *tcpSocket) (c connection) {
	peer, inode := s.tcpEnd(*t)
	if peer != inventory.PeerOpen {
		return c
	}
	at := slices.IndexFunc(s.tcp, func(listener tcpSocket) bool {
		return listener.state == tcpListen && accepts([]netip.AddrPort{listener.local}, t.remote)
	})
	switch here := isHere(*t); {
	case inode != 0:
		other := s.tcp[s.tcpByInode[inode]]
		return connection{other: inode, called: at >= 0, uid: other.uid}
	case here && at >= 0:
		return connection{other: s.tcp[at].inode, called: true, uid: s.tcp[at].uid}
	}
	return connection{blind: isChosen(t.local.Port())}
}

// mayBeSentTo reports a socket in whose queue there may be descriptors: a stream that has
// nothing to be received has none, and other kinds of sockets never do.
func (s *sockets) mayBeSentTo(inode uint64) bool {
	if i, ok := s.unixByInode[inode]; ok {
		return s.unix[i].queued > 0 || s.unix[i].kind != unixStream && s.unix[i].state != tcpListen
	}
	_, isInet := s.tcpByInode[inode]
	return !isInet
}
