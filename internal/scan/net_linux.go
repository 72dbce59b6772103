package scan

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// netReader asks the kernel for sockets, each namespace once a look. unixSocket and
// of are safe for concurrent use.
type netReader struct {
	mu       sync.Mutex
	fd       int // sock_diag; -1 is not open
	failure  error
	most     int  // how many sockets of a namespace are read
	tooMany  bool // there are more sockets than are read
	sequence uint32
	buf      []byte
	own      uint64 // network namespace the asking is done in; 0 is unknown
	spaces   map[uint64]namespaceSockets
	// listening are the listening sockets alone of the own namespace.
	listening namespaceSockets
}

type namespaceSockets struct {
	sockets *sockets
	err     error
}

// maxSockets is how many sockets of a network namespace are read. A user can open any
// number; beyond the limit it is not known who listens and who is connected.
const maxSockets = 1 << 18

// newNetReader uses buf for datagrams. It opens its socket when that is needed; if it
// cannot, every answer is that error.
func newNetReader(buf []byte) *netReader {
	n := &netReader{fd: -1, spaces: map[uint64]namespaceSockets{}, buf: buf, most: maxSockets}
	return n
}

// ownSpace is the network namespace in which sockets are asked for. It is this
// thread's, read from the real /proc, whichever process table is read.
func (n *netReader) ownSpace() uint64 {
	if n.fd < 0 && n.failure == nil {
		n.own, _ = namespaceAt(unix.AT_FDCWD, "/proc/thread-self/ns/net")
		n.open()
	}
	return n.own
}

// open opens the way to ask anew.
func (n *netReader) open() {
	n.close()
	n.failure = nil
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		n.failure = fmt.Errorf("open sock_diag: %w", err)
		return
	}
	n.fd = fd
	timeout := unix.Timeval{Sec: 2}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout); err != nil {
		n.failure = fmt.Errorf("open sock_diag: %w", err)
	}
}

func (n *netReader) close() {
	if n.fd >= 0 {
		unix.Close(n.fd)
		n.fd = -1
	}
}

// exchange sends one request and hands the body of each reply to take.
func (n *netReader) exchange(request []byte, take func([]byte) error) error {
	if n.failure != nil {
		return n.failure
	}
	if err := unix.Sendto(n.fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	for {
		size, _, err := unix.Recvfrom(n.fd, n.buf, unix.MSG_TRUNC)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			n.failure = fmt.Errorf("read sock_diag: %w", err)
			return n.failure
		}
		if size > len(n.buf) {
			n.failure = errDiag
			return errDiag
		}
		taken := 0
		done, err := diagReplies(n.buf[:size], func(body []byte) error { taken++; return take(body) })
		if err != nil && !done {
			n.failure = err // what follows could be taken for another answer
		}
		if err != nil || done || !isDump(request) && taken > 0 {
			return err
		}
	}
}

// unixSocket asks for one Unix socket of the reader's own network namespace;
// ENOENT is a socket that is none, or another namespace's.
func (n *netReader) unixSocket(inode uint64) (unixSocket, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ownSpace()
	var found unixSocket
	n.sequence++
	err := n.exchange(unixRequest(n.sequence, inode, ^uint32(0)), func(body []byte) (err error) {
		found, err = parseUnix(body)
		return err
	})
	return found, err
}

// The states that are asked for.
const (
	listeningStates = 1 << tcpListen
	allStates       = listeningStates | 1<<tcpEstablished | 1<<tcpTimeWait | 1<<tcpClose | 1<<tcpCloseWait | 1<<tcpLastAck | 1<<tcpClosing
)

// dump reads the sockets of the reader's own namespace that are in one of the
// states.
func (n *netReader) dump(states uint32) (*sockets, error) {
	var tcp []tcpSocket
	count := 0
	for _, family := range []uint8{familyIPv4, familyIPv6} {
		n.sequence++
		err := n.exchange(inetRequest(n.sequence, family, states), func(body []byte) error {
			socket, err := parseInet(body)
			tcp = append(tcp, socket)
			return cmp.Or(err, n.counted(&count))
		})
		err = n.stopped(err)
		if err != nil && !errors.Is(err, unix.ENOENT) { // no such family here
			return nil, err
		}
	}
	var local []unixSocket
	n.sequence++
	err := n.exchange(unixRequest(n.sequence, 0, states&(1<<tcpEstablished|1<<tcpListen)), func(body []byte) error {
		socket, err := parseUnix(body)
		local = append(local, socket)
		return cmp.Or(err, n.counted(&count))
	})
	if err = n.stopped(err); err != nil {
		return nil, err
	}
	return newSockets(tcp, local, true), nil
}

var errTooMany = errors.New("too many sockets")

// counted counts one more socket, and is an error when there are too many.
func (n *netReader) counted(count *int) error {
	if *count++; *count > n.most {
		return errTooMany
	}
	return nil
}

// stopped notes that a dump was broken off because it is too long. Its remaining
// replies must not be taken for another answer.
func (n *netReader) stopped(err error) error {
	if errors.Is(err, errTooMany) {
		n.tooMany = true
		n.open()
	}
	return err
}

// of returns the sockets of the process's network namespace: its own by
// sock_diag, another by that process's files.
func (n *netReader) of(h *handle) (*sockets, error) {
	space, ok := h.namespace("net")
	if !ok {
		return nil, unix.EACCES
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if known, ok := n.spaces[space]; ok {
		return known.sockets, known.err
	}
	var read namespaceSockets
	if space == n.ownSpace() {
		read.sockets, read.err = n.dump(allStates)
	} else {
		read.sockets, read.err = h.netFiles()
	}
	n.spaces[space] = read
	return read.sockets, read.err
}

// listenersOf returns at least the listening sockets of the process's network
// namespace. Asking for these only spares the kernel a walk over its whole table.
func (n *netReader) listenersOf(h *handle) (*sockets, error) {
	space, ok := h.namespace("net")
	n.mu.Lock()
	if !ok || space != n.ownSpace() {
		n.mu.Unlock()
		return n.of(h)
	}
	defer n.mu.Unlock()
	if known, ok := n.spaces[n.own]; ok {
		return known.sockets, known.err
	}
	if n.listening == (namespaceSockets{}) {
		n.listening.sockets, n.listening.err = n.dump(listeningStates)
	}
	return n.listening.sockets, n.listening.err
}

// netFiles reads the sockets of a process's network namespace from its files.
func (h *handle) netFiles() (*sockets, error) {
	var tcp []tcpSocket
	for _, name := range []string{"net/tcp", "net/tcp6"} {
		data, err := h.r.whole(h.dir, h.below+name)
		if err == unix.ENOENT && name == "net/tcp6" && h.alive() {
			continue // no IPv6 here
		}
		if err != nil {
			return nil, err
		}
		found, err := parseNetTCP(string(data))
		if err != nil {
			return nil, err
		}
		tcp = append(tcp, found...)
	}
	data, err := h.r.whole(h.dir, h.below+"net/unix")
	if err != nil {
		return nil, err
	}
	local, err := parseNetUnix(string(data))
	return newSockets(tcp, local, false), err
}

// tcpPeer finds the other end of a TCP connection, and its inode if it is in the same
// namespace; false if the socket is no TCP connection.
func (n *netReader) tcpPeer(h *handle, inode uint64) (inventory.Peer, uint64, bool) {
	all, err := n.of(h)
	if err != nil {
		return inventory.PeerUnknown, 0, false
	}
	i, ok := all.tcpByInode[inode]
	if !ok {
		return inventory.PeerUnknown, 0, false
	}
	socket := all.tcp[i]
	peer := peerOfState(socket.state)
	if j, ok := all.tcpByEnds[[2]netip.AddrPort{socket.remote, socket.local}]; ok && peer == inventory.PeerOpen {
		return peer, all.tcp[j].inode, true
	}
	return peer, 0, true
}
