package docker

import (
	"net"

	"golang.org/x/sys/unix"
)

// listener is the process that called listen on the socket at the other end
// (SO_PEERCRED): the engine, or init for socket activation. The kernel gives PID 0
// for a process outside this PID namespace.
func listener(conn *net.UnixConn) peer {
	raw, err := conn.SyscallConn()
	if err != nil {
		return peer{}
	}
	var credentials *unix.Ucred
	var optErr error
	err = raw.Control(func(fd uintptr) {
		credentials, optErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err != nil || optErr != nil {
		return peer{}
	}
	return peer{pid: int(credentials.Pid), uid: int(credentials.Uid)}
}
