package serve

import (
	"net"

	"golang.org/x/sys/unix"
)

// listenerOf is the user who listens at the other end of a connection.
func listenerOf(conn *net.UnixConn) (uid int, known bool) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = raw.Control(func(fd uintptr) {
		if peer, err := unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED); err == nil {
			uid, known = int(peer.Uid), true
		}
	})
	return uid, known && err == nil
}
