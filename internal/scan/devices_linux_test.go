package scan

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWhoHasAnInterfaceMayBeSpokenTo, and who has the device alone may not.
func TestWhoHasAnInterfaceMayBeSpokenTo(t *testing.T) {
	for _, makes := range []bool{true, false} {
		device, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0)
		request, _ := unix.NewIfreq("reaperd%d")
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		if err == nil && makes {
			err = unix.IoctlIfreq(int(device.Fd()), unix.TUNSETIFF, request)
		}
		if err != nil {
			t.Skip(err)
		}
		server := servedWith(t, device)
		if got := in(t, lookAt(t, scannerOf(t, server.pid())), server.pid()).Shares; got.IsUnreadable() != makes {
			t.Errorf("shares: %v, unreadable %v; want %v", got.Or(nil), got.IsUnreadable(), makes)
		}
	}
}
