// Package nobody runs a part of a test as a user without rights.
package nobody

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// UID is the user, and the group.
const UID = 65534

// Runs runs do as the user, in a thread that ends with it, and waits for it. do must not end the
// test: Errorf, not Fatalf. Other users than root skip the test.
func Runs(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	done := make(chan unix.Errno)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		_, _, err := unix.RawSyscall(unix.SYS_SETRESUID, UID, UID, UID)
		if err == 0 {
			do()
		}
		done <- err
	}()
	if err := <-done; err != 0 {
		t.Fatal("become another user: ", err)
	}
}

// Folder is a temporary folder of the test that every user can read.
func Folder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, open := range []string{folder, filepath.Dir(folder)} { // that of the test lets only root in
		if err := os.Chmod(open, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
