package serve

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// credentials reads SO_PEERCRED and SO_PEERGROUPS (socket(7), unix(7)).
func credentials(fd int) (Peer, error) {
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return Peer{}, err
	}
	groups := []int{int(peer.Gid)}
	for _, gid := range peerGroups(fd) {
		groups = append(groups, int(gid))
	}
	return Peer{UID: int(peer.Uid), PID: int(peer.Pid), Groups: groups}, nil
}

// peerGroups are the supplementary groups of the peer; none if they cannot be read.
func peerGroups(fd int) []uint32 {
	groups := make([]uint32, 64)
	for {
		size := uint32(4 * len(groups))
		_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_PEERGROUPS,
			uintptr(unsafe.Pointer(&groups[0])), uintptr(unsafe.Pointer(&size)), 0)
		switch {
		case errno == 0:
			return groups[:size/4]
		case errno == syscall.ERANGE && len(groups) < int(size/4):
			groups = make([]uint32, size/4)
		default:
			return nil
		}
	}
}
