package scan

import (
	"os"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestADebuggerIsSeen: a person may speak by it to a process of which all else is closed.
func TestADebuggerIsSeen(t *testing.T) {
	server := servedWith(t)
	isSeen := func() bool {
		shares := in(t, lookAt(t, scannerOf(t, server.pid())), server.pid()).Shares
		return shares.IsUnreadable() || slices.Contains(shares.Or(nil), os.Getpid())
	}
	if isSeen() {
		t.Error("a debugger is seen that is not there")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.PtraceAttach(server.pid()); err != nil {
		t.Skip(err)
	}
	if _, err := unix.Wait4(server.pid(), nil, unix.WALL, nil); err != nil {
		t.Fatal(err)
	}
	if !isSeen() {
		t.Error("a debugger is not seen")
	}
}
