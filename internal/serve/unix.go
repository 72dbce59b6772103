package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/reaperd/reaperd/internal/ownfile"
	"github.com/reaperd/reaperd/internal/state"
)

// errRunning means that another daemon answers on the socket.
var errRunning = errors.New("another reaperd answers there")

// The modes of a socket: for the daemon's own user alone, or for every user.
const (
	OwnSocket  fs.FileMode = 0o600
	OpenSocket fs.FileMode = 0o666
)

// maxSocketPath is the longest path of a socket that every system accepts; Linux
// accepts four bytes more.
const maxSocketPath = 103

// ListenUnix binds a Unix socket at the path. It replaces a socket that
// a daemon left behind. If a daemon answers there, the error is [errRunning]; a file
// that is no socket is not touched. The lock of the state directory, not this, keeps
// two daemons from starting at the same moment.
func (s *Server) ListenUnix(ctx context.Context, path string, mode fs.FileMode) (*Endpoint, error) {
	if err := isFree(ctx, path); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	listener, err := bindUnix(path, mode)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	return s.endpoint(path, newLimited(listener, maxOnSocket, maxOfUser), s.socketHandler()), nil
}

// SocketFault is what is wrong with a socket that is there, or with its folder: the host's must be
// every user's, in a folder of root's, and a user's own nobody else's. It is empty if nothing is.
func SocketFault(path string, isHosts bool) string {
	want, owner := OwnSocket, os.Geteuid()
	if isHosts {
		want, owner = OpenSocket, 0
	}
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return ""
	}
	if mode := folder.Mode().Perm(); isHosts && mode&0o005 != 0o005 {
		return fmt.Sprintf("users of this host do not reach it: the mode of its folder is %04o", mode)
	}
	is, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	row, known := is.Sys().(*syscall.Stat_t)
	switch mode := is.Mode().Perm(); {
	case known && int(row.Uid) != owner:
		return "it is that of " + state.UserName(int(row.Uid)) + ", whom nobody asks"
	case mode != want:
		return fmt.Sprintf("its mode is %04o, and must be %04o", mode, want)
	}
	return ""
}

// MakeFolder makes the folder of a socket for every user: one of this user's, in which nobody else
// can replace it. A folder of the system's is left as it is.
func MakeFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return reason(err)
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return reason(err)
	}
	row, known := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir() || known && int(row.Uid) != os.Geteuid():
		return fmt.Errorf("%s is no folder of this user's own", folder)
	case filepath.Base(folder) != "reaperd" || info.Mode().Perm() == 0o755:
		return nil
	}
	return os.Chmod(folder, 0o755)
}

// isFree is nil if a socket may be put at the path.
func isFree(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return reason(err)
	case info.Mode().Type() != fs.ModeSocket:
		return errors.New("something else has this name, which is no socket: move it away")
	}
	conn, err := dialUnix(ctx, path)
	switch {
	case err == nil:
		conn.Close()
		return errRunning
	case isAbsent(err):
		return nil
	}
	return fmt.Errorf("ask who has this socket: %w", reason(err))
}

// reason is an error without the path or address, which the caller names.
func reason(err error) error {
	var number syscall.Errno
	var request *url.Error
	switch {
	case errors.As(err, &number):
		return number
	case errors.As(err, &request):
		return request.Err
	}
	return err
}

// isAbsent reports that dialling failed because nobody listens. EINVAL means that the path
// is too long for a socket, so that nobody can.
func isAbsent(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EINVAL)
}

// bindUnix binds in a directory of its own and moves the socket to its place once it
// has its mode. So nobody else can connect at any time, and an old socket is replaced
// in one step.
func bindUnix(path string, mode fs.FileMode) (net.Listener, error) {
	folder, err := ownfile.OpenFolder(filepath.Dir(path))
	if err != nil {
		return nil, reason(err)
	}
	defer folder.Close()
	private, err := os.MkdirTemp(filepath.Dir(path), ".")
	if err != nil {
		return nil, reason(err)
	}
	defer os.RemoveAll(private)
	made := filepath.Join(private, "s")
	if longest := max(len(made), len(path)); longest > maxSocketPath {
		return nil, fmt.Errorf("the path is %d bytes too long for a socket: use a shorter state directory", longest-maxSocketPath)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: made, Net: "unix"})
	if err != nil {
		return nil, reason(err)
	}
	listener.SetUnlinkOnClose(false)
	if err := place(made, path, mode); err != nil {
		listener.Close()
		return nil, reason(err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		listener.Close()
		return nil, reason(err)
	}
	return &placed{UnixListener: listener, remove: sync.OnceFunc(func() { removeSame(path, info) }), path: path}, nil
}

func place(made, path string, mode fs.FileMode) error {
	if err := os.Chmod(made, mode); err != nil {
		return err
	}
	return os.Rename(made, path)
}

// removeSame removes a socket unless another daemon has put its own there.
func removeSame(path string, mine fs.FileInfo) {
	if now, err := os.Lstat(path); err == nil && os.SameFile(now, mine) {
		os.Remove(path)
	}
}

// placed is a listener whose socket was moved to its final path.
type placed struct {
	*net.UnixListener
	remove func()
	path   string
}

func (p *placed) Close() error {
	p.remove()
	return p.UnixListener.Close()
}

// Addr is the socket's final path.
func (p *placed) Addr() net.Addr { return &net.UnixAddr{Name: p.path, Net: "unix"} }

// dialTimeout limits the wait for a daemon that hangs.
const dialTimeout = 2 * time.Second

// ErrForeign means that a stranger answers in the place of the daemon.
var ErrForeign = errors.New("another user has this socket")

// dialUnix connects to a daemon of this user's or root's; root, who has named the folder of another user, also to that user's.
func dialUnix(ctx context.Context, path string) (net.Conn, error) {
	ctx, stop := context.WithTimeout(ctx, dialTimeout)
	defer stop()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	for errors.Is(err, syscall.EAGAIN) && ctx.Err() == nil { // the daemon's queue is full, as others connect
		time.Sleep(5 * time.Millisecond)
		conn, err = new(net.Dialer).DialContext(ctx, "unix", path)
	}
	if err != nil {
		return nil, err
	}
	listener, _ := peerOf(conn) // of whom the kernel tells nothing is taken for root
	if uid := listener.UID; uid != 0 && uid != os.Geteuid() && !(os.Geteuid() == 0 && uid == ownerOf(filepath.Dir(path))) {
		return nil, errors.Join(ErrForeign, conn.Close())
	}
	return conn, nil
}

// ownerOf is a folder's user; -1 if that cannot be told.
func ownerOf(folder string) int {
	if info, err := os.Stat(folder); err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			return int(stat.Uid)
		}
	}
	return -1
}

// answerWithin is how long a daemon may take to begin an answer to the page. One on a busy
// machine needs more than a second.
const answerWithin = 3 * time.Second

// overUnix reaches every host name through the socket.
func overUnix(path string) *http.Transport {
	return &http.Transport{
		DisableKeepAlives:     true,
		ResponseHeaderTimeout: answerWithin,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialUnix(ctx, path)
		},
	}
}
