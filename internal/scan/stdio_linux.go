package scan

import (
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// stream is a stdin or stdout as it was read, and where to search its holders.
type stream struct {
	stdio inventory.Fact[inventory.Stdio]
	other end
	// used is when the terminal was last typed on or written to; zero for all else.
	used time.Time
}

// direction holds the differences between what is read from and what is written to.
type direction struct {
	fd     int
	access int       // how a pipe is opened beside it
	events int16     // what it is polled for
	mode   linkFacts // what the descriptors that hold the other end are open for
}

func readEnd(fd int) direction {
	return direction{fd: fd, access: unix.O_RDONLY, events: unix.POLLIN, mode: writable}
}

func writeEnd(fd int) direction {
	return direction{fd: fd, access: unix.O_WRONLY, events: unix.POLLOUT, mode: readable}
}

// link is what a descriptor is open on, as the process's table tells; of what that does not
// name, and without a table, the link is read.
func (h *handle) link(fd int, table *descriptors) (kind linkKind, key uint64, name string, err error) {
	if table != nil {
		at := slices.IndexFunc(table.links, func(d descriptor) bool { return int(d.fd) == fd })
		if at >= 0 && table.links[at].kind != linkPath {
			return table.links[at].kind, table.links[at].key, table.links[at].name(), nil
		}
	}
	link, err := h.r.readlink(h.dir, h.fdPath(fd))
	kind, key = parseLink(link)
	return kind, key, string(link), err
}

// stream reads a process's stdin or stdout.
func (h *handle) stream(d direction, table *descriptors, net *netReader) stream {
	kind, key, id, err := h.link(d.fd, table)
	switch {
	case gone(err):
		return h.noStream()
	case err != nil:
		return stream{stdio: inventory.Unreadable[inventory.Stdio]()}
	}
	switch kind {
	case linkPipe:
		return connected(inventory.KindPipe, id, h.pipePeer(d, key), end{kind: linkPipe, key: key, mode: d.mode})
	case linkSocket:
		peer, inode := h.socketPeer(d, key, net)
		other := end{}
		if inode != 0 {
			other = end{kind: linkSocket, key: inode}
		}
		return connected(inventory.KindSocket, id, peer, other)
	}
	return h.fileStream(d, id)
}

// noStream is the meaning of a missing link: a closed descriptor, or a process that
// has just exited, of which nothing is recorded.
func (h *handle) noStream() stream {
	if h.hasExited() {
		return stream{}
	}
	return stream{stdio: inventory.Known(inventory.Stdio{Kind: inventory.KindClosed})}
}

func connected(kind inventory.Kind, id string, peer inventory.Peer, other end) stream {
	return stream{stdio: inventory.Known(inventory.Stdio{Kind: kind, ID: id, Peer: peer}), other: other}
}

// fileStream is a stream whose link is a path. Only its metadata is read: opening a
// terminal or a device would have effects.
func (h *handle) fileStream(d direction, link string) stream {
	var st unix.Stat_t
	if err := unix.Fstatat(h.dir, h.fdPath(d.fd), &st, 0); err != nil {
		return stream{stdio: inventory.Unreadable[inventory.Stdio]()}
	}
	major, minor := unix.Major(uint64(st.Rdev)), unix.Minor(uint64(st.Rdev))
	kind := inventory.KindUnknown
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFIFO:
		return h.fifoStream(d, &st)
	case unix.S_IFCHR:
		kind = characterKind(major, minor)
		if kind == inventory.KindTTY {
			return stream{stdio: inventory.Known(inventory.Stdio{Kind: kind, ID: link}), used: lastUse(&st)}
		}
	case unix.S_IFREG, unix.S_IFDIR, unix.S_IFBLK:
		kind = inventory.KindFile
	}
	return stream{stdio: inventory.Known(inventory.Stdio{Kind: kind, ID: link})}
}

// fifoStream is a stream that is a FIFO. While it has a name, somebody may come by that,
// whoever has it open now: its holders are searched only afterwards.
func (h *handle) fifoStream(d direction, st *unix.Stat_t) stream {
	id := fmt.Sprintf("fifo:[%d:%d]", st.Dev, st.Ino)
	if st.Nlink > 0 {
		stdio := inventory.Stdio{Kind: inventory.KindPipe, ID: id, Peer: inventory.PeerOpen, Named: true}
		return stream{stdio: inventory.Known(stdio)}
	}
	other := end{kind: linkPath, key: fifoKey(st), mode: d.mode}
	return connected(inventory.KindPipe, id, h.copyPeer(d, st.Ino), other)
}

// lastUse is the later of the times at which a terminal was typed on and written to.
// The kernel updates them at most every eight seconds (tty_update_time).
func lastUse(st *unix.Stat_t) time.Time {
	return time.Unix(0, max(st.Atim.Nano(), st.Mtim.Nano()))
}

// pipePeer opens an anonymous pipe of the process for some microseconds and polls it:
// a hangup or an error means that nobody has the other end. It reads no data. A pipe
// that another user made can only be polled through a copy of the descriptor.
func (h *handle) pipePeer(d direction, inode uint64) inventory.Peer {
	fd, err := unix.Openat(h.dir, h.fdPath(d.fd), d.access|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return h.copyPeer(d, inode)
	}
	defer unix.Close(fd)
	return pollPeer(fd, inode, d.events)
}

// pollPeer polls a descriptor, after checking that it has the expected inode.
func pollPeer(fd int, inode uint64, events int16) inventory.Peer {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Ino != inode {
		return inventory.PeerUnknown
	}
	poll := []unix.PollFd{{Fd: int32(fd), Events: events}}
	if _, err := unix.Poll(poll, 0); err != nil {
		return inventory.PeerUnknown
	}
	if poll[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0 {
		return inventory.PeerClosed
	}
	return inventory.PeerOpen
}

// copyPeer polls a copy of the process's own descriptor. FIFOs need this: one that is
// opened again does not show that its writer has left.
func (h *handle) copyPeer(d direction, inode uint64) inventory.Peer {
	fd, ok := h.duplicate(d.fd)
	if !ok {
		return inventory.PeerUnknown
	}
	defer unix.Close(fd)
	return pollPeer(fd, inode, d.events)
}

// duplicate copies a descriptor out of the process; false if that is not allowed
// (Yama, another user) or the PIDs here are not those of system calls.
func (h *handle) duplicate(fd int) (int, bool) {
	if !h.sameNumbers {
		return -1, false
	}
	pidfd, err := unix.PidfdOpen(h.pid, 0)
	if err != nil {
		return -1, false
	}
	defer unix.Close(pidfd)
	if !h.alive() {
		return -1, false
	}
	copied, err := unix.PidfdGetfd(pidfd, fd, 0)
	return copied, err == nil
}

// socketPeer finds out whether the other end of a socket is open, and its inode if
// that is known. A Unix socket is looked up by inode, which needs no privilege. If it
// is not found, it is a TCP socket or in another namespace.
func (h *handle) socketPeer(d direction, inode uint64, net *netReader) (inventory.Peer, uint64) {
	if socket, err := net.unixSocket(inode); err == nil {
		return socket.other(), socket.peer
	}
	if all, err := net.of(h); err == nil {
		if i, ok := all.tcpByInode[inode]; ok {
			return all.tcpEnd(all.tcp[i])
		}
	}
	return h.foreignPeer(d, inode), 0
}

// foreignPeer asks a copy of the socket itself.
func (h *handle) foreignPeer(d direction, inode uint64) inventory.Peer {
	fd, ok := h.duplicate(d.fd)
	if !ok {
		return inventory.PeerUnknown
	}
	defer unix.Close(fd)
	family, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return inventory.PeerUnknown
	}
	switch family {
	case unix.AF_UNIX:
		return pollPeer(fd, inode, unix.POLLIN)
	case unix.AF_INET, unix.AF_INET6:
		info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			return inventory.PeerUnknown
		}
		return peerOfState(info.State)
	}
	return inventory.PeerUnknown
}
