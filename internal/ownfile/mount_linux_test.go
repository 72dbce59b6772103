package ownfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// A container's configuration is a folder of the host, mounted read-only at its
// place: the owner and mode it has there mean nothing here.
func TestWhatIsMountedReadOnlyAtItsPlaceIsGiven(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("left out: a mount needs root")
	}
	runtime.LockOSThread() // never unlocked: the thread ends with the test's goroutine
	must(t, errors.Join(unix.Unshare(unix.CLONE_FS|unix.CLONE_NEWNS), unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")))
	host, place := filepath.Join(t.TempDir(), "host"), t.TempDir()
	must(t, errors.Join(os.Mkdir(host, 0o700), os.Chmod(host, 0o777), os.Chown(host, 1234, 1234)))
	theirs := shelf{t, host}.file("policies.yaml", "text", 0o664)
	must(t, os.Chown(theirs, 1234, 1234))
	terms, file := Terms{Owner: 0, Most: 100, Links: true, Folders: AllFolders}, filepath.Join(place, "policies.yaml")

	must(t, unix.Mount(host, place, "", unix.MS_BIND, ""))
	t.Cleanup(func() { must(t, unix.Unmount(place, unix.MNT_DETACH)) })
	if _, err := Read(file, terms); !errors.Is(err, ErrWritable) && !errors.Is(err, ErrForeign) {
		t.Errorf("mounted to be written: got %v", err)
	}
	must(t, unix.Mount("", place, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	if text, err := Read(file, terms); err != nil || string(text) != "text" {
		t.Errorf("mounted to be read: got %q, %v", text, err)
	}
	if _, err := Read(theirs, terms); !errors.Is(err, ErrWritable) && !errors.Is(err, ErrForeign) {
		t.Errorf("where it lies on the host: got %v", err)
	}
}
