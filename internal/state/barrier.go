package state

import (
	"errors"
	"fmt"
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

// Denied tells why this user may not read and write a file or a folder, and what helps: because of
// itself, or of the nearest folder above that exists. Both are empty if modes and owners let him.
func Denied(path string) (why, remedy string) {
	at := filepath.Clean(path)
	info, err := os.Lstat(at)
	for err != nil && at != filepath.Dir(at) { // it is not there, or the folder above keeps us from it
		at = filepath.Dir(at)
		info, err = os.Lstat(at)
	}
	if err != nil {
		return "", ""
	}
	needs := uint32(unix.R_OK | unix.W_OK)
	if info.IsDir() {
		needs |= unix.X_OK
	}
	row, known := info.Sys().(*syscall.Stat_t)
	if !known || unix.Faccessat(unix.AT_FDCWD, at, needs, unix.AT_EACCESS) != unix.EACCES {
		return "", ""
	}
	switch owner := int(row.Uid); {
	case owner == os.Geteuid():
		return "its mode keeps its own user out", human.Shell("chmod", "u+rwX", at)
	case isAtHome(at): // as sudo leaves it
		return "it belongs to " + UserName(owner), human.Shell("sudo", "chown", "-R", UserName(os.Geteuid()), at)
	default:
		return "it belongs to " + UserName(owner), "run it as " + UserName(owner)
	}
}

func isAtHome(path string) bool {
	home := string(Home())
	return filepath.IsAbs(home) && home != "/" && strings.HasPrefix(path, filepath.Clean(home)+"/")
}

// another is the remedy where this user cannot open a directory.
const another = "name another folder with REAPERD_STATE_DIR"

// Refusal tells that this user cannot change what the directory holds, and what helps; both are empty
// if he can. A full disk is another thing: see [Dir.IsFull].
func (d Dir) Refusal() (text, remedy string) {
	err := unix.Faccessat(unix.AT_FDCWD, string(d), unix.W_OK|unix.X_OK, unix.AT_EACCESS)
	if err != nil && !errors.Is(err, unix.ENOENT) {
		err = fmt.Errorf("write %s: %w", d, err)
	} else {
		err = d.change(func() error { return nil })
	}
	if err == nil || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return "", ""
	}
	text, remedy = err.Error(), another
	if why, opens := d.denied(err); why != "" {
		text, remedy = text+" ("+why+")", opens
	}
	return text + ": pin, unpin, pause and resume fail, and a daemon does not start, or has no socket", remedy
}

// Advise adds what helps to an error without a hint, where the directory cannot be read or written.
func (d Dir) Advise(err error) error {
	var advised *human.Error
	if !errors.As(err, &advised) || advised.Hint != "" || !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), string(d)) {
		return err
	}
	if why, remedy := d.denied(err); why != "" {
		return human.Failed(remedy+"   or "+another, "%w (%s)", advised.Err, why)
	}
	return human.Failed("run it as the user whose "+string(d)+" is, or "+another, "%w", advised.Err)
}

// denied is what has denied access: the directory, or the file in it that the error names.
func (d Dir) denied(err error) (why, remedy string) {
	if !errors.Is(err, fs.ErrPermission) {
		return "", ""
	}
	if why, remedy = Denied(string(d)); why != "" {
		return why, remedy
	}
	files, _ := os.ReadDir(string(d)) // none can be named in a directory that cannot be read
	for _, file := range files {
		if path := d.path(file.Name()); strings.Contains(err.Error(), path) {
			return Denied(path)
		}
	}
	return "", ""
}

// UserName is the name of a user, or the number if none is known.
func UserName(uid int) string {
	number := strconv.Itoa(uid)
	if known, err := user.LookupId(number); err == nil {
		return known.Username
	}
	return number
}
