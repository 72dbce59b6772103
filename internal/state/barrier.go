package state

import (
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/human"
)

// Barrier is a file or a folder that this user may not read and write.
type Barrier struct {
	Path  string
	owner int
	isDir bool
}

// BarrierTo returns what keeps this user from reading and writing a file or a folder: itself, or
// the nearest folder above that exists. It returns false if their modes and owners let him.
func BarrierTo(path string) (Barrier, bool) {
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			if at == filepath.Dir(at) {
				return Barrier{}, false
			}
			continue // it is not there, or the folder above keeps us from it
		}
		needs := uint32(unix.R_OK | unix.W_OK)
		if info.IsDir() {
			needs |= unix.X_OK
		}
		row, known := info.Sys().(*syscall.Stat_t)
		if !known || unix.Faccessat(unix.AT_FDCWD, at, needs, unix.AT_EACCESS) != unix.EACCES {
			return Barrier{}, false
		}
		return Barrier{at, int(row.Uid), info.IsDir()}, true
	}
}

// IsOurs reports something that this user can open to himself: his own, or what another left in
// his home, as sudo does.
func (b Barrier) IsOurs() bool { return b.owner == os.Geteuid() || b.isAtHome() }

func (b Barrier) isAtHome() bool {
	home := string(Home())
	return filepath.IsAbs(home) && home != "/" && strings.HasPrefix(b.Path, filepath.Clean(home)+"/")
}

// String tells why it is shut: "its mode keeps its own user out".
func (b Barrier) String() string {
	if b.owner == os.Geteuid() {
		return "its mode keeps its own user out"
	}
	return "it belongs to " + UserName(b.owner)
}

// Remedy is the command that opens it, or says who can use it.
func (b Barrier) Remedy() string {
	path := human.Shell(b.Path)
	switch {
	case b.owner == os.Geteuid() && b.isDir:
		return "chmod u+rwx " + path
	case b.owner == os.Geteuid():
		return "chmod u+rw " + path
	case b.isAtHome():
		return "sudo chown -R " + UserName(os.Geteuid()) + " " + path
	}
	return "run it as " + UserName(b.owner)
}

// another is the remedy where this user cannot open a directory.
const another = "name another folder with REAPERD_STATE_DIR"

// Refusal tells that this user cannot change what the directory holds, and what helps; both are empty
// if he can, or if that cannot be told. A full disk is another thing: see [Dir.IsFull].
func (d Dir) Refusal() (text, remedy string) {
	const fails = "pin, unpin, pause and resume fail"
	err := unix.Faccessat(unix.AT_FDCWD, string(d), unix.W_OK|unix.X_OK, unix.AT_EACCESS)
	lock := d.path(changeLock)
	switch barrier, shut := BarrierTo(string(d)); {
	case err == nil:
		if barrier, shut := BarrierTo(lock); shut && barrier.Path == lock {
			return lock + " cannot be opened (" + barrier.String() + "): " + fails, barrier.Remedy()
		}
		return "", ""
	case errors.Is(err, unix.EROFS), errors.Is(err, unix.EPERM):
		text, remedy = err.Error(), another
	case shut && barrier.Path == string(d):
		text, remedy = barrier.String(), barrier.Remedy()
	case shut:
		text, remedy = barrier.Path+": "+barrier.String(), barrier.Remedy()
	default:
		return "", ""
	}
	return string(d) + " takes no file (" + text + "): " + fails + ", and a daemon does not start, or has no socket", remedy
}

// Advise adds what helps to an error without a hint, where the directory cannot be read or written.
func (d Dir) Advise(err error) error {
	var advised *human.Error
	if !errors.As(err, &advised) || advised.Hint != "" || !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), string(d)) {
		return err
	}
	if barrier, shut := d.barrierOf(err); shut {
		return human.Failed(barrier.Remedy()+"   or "+another, "%w (%s)", advised.Err, barrier)
	}
	return human.Failed("run it as the user whose "+string(d)+" is, or "+another, "%w", advised.Err)
}

// barrierOf is what has denied access: the directory, or the file in it that the error names.
func (d Dir) barrierOf(err error) (Barrier, bool) {
	if barrier, shut := BarrierTo(string(d)); shut {
		return barrier, true
	}
	files, _ := os.ReadDir(string(d)) // none can be named in a directory that cannot be read
	for _, file := range files {
		path := d.path(file.Name())
		if barrier, shut := BarrierTo(path); shut && strings.Contains(err.Error(), path) {
			return barrier, true
		}
	}
	return Barrier{}, false
}

// UserName is the name of a user, or the number if none is known.
func UserName(uid int) string {
	number := strconv.Itoa(uid)
	if known, err := user.LookupId(number); err == nil {
		return known.Username
	}
	return number
}
