package scan

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Clients are who is connected to container engines and to the monitors of containers.
type Clients struct {
	// Engines are the connections to each socket that was asked about, by its path. They are
	// unreadable where not all of them are known.
	Engines map[string]inventory.Fact[[]inventory.Connection]
	// Attached are the connections to the attach socket of each container of podman's, by the
	// container's id.
	Attached map[string]inventory.Fact[[]inventory.Connection]
}

// Attributes of sock_diag's answer about a Unix socket, and what asks for them
// (include/uapi/linux/unix_diag.h).
const (
	showSocketFile = 2
	showOwner      = 64
	attrSocketFile = 1
	attrOwner      = 7
)

// attachSocket is the end of the name of a monitor's socket. The rest is the monitor's own
// way to it.
const attachSocket = "/attach"

// clientSocket is a Unix socket: one of an engine's, or that of its client.
type clientSocket struct {
	unixSocket
	file socketFile // of the listener that accepted it; zero is none
	uid  inventory.Fact[int]
}

// socketFile is the device and inode of a socket's file, as far as sock_diag tells them.
type socketFile struct{ device, inode uint32 }

// clientsRequest asks for all Unix sockets that are connected or listen.
func clientsRequest(sequence uint32) []byte {
	message := unixRequest(sequence, 0, 1<<tcpEstablished|1<<tcpListen)
	binary.NativeEndian.PutUint32(message[netlinkHeader+12:], unixShowName|unixShowPeer|unixShowWaiting|showSocketFile|showOwner)
	return message
}

// parseClient reads one answer to [clientsRequest].
func parseClient(body []byte) (clientSocket, error) {
	base, err := parseUnix(body)
	s := clientSocket{unixSocket: base}
	if err != nil {
		return s, err
	}
	for rest := body[unixMessageSize:]; len(rest) >= 4; {
		length, kind := int(binary.NativeEndian.Uint16(rest)), binary.NativeEndian.Uint16(rest[2:])
		switch value := rest[4:length]; {
		case kind == attrSocketFile && len(value) == 8:
			s.file = socketFile{inode: binary.NativeEndian.Uint32(value), device: binary.NativeEndian.Uint32(value[4:])}
		case kind == attrOwner && len(value) == 4:
			s.uid = inventory.Known(int(binary.NativeEndian.Uint32(value)))
		}
		rest = rest[min(len(rest), (length+3)&^3):]
	}
	return s, nil
}

// clientSockets are the Unix sockets of a network namespace, by inode.
type clientSockets map[uint64]clientSocket

// acceptedAt lists the clients' ends of the live connections to the engine that listens at a
// file, and of those that it has not accepted yet, with the listening sockets. Connections of
// clients in other network namespaces are not among them: the kernel puts the engine's end of a
// connection into its client's namespace.
func (all clientSockets) acceptedAt(file socketFile, names []string) (peers, listeners []uint64) {
	for inode, s := range all {
		if s.file != file && !slices.Contains(names, s.name) {
			continue
		}
		peers = append(peers, s.waiting...)
		if s.state == tcpListen {
			listeners = append(listeners, inode)
		} else {
			peers = append(peers, s.peer)
		}
	}
	return slices.DeleteFunc(peers, func(peer uint64) bool { return peer == 0 }), listeners
}

// attached lists the clients' ends of the live connections that a monitor with these sockets
// has accepted.
func (all clientSockets) attached(own []uint64) (peers []uint64) {
	for _, inode := range own {
		if s, open := all[inode]; open && s.state == tcpEstablished && s.peer != 0 && strings.HasSuffix(s.name, attachSocket) {
			peers = append(peers, s.peer)
		}
	}
	return peers
}

// connection is the connection whose client's end has that inode. The client may be in
// another network namespace: then its user is not known.
func (all clientSockets) connection(peer uint64, pids []int) inventory.Connection {
	return inventory.Connection{ID: "socket:[" + strconv.FormatUint(peer, 10) + "]", PIDs: pids, UID: all[peer].uid}
}
