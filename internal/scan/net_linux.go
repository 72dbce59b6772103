package scan

import (
	"cmp"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// netReader asks the kernel for sockets, each question once a look. It is safe for
// concurrent use.
type netReader struct {
	mu       sync.Mutex
	fd       int // sock_diag; -1 is not open
	failure  error
	most     int  // how many sockets of a namespace are read
	tooMany  bool // there are more sockets than are read
	sequence uint32
	buf      []byte
	own      uint64 // network namespace the asking is done in; 0 is unknown
	answers  map[netQuestion]netAnswer
}

// netQuestion is what is asked of a network namespace.
type netQuestion struct {
	what  netSubject
	space uint64
}

type netAnswer struct {
	sockets *sockets
	err     error
}

type netSubject uint8

const (
	everything netSubject = iota // but UDP
	listening                    // what listens, alone
	receiving                    // UDP and Unix sockets that receive datagrams from anybody
)

// maxSockets is how many sockets of a network namespace are read. A user can open any
// number; beyond the limit it is not known who listens and who is connected.
const maxSockets = 1 << 18

// newNetReader opens its socket when that is needed; if it cannot, every answer is that
// error.
func newNetReader() *netReader {
	return &netReader{fd: -1, answers: map[netQuestion]netAnswer{}, most: maxSockets}
}

// ownSpace is the network namespace in which sockets are asked for. It is this
// thread's, read from the real /proc, whichever process table is read.
func (n *netReader) ownSpace() uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fd < 0 && n.failure == nil {
		n.own, _ = namespaceAt(unix.AT_FDCWD, "/proc/thread-self/ns/net")
		n.open()
	}
	return n.own
}

// open opens the way to ask anew.
func (n *netReader) open() {
	n.close()
	n.failure, n.buf = nil, make([]byte, 64<<10)
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
	n.ownSpace()
	n.mu.Lock()
	defer n.mu.Unlock()
	var found unixSocket
	n.sequence++
	err := n.exchange(unixRequest(n.sequence, inode, ^uint32(0)), func(body []byte) (err error) {
		found, err = parseUnix(body)
		return err
	})
	return found, err
}

// netRequest is the states that are asked for, of a protocol and of Unix sockets. What
// receives datagrams from anybody is in the state of a closed connection.
type netRequest struct {
	protocol   uint8
	inet, unix uint32
}

const connectedStates = 1<<tcpEstablished | 1<<tcpFinWait1 | 1<<tcpFinWait2 | 1<<tcpTimeWait | 1<<tcpCloseWait | 1<<tcpLastAck | 1<<tcpClosing

func requestFor(what netSubject) netRequest {
	switch what {
	case listening:
		return netRequest{protocolTCP, 1 << tcpListen, 1 << tcpListen}
	case receiving:
		return netRequest{protocolUDP, 1 << tcpClose, 1 << tcpClose}
	}
	return netRequest{protocolTCP, connectedStates | 1<<tcpListen | 1<<tcpClose, 1<<tcpEstablished | 1<<tcpListen | 1<<tcpClose}
}

// dump reads sockets of the reader's own namespace.
func (n *netReader) dump(what netSubject) (*sockets, error) {
	count, ask := 0, requestFor(what)
	var inet []tcpSocket
	for _, family := range []uint8{familyIPv4, familyIPv6} {
		n.sequence++
		err := n.exchange(inetRequest(n.sequence, family, ask.protocol, ask.inet), func(body []byte) error {
			socket, err := parseInet(body)
			if what == receiving {
				socket.state = udpBound
			}
			inet = append(inet, socket)
			return cmp.Or(err, n.counted(&count))
		})
		err = n.stopped(err)
		if err != nil && !errors.Is(err, unix.ENOENT) { // no such family here
			return nil, err
		}
	}
	local, err := n.dumpUnix(ask.unix, &count)
	if err != nil {
		return nil, err
	}
	return newSockets(inet, local, true), nil
}

// dumpUnix reads the Unix sockets in some states, and counts them.
func (n *netReader) dumpUnix(states uint32, count *int) (all []unixSocket, err error) {
	n.sequence++
	err = n.exchange(unixRequest(n.sequence, 0, states), func(body []byte) error {
		socket, err := parseUnix(body)
		all = append(all, socket)
		return cmp.Or(err, n.counted(count))
	})
	return all, n.stopped(err)
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

// ask answers a question, once a look.
func (n *netReader) ask(what netSubject, space uint64, read func() (*sockets, error)) (*sockets, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	answer, ok := n.answers[netQuestion{everything, space}]
	if what != everything && (!ok || what == receiving) {
		answer, ok = n.answers[netQuestion{what, space}]
	}
	if !ok {
		answer.sockets, answer.err = read()
		n.answers[netQuestion{what, space}] = answer
	}
	return answer.sockets, answer.err
}

// of returns the sockets of the process's network namespace: its own by
// sock_diag, another by that process's files.
func (n *netReader) of(h *handle) (*sockets, error) {
	space, ok := h.namespace("net")
	switch {
	case !ok:
		return nil, unix.EACCES
	case space == n.ownSpace():
		return n.here()
	}
	return n.ask(everything, space, h.netFiles)
}

// here returns the sockets of the reader's own namespace.
func (n *netReader) here() (*sockets, error) {
	return n.ask(everything, n.ownSpace(), func() (*sockets, error) { return n.dump(everything) })
}

// listenersOf returns at least the listening sockets of the process's network
// namespace. Asking for these only spares the kernel a walk over its whole table.
func (n *netReader) listenersOf(h *handle) (*sockets, error) {
	if space, ok := h.namespace("net"); !ok || space != n.ownSpace() {
		return n.of(h)
	}
	return n.ask(listening, n.own, func() (*sockets, error) { return n.dump(listening) })
}

// receiversOf returns the sockets of the process's network namespace that receive datagrams
// from anybody. Few processes have any, and the kernel walks over a large table.
func (n *netReader) receiversOf(h *handle) (*sockets, error) {
	space, ok := h.namespace("net")
	switch {
	case !ok:
		return nil, unix.EACCES
	case space == n.ownSpace():
		return n.ask(receiving, space, func() (*sockets, error) { return n.dump(receiving) })
	}
	return n.ask(receiving, space, func() (*sockets, error) {
		udp, err := h.netInet(true, "net/udp", "net/udp6")
		return newSockets(udp, nil, false), err
	})
}

// netFiles reads the sockets of a process's network namespace from its files.
func (h *handle) netFiles() (*sockets, error) {
	tcp, err := h.netInet(false, "net/tcp", "net/tcp6")
	if err != nil {
		return nil, err
	}
	data, err := h.r.whole(h.dir, h.below+"net/unix")
	if err != nil {
		return nil, err
	}
	local, err := parseNetUnix(string(data))
	return newSockets(tcp, local, false), err
}

func (h *handle) netInet(udp bool, names ...string) (all []tcpSocket, err error) {
	for i, name := range names {
		data, err := h.r.whole(h.dir, h.below+name)
		if err == unix.ENOENT && i > 0 && h.alive() {
			continue // no IPv6 here
		}
		if err != nil {
			return nil, err
		}
		found, err := parseNetTCP(string(data), udp)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
