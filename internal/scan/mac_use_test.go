package scan

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/test/mac/darwintest"
)

func TestMacUse(t *testing.T) {
	for _, world := range []struct {
		says  string
		build func(m *mac)
		want  string
	}{
		{"listens to nobody", nil, "true 0"},
		{"a stranger is connected over TCP", func(m *mac) { m.connect(m.Spawn(nil, darwintest.Spec{UID: 502}), "127.0.0.1:8080") }, "true 1"},
		{"a stranger is connected over a Unix socket", func(m *mac) { m.connect(m.Spawn(nil, darwintest.Spec{UID: 502}), "/tmp/s") }, "true 1"},
		{"its own child is connected", func(m *mac) { m.connect(m.Spawn(m.server, darwintest.Spec{UID: dev}), "127.0.0.1:8080") }, "true 0"},
		{"a client has called and gone", func(m *mac) {
			visitor := m.Spawn(nil, darwintest.Spec{UID: 502})
			m.connect(visitor, "127.0.0.1:8080")
			m.Exit(visitor)
			for fd := range m.server.FDs {
				if fd > 3 {
					m.Close(m.server, fd)
				}
			}
		}, "true 1"},
		{"connections cannot be listed", func(m *mac) {
			m.Before = func(call string) error {
				if call == "sysctl net.inet.tcp.pcblist_n" {
					return syscall.EPERM
				}
				return nil
			}
		}, "true unreadable"},
	} {
		t.Run(world.says, func(t *testing.T) {
			m := newMac()
			m.Give(m.server, m.Listen("127.0.0.1:8080"))
			if world.build != nil {
				world.build(m)
			}
			server := of(m.look(t), m.server)
			clients := fmt.Sprint(server.Connections.Or(0))
			if server.Connections.IsUnreadable() {
				clients = "unreadable"
			}
			if got := fmt.Sprint(server.Listening.Or(false), " ", clients); got != world.want || !slices.Equal(server.ListenPorts, []int{8080}) {
				t.Errorf("got %s at %v, want %s", got, server.ListenPorts, world.want)
			}
		})
	}
}

// connect connects a process to the server, which listens there.
func (m *mac) connect(from *darwintest.Process, address string) {
	listener := m.server.FDs[3]
	if strings.HasPrefix(address, "/") {
		listener = m.Listen(address)
		m.Give(m.server, listener)
	}
	accepted, client := m.Connect(listener, 50123)
	m.Give(m.server, accepted)
	m.Give(from, client)
}
