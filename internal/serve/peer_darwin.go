package serve

import "golang.org/x/sys/unix"

// credentials reads LOCAL_PEERCRED and LOCAL_PEERPID.
func credentials(fd int) (Peer, error) {
	peer, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return Peer{}, err
	}
	found := Peer{UID: int(peer.Uid)}
	for _, gid := range peer.Groups[:min(int(peer.Ngroups), len(peer.Groups))] {
		found.Groups = append(found.Groups, int(gid))
	}
	found.PID, _ = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID) // 0 is not known
	return found, nil
}
