package scan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"syscall"

	"github.com/reaperd/reaperd/internal/inventory"
)

// TCP states as sock_diag and /proc/net/tcp number them.
const (
	tcpEstablished = 1
	tcpFinWait1    = 4
	tcpFinWait2    = 5
	tcpTimeWait    = 6
	tcpClose       = 7
	tcpCloseWait   = 8
	tcpLastAck     = 9
	tcpListen      = 10
	tcpClosing     = 11
	// udpBound is no state of the kernel's: a UDP socket that receives from anybody.
	udpBound = 0xff
)

// Families, message types and attributes of netlink and sock_diag
// (include/uapi/linux/{netlink,sock_diag,unix_diag,inet_diag}.h).
const (
	familyUnix  = 1
	familyIPv4  = 2
	familyIPv6  = 10
	protocolTCP = 6
	protocolUDP = 17

	netlinkError    = 2
	netlinkDone     = 3
	diagByFamily    = 20
	requestOne      = 0x001
	requestDump     = 0x301
	netlinkHeader   = 16
	unixShowName    = 1
	unixShowPeer    = 4
	unixShowWaiting = 8
	unixShowQueue   = 16
	unixShowUID     = 64
	unixShowFile    = 2
	unixAttrName    = 0
	unixAttrFile    = 1
	unixAttrPeer    = 2
	unixAttrWaiting = 3
	unixAttrQueue   = 4
	unixAttrShut    = 6
	unixAttrUID     = 7
	unixStream      = 1
	unixDatagram    = 2
	unixMessageSize = 16
	inetMessageSize = 72
)

// tcpSocket is one end of a TCP connection, or a listening socket, or a bound UDP
// socket. Inode 0 is no process's (TIME_WAIT, or not accepted yet).
type tcpSocket struct {
	local, remote netip.AddrPort
	state         uint8
	inode         uint64
	uid           int
}

// unixSocket is a Unix socket. If it is connected, peer is the inode of the other
// end, or 0 if that is closed or not accepted yet; else hasPeer is false.
type unixSocket struct {
	inode   uint64
	state   uint8
	kind    uint8 // unixStream, unixDatagram or another
	name    string
	peer    uint64
	hasPeer bool
	shut    uint8      // bothWays means that nothing can be received nor sent any more
	queued  uint32     // bytes to be received, of a stream; connections to be accepted, of a listener
	uid     int        // its maker's; -1 is not known
	file    socketFile // of a listener, and of what it accepted; zero is none
	// waiting are the inodes of those that have connected to a listener and that it has
	// not accepted yet. The kernel lists no socket of its own for them.
	waiting []uint64
}

// socketFile is the device and inode of a socket's file, as far as sock_diag tells them.
type socketFile struct{ device, inode uint32 }

// bothWays is SHUTDOWN_MASK (include/net/sock.h).
const bothWays = 3

// other tells whether anybody may have the other end. Of a connection that was not accepted
// yet nobody has it, and somebody will. A datagram socket is never shut down when its only
// peer is closed; if it has a name, somebody else may send to it.
func (u *unixSocket) other() inventory.Peer {
	switch {
	case !u.hasPeer:
		return inventory.PeerUnknown
	case u.peer == 0 && (u.shut == bothWays || u.kind == unixDatagram && u.name == ""):
		return inventory.PeerClosed
	}
	return inventory.PeerOpen
}

// unixRequest asks for the Unix socket of one inode, or with inode 0 for all
// in the given states.
func unixRequest(sequence uint32, inode uint64, states uint32) []byte {
	message := diagHeader(sequence, inode == 0, 24)
	body := message[netlinkHeader:]
	body[0] = familyUnix
	binary.NativeEndian.PutUint32(body[4:], states)
	binary.NativeEndian.PutUint32(body[8:], uint32(inode))
	binary.NativeEndian.PutUint32(body[12:], unixShowName|unixShowFile|unixShowPeer|unixShowWaiting|unixShowQueue|unixShowUID)
	binary.NativeEndian.PutUint64(body[16:], ^uint64(0)) // any cookie
	return message
}

// inetRequest asks for all sockets of a family and protocol in the given states.
func inetRequest(sequence uint32, family, protocol uint8, states uint32) []byte {
	message := diagHeader(sequence, true, 56)
	body := message[netlinkHeader:]
	body[0], body[1] = family, protocol
	binary.NativeEndian.PutUint32(body[4:], states)
	return message
}

func diagHeader(sequence uint32, dump bool, body int) []byte {
	message := make([]byte, netlinkHeader+body)
	binary.NativeEndian.PutUint32(message, uint32(len(message)))
	binary.NativeEndian.PutUint16(message[4:], diagByFamily)
	flags := uint16(requestOne)
	if dump {
		flags = requestDump
	}
	binary.NativeEndian.PutUint16(message[6:], flags)
	binary.NativeEndian.PutUint32(message[8:], sequence)
	return message
}

// isDump reports a request that is answered with many replies and an end mark.
func isDump(request []byte) bool {
	return binary.NativeEndian.Uint16(request[6:]) == requestDump
}

var errDiag = errors.New("malformed sock_diag reply")

// diagReplies passes the body of each reply in a datagram to take, and reports
// whether the answer is complete. An error of the kernel is a [syscall.Errno].
func diagReplies(datagram []byte, take func(body []byte) error) (done bool, err error) {
	for len(datagram) >= netlinkHeader {
		length := int(binary.NativeEndian.Uint32(datagram))
		if length < netlinkHeader || length > len(datagram) {
			return false, errDiag
		}
		body := datagram[netlinkHeader:length]
		switch binary.NativeEndian.Uint16(datagram[4:]) {
		case netlinkDone:
			return true, nil
		case netlinkError:
			return true, diagError(body)
		case diagByFamily:
			if err := take(body); err != nil {
				return false, err
			}
		}
		datagram = datagram[min(len(datagram), (length+3)&^3):]
	}
	return false, nil
}

func diagError(body []byte) error {
	if len(body) < 4 {
		return errDiag
	}
	if code := int32(binary.NativeEndian.Uint32(body)); code != 0 {
		return syscall.Errno(-code)
	}
	return nil
}

// parseUnix reads one unix_diag_msg with its attributes.
func parseUnix(body []byte) (unixSocket, error) {
	if len(body) < unixMessageSize || body[0] != familyUnix {
		return unixSocket{}, errDiag
	}
	s := unixSocket{kind: body[1], state: body[2], inode: uint64(binary.NativeEndian.Uint32(body[4:])), uid: -1}
	for rest := body[unixMessageSize:]; len(rest) >= 4; {
		length, kind := int(binary.NativeEndian.Uint16(rest)), binary.NativeEndian.Uint16(rest[2:])
		if length < 4 || length > len(rest) {
			return unixSocket{}, errDiag
		}
		switch value := rest[4:length]; {
		case kind == unixAttrName:
			s.name = socketName(value)
		case kind == unixAttrFile && len(value) == 8:
			s.file = socketFile{inode: binary.NativeEndian.Uint32(value), device: binary.NativeEndian.Uint32(value[4:])}
		case kind == unixAttrPeer && len(value) == 4:
			s.peer, s.hasPeer = uint64(binary.NativeEndian.Uint32(value)), true
		case kind == unixAttrQueue && len(value) == 8:
			s.queued = binary.NativeEndian.Uint32(value)
		case kind == unixAttrShut && len(value) == 1:
			s.shut = value[0]
		case kind == unixAttrUID && len(value) == 4:
			s.uid = int(binary.NativeEndian.Uint32(value))
		case kind == unixAttrWaiting:
			for ; len(value) >= 4; value = value[4:] {
				s.waiting = append(s.waiting, uint64(binary.NativeEndian.Uint32(value)))
			}
		}
		rest = rest[min(len(rest), (length+3)&^3):]
	}
	return s, nil
}

// socketName is a bound name as /proc/net/unix writes it: a path, or an
// abstract name behind an @.
func socketName(name []byte) string {
	if len(name) > 0 && name[0] == 0 {
		return "@" + strings.ReplaceAll(string(name[1:]), "\x00", "@")
	}
	return strings.TrimRight(string(name), "\x00")
}

// parseInet reads one inet_diag_msg.
func parseInet(body []byte) (tcpSocket, error) {
	if len(body) < inetMessageSize {
		return tcpSocket{}, errDiag
	}
	size := 4
	switch body[0] {
	case familyIPv4:
	case familyIPv6:
		size = 16
	default:
		return tcpSocket{}, fmt.Errorf("%w: family %d", errDiag, body[0])
	}
	end := func(port, address int) netip.AddrPort {
		addr, _ := netip.AddrFromSlice(body[address : address+size])
		return netip.AddrPortFrom(addr.Unmap(), binary.BigEndian.Uint16(body[port:]))
	}
	return tcpSocket{state: body[1], local: end(4, 8), remote: end(6, 24), uid: int(binary.NativeEndian.Uint32(body[64:])), inode: uint64(binary.NativeEndian.Uint32(body[68:]))}, nil
}
