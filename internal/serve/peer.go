package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/reaperd/reaperd/internal/account"
)

// Peer is the process at the other end of a Unix socket, by the kernel, as it was when the
// connection was made.
type Peer struct {
	UID    int
	PID    int   // 0 is not known
	Groups []int // all of them
}

// nobody is the user that the kernel names where it knows no number in this user namespace, so
// that it may be anybody. It is the usual overflow uid.
const nobody = 65534

// errNobody refuses a caller of whom the kernel does not tell who it is.
var errNobody = errors.New("the kernel does not tell who asks")

// peerOf asks the kernel who is at the other end of a connection.
func peerOf(conn net.Conn) (Peer, error) {
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return Peer{}, errNobody
	}
	raw, err := unix.SyscallConn()
	if err != nil {
		return Peer{}, err
	}
	var peer Peer
	if control := raw.Control(func(fd uintptr) { peer, err = credentials(int(fd)) }); control != nil {
		return Peer{}, control
	}
	if err == nil && peer.UID == nobody {
		err = errNobody
	}
	return peer, err
}

// reader is who reads an account at the other end.
func (p Peer) reader() account.Reader {
	var known sync.Map // whether an engine is reached is asked once a request
	return account.Reader{UID: p.UID, Reaches: func(engine string) bool {
		if reached, asked := known.Load(engine); asked {
			return reached.(bool)
		}
		reached := p.reaches(engine)
		known.Store(engine, reached)
		return reached
	}}
}

// reaches reports that the peer may use a container engine of this host: it may connect to the engine's
// socket. What cannot be told is no.
func (p Peer) reaches(engine string) bool {
	path, isUnix := strings.CutPrefix(engine, "unix://")
	if !isUnix {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !p.may(real, 2) {
		return false
	}
	for folder := filepath.Dir(real); ; folder = filepath.Dir(folder) {
		if !p.may(folder, 1) {
			return false
		}
		if folder == filepath.Dir(folder) {
			return true
		}
	}
}

// may reports that the mode of a file lets the peer do something: 4 read, 2 write, 1 search.
func (p Peer) may(path string, do fs.FileMode) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	row, known := info.Sys().(*syscall.Stat_t)
	switch {
	case !known:
		return false
	case int(row.Uid) == p.UID:
		do <<= 6
	case slices.Contains(p.Groups, int(row.Gid)):
		do <<= 3
	}
	return info.Mode()&do != 0
}

// String names the peer in the log.
func (p Peer) String() string { return fmt.Sprintf("user %d, process %d", p.UID, p.PID) }
