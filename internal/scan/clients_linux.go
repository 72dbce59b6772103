package scan

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// readClients finds out who is connected to the engines' sockets and to the monitors of
// podman's containers. sock_diag tells that to every user; who has a client's end is known
// of the processes whose descriptors this user may read.
func (l *look) readClients() Clients {
	found := Clients{Engines: map[string]inventory.Fact[[]inventory.Connection]{}, Attached: map[string]inventory.Fact[[]inventory.Connection]{}}
	monitors, paths, sockets := l.monitors(), l.scanner.options.sockets(), l.clients
	for _, path := range paths {
		found.Engines[path] = inventory.Unreadable[[]inventory.Connection]()
		file, names, err := fileOf(path)
		if peers, listeners := sockets.acceptedAt(file, names); err == nil && len(listeners) > 0 {
			open := append(l.connections(sockets, peers), l.foreign(listeners, names)...)
			slices.SortFunc(open, func(a, b inventory.Connection) int { return cmp.Compare(a.ID, b.ID) })
			found.Engines[path] = inventory.Known(open)
		}
	}
	for id, monitor := range monitors {
		found.Attached[id] = inventory.Unreadable[[]inventory.Connection]()
		if table := l.tableOf(monitor); sockets != nil && table.err == nil {
			found.Attached[id] = inventory.Known(l.connections(sockets, sockets.attached(table.sockets())))
		}
	}
	return found
}

// monitors are the processes of podman's that let clients attach to a container, by the
// container's id.
func (l *look) monitors() map[string]int {
	monitors := map[string]int{}
	for i, member := range l.members {
		if member == nil || member.gone || !member.process.Alive() {
			continue
		}
		if id, monitor := member.process.Monitors(); monitor && id != "" && filepath.Base(member.process.Args()[0]) == "conmon" {
			monitors[id] = i
		}
	}
	return monitors
}

// fileOf is a socket's file as sock_diag tells it, and the names under which it may have been
// bound.
func fileOf(path string) (file socketFile, names []string, err error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return file, nil, err
	}
	real, err := filepath.EvalSymlinks(path)
	device := unix.Major(uint64(st.Dev))<<20 | unix.Minor(uint64(st.Dev)) // as the kernel writes it inside
	return socketFile{device: device, inode: uint32(st.Ino)}, []string{path, real}, err
}

// connections says who has these clients' ends open. Everybody's descriptors are read only
// where those that are read anyway do not tell. A connection that has ended meanwhile, as that
// of a `docker ps`, is left out.
func (l *look) connections(sockets clientSockets, peers []uint64) []inventory.Connection {
	open := make([]inventory.Connection, 0, len(peers))
	for _, peer := range peers {
		holders := l.holdersOfSocket(peer)
		if len(holders.pids) == 0 && l.net.hasEnded(sockets[peer]) {
			continue
		}
		for _, holder := range holders.members {
			l.list(holder)
		}
		open = append(open, sockets.connection(peer, holders.pids))
	}
	return open
}

// holdersOfSocket are the processes that have a socket open.
func (l *look) holdersOfSocket(inode uint64) *held {
	socket := &stream{other: end{kind: linkSocket, key: inode}}
	holders := l.holdersOf(socket)
	if len(holders.pids) == 0 {
		l.walk()
		holders = l.holdersOf(socket)
	}
	return holders
}

// foreign are the connections of clients in other network namespaces, as in a container that was
// given the engine's socket: of what the engine has open beside the sockets of this namespace,
// copies are asked. Only who may copy the engine's descriptors, as root may, learns of them.
func (l *look) foreign(listeners []uint64, names []string) (open []inventory.Connection) {
	asked := map[int]bool{1: true} // PID 1 opens sockets for engines, and accepts nothing
	for _, listener := range listeners {
		for _, i := range l.holdersOfSocket(listener).members {
			if pid := int(l.slot(i).pid); !asked[pid] {
				asked[pid] = true
				open = append(open, l.foreignOf(i, names)...)
			}
		}
	}
	return open
}

func (l *look) foreignOf(i int, names []string) (open []inventory.Connection) {
	table := l.tableOf(i)
	h, err := l.open(l.reader, i)
	if err != nil || table.err != nil {
		return nil
	}
	defer h.close()
	for _, link := range table.links {
		if _, here := l.clients[link.key]; link.kind != linkSocket || here {
			continue
		}
		_, err := l.net.unixSocket(link.key) // one of this namespace was accepted since the look began
		if client, connected := h.clientOf(int(link.fd), names); connected && err != nil {
			if i, found := l.find(int(client.Pid)); found {
				l.list(i)
			}
			id := "socket:[" + strconv.FormatUint(link.key, 10) + "]"
			open = append(open, inventory.Connection{ID: id, PIDs: []int{int(client.Pid)}, UID: inventory.Known(int(client.Uid))})
		}
	}
	return open
}

// clientOf is who connected to a Unix socket of these names, if the other end is open still.
func (h *handle) clientOf(fd int, names []string) (client unix.Ucred, connected bool) {
	copied, ok := h.duplicate(fd)
	if !ok {
		return client, false
	}
	defer unix.Close(copied)
	address, err := unix.Getsockname(copied)
	local, isUnix := address.(*unix.SockaddrUnix)
	if err != nil || !isUnix || !slices.Contains(names, local.Name) {
		return client, false
	}
	credentials, err := unix.GetsockoptUcred(copied, unix.SOL_SOCKET, unix.SO_PEERCRED)
	poll := []unix.PollFd{{Fd: int32(copied)}}
	if _, failed := unix.Poll(poll, 0); err != nil || failed != nil || poll[0].Revents&unix.POLLHUP != 0 {
		return client, false
	}
	return *credentials, true
}

// clients reads the Unix sockets of the reader's own network namespace; nil if they could not be
// read. It comes before any process is read: whoever connects later is found at the next look, and
// whose a connection is can be told.
func (n *netReader) clients() clientSockets {
	n.ownSpace()
	n.mu.Lock()
	defer n.mu.Unlock()
	local, err := n.dumpUnix(1<<tcpEstablished|1<<tcpListen, new(int))
	if err != nil {
		return nil
	}
	all := make(clientSockets, len(local))
	for _, s := range local {
		all[s.inode] = s
	}
	return all
}

// hasEnded reports that a client's end which was connected is so no more. Of one in another
// network namespace it is not known.
func (n *netReader) hasEnded(client unixSocket) bool {
	if client.inode == 0 {
		return false
	}
	now, err := n.unixSocket(client.inode)
	return errors.Is(err, unix.ENOENT) || err == nil && now.peer == 0
}
