package scan

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAConnectionThatWasNotAcceptedYetCounts has a listener that never accepts, such as a
// server that gets no processor time. Its client counts all the same.
func TestAConnectionThatWasNotAcceptedYetCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	file, err := listener.(*net.UnixListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var its syscall.Stat_t
	if err := syscall.Fstat(int(file.Fd()), &its); err != nil {
		t.Fatal(err)
	}
	clients := func() int {
		t.Helper()
		n := newNetReader()
		defer n.close()
		if n.open(); n.failure != nil {
			t.Skipf("the kernel does not list sockets here: %v", n.failure)
		}
		all, err := n.dump(everything)
		if err != nil {
			t.Fatal(err)
		}
		count, known := all.connections(all.listening([]uint64{its.Ino}), func(uint64) bool { return false })
		if !known {
			t.Fatal("not known")
		}
		return count
	}
	if got := clients(); got != 0 {
		t.Errorf("%d clients before one has called", got)
	}
	client, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if got := clients(); got != 1 {
		t.Errorf("%d clients, want the one that waits", got)
	}
	client.Close()
	if got := clients(); got != 0 {
		t.Errorf("%d clients after it has hung up", got)
	}
}
