package scan

import (
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

// attachSocket is the end of the name of a monitor's socket. The rest is the monitor's own
// way to it.
const attachSocket = "/attach"

// clientSockets are the Unix sockets of a network namespace, by inode.
type clientSockets map[uint64]unixSocket

// acceptedAt lists the clients' ends of the live connections to the engine that listens at a
// file, and of those that it has not accepted yet, with the listening sockets. Connections of
// clients in other network namespaces are not among them: the kernel puts the engine's end of a
// connection into its client's namespace.
//
// A socket of the same name at another file is another engine's, bound in another mount namespace. But
// some file systems tell the file otherwise than the kernel does: there the names decide.
func (all clientSockets) acceptedAt(file socketFile, names []string) (peers, listeners []uint64) {
	if peers, listeners = all.boundTo(file, nil); len(listeners) > 0 {
		return peers, listeners
	}
	return all.boundTo(file, names)
}

func (all clientSockets) boundTo(file socketFile, names []string) (peers, listeners []uint64) {
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
	c := inventory.Connection{ID: "socket:[" + strconv.FormatUint(peer, 10) + "]", PIDs: pids}
	if client, here := all[peer]; here && client.uid >= 0 {
		c.UID = inventory.Known(client.uid)
	}
	return c
}
