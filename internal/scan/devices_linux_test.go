package scan

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWhoHasAnInterfaceMayBeSpokenTo, and who has the device alone may not.
func TestWhoHasAnInterfaceMayBeSpokenTo(t *testing.T) {
	for says, makes := range map[string]bool{"an interface": true, "the device alone": false} {
		t.Run(says, func(t *testing.T) {
			runtime.LockOSThread() // and never unlocked: the thread ends with its network namespace
			if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
				t.Skip(err)
			}
			device, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0)
			if err != nil {
				t.Skip(err)
			}
			request, _ := unix.NewIfreq("reaperd0")
			request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
			if makes {
				if err := unix.IoctlIfreq(int(device.Fd()), unix.TUNSETIFF, request); err != nil {
					t.Skip(err)
				}
			}
			server := servedWith(t, device)
			if got := in(t, lookAt(t, scannerOf(t, server.pid())), server.pid()).Shares; got.IsUnreadable() != makes {
				t.Errorf("shares: %v, unreadable %v; want %v", got.Or(nil), got.IsUnreadable(), makes)
			}
		})
	}
}
