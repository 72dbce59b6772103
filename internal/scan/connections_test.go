package scan

import (
	"context"
	"errors"
	"net/netip"
	"reflect"
	"testing"

	systemd "github.com/coreos/go-systemd/v22/dbus"
	"github.com/godbus/dbus/v5"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestClients(t *testing.T) {
	at := netip.MustParseAddrPort
	listener := tcpSocket{local: at("0.0.0.0:8080"), state: tcpListen, inode: 10}
	conn := func(local, remote string, state uint8, inode uint64) tcpSocket {
		return tcpSocket{local: at(local), remote: at(remote), state: state, inode: inode}
	}
	ours := func(inode uint64) bool { return inode >= 10 && inode < 20 }
	for _, world := range []struct {
		says string
		tcp  []tcpSocket
		unix []unixSocket
		// waiting are those that the listener has not accepted yet.
		waiting []uint64
		blind   bool // the other ends of Unix sockets are not known
		want    int
		known   bool
	}{
		{says: "nobody has connected", known: true},
		{says: "a client on another machine", tcp: []tcpSocket{conn("10.0.0.1:8080", "10.0.0.2:5000", tcpEstablished, 11)}, want: 1, known: true},
		{says: "a client on this machine", tcp: []tcpSocket{conn("127.0.0.1:8080", "127.0.0.1:5000", tcpEstablished, 11), conn("127.0.0.1:5000", "127.0.0.1:8080", tcpEstablished, 99)}, want: 1, known: true},
		{says: "the tree talks to itself", tcp: []tcpSocket{conn("127.0.0.1:8080", "127.0.0.1:5000", tcpEstablished, 11), conn("127.0.0.1:5000", "127.0.0.1:8080", tcpEstablished, 12)}, known: true},
		{says: "a connection not accepted yet", tcp: []tcpSocket{conn("127.0.0.1:8080", "127.0.0.1:5000", tcpEstablished, 0), conn("127.0.0.1:5000", "127.0.0.1:8080", tcpEstablished, 99)}, want: 1, known: true},
		{says: "a client that has just left", tcp: []tcpSocket{conn("10.0.0.1:8080", "10.0.0.2:5000", tcpTimeWait, 0)}, want: 1, known: true},
		{says: "a local client that has just left and closed first", tcp: []tcpSocket{conn("127.0.0.1:5000", "127.0.0.1:8080", tcpTimeWait, 0)}, want: 1, known: true},
		{says: "a call to another machine's port of that number", tcp: []tcpSocket{conn("10.0.0.1:5000", "10.0.0.2:8080", tcpTimeWait, 0)}, known: true},
		{says: "another program's port", tcp: []tcpSocket{conn("127.0.0.1:9090", "127.0.0.1:5000", tcpEstablished, 98)}, known: true},
		{says: "a client that hung up", tcp: []tcpSocket{conn("127.0.0.1:8080", "127.0.0.1:5000", tcpCloseWait, 11)}, known: true},
		{says: "a Unix client", unix: []unixSocket{{inode: 14, state: tcpEstablished, name: "/run/s", peer: 99, hasPeer: true}}, want: 1, known: true},
		{says: "a Unix client that has gone", unix: []unixSocket{{inode: 14, state: tcpEstablished, name: "/run/s", peer: 0, hasPeer: true}}, known: true},
		{says: "a Unix client of the tree itself", unix: []unixSocket{{inode: 14, state: tcpEstablished, name: "/run/s", peer: 15, hasPeer: true}}, known: true},
		{says: "a Unix connection whose other end cannot be told", unix: []unixSocket{{inode: 14, state: tcpEstablished, name: "/run/s"}}, blind: true},
		{says: "a Unix client that was not accepted yet", waiting: []uint64{99}, want: 1, known: true},
		{says: "one that was not accepted yet and has hung up", waiting: []uint64{0}, known: true},
		{says: "the tree calls itself, and has not accepted yet", waiting: []uint64{15}, known: true},
		{says: "another program's Unix socket", unix: []unixSocket{{inode: 98, state: tcpEstablished, name: "/run/t", peer: 97, hasPeer: true}}, known: true},
	} {
		t.Run(world.says, func(t *testing.T) {
			unix := append([]unixSocket{{inode: 13, state: tcpListen, name: "/run/s", waiting: world.waiting}}, world.unix...)
			all := newSockets(append([]tcpSocket{listener}, world.tcp...), unix, !world.blind)
			found := all.listening([]uint64{10, 11, 12, 13, 14})
			if len(found.tcp) != 1 || len(found.unix) != 1 {
				t.Fatalf("listeners: %+v", found)
			}
			if got, known := all.connections(found, ours); got != world.want || known != world.known {
				t.Errorf("got %d, known %v; want %d, %v", got, known, world.want, world.known)
			}
		})
	}
}

// TestTheOtherEndOfATCPConnection: closed needs both directions, or that nobody here has the
// other end.
func TestTheOtherEndOfATCPConnection(t *testing.T) {
	const open, closed, unknown = inventory.PeerOpen, inventory.PeerClosed, inventory.PeerUnknown
	socket := func(local, remote string, state uint8, inode uint64) tcpSocket {
		return tcpSocket{local: netip.MustParseAddrPort(local), remote: netip.MustParseAddrPort(remote), state: state, inode: inode}
	}
	its := func(state uint8) tcpSocket { return socket("127.0.0.1:80", "127.0.0.1:5000", state, 1) }
	others := func(state uint8, inode uint64) tcpSocket {
		return socket("127.0.0.1:5000", "127.0.0.1:80", state, inode)
	}
	for _, world := range []struct {
		says  string
		its   tcpSocket
		all   []tcpSocket
		want  inventory.Peer
		inode uint64
	}{
		{"connected", its(tcpEstablished), []tcpSocket{others(tcpEstablished, 2)}, open, 2},
		{"not accepted yet", its(tcpEstablished), []tcpSocket{others(tcpEstablished, 0)}, open, 0},
		{"connected with another machine", socket("10.0.0.1:80", "10.0.0.2:5000", tcpEstablished, 1), nil, open, 0},
		{"the other side has sent its last byte, and reads", its(tcpCloseWait), []tcpSocket{others(tcpFinWait2, 2)}, open, 2},
		{"the same with another machine", socket("10.0.0.1:80", "10.0.0.2:5000", tcpCloseWait, 1), nil, open, 0},
		{"the same with oneself by another address than loopback", socket("10.0.0.1:80", "10.0.0.1:5000", tcpCloseWait, 1), nil, closed, 0},
		{"the same, where the other side called another port that was redirected", its(tcpCloseWait), []tcpSocket{socket("127.0.0.1:5000", "127.0.0.1:8080", tcpFinWait2, 2)}, open, 0},
		{"the other side has closed it, and the kernel still waits", its(tcpCloseWait), []tcpSocket{others(tcpFinWait2, 0)}, closed, 0},
		{"the other side is not known any more", its(tcpCloseWait), nil, closed, 0},
		{"the other side is not known any more, and somebody listens at that port", its(tcpCloseWait), []tcpSocket{socket("127.0.0.1:5000", "0.0.0.0:0", tcpListen, 2)}, closed, 0},
		{"the server has sent its last byte", its(tcpFinWait2), []tcpSocket{others(tcpCloseWait, 2)}, open, 2},
		{"both have, the server second", its(tcpLastAck), []tcpSocket{others(tcpFinWait2, 2)}, closed, 0},
		{"both have at once", its(tcpClosing), []tcpSocket{others(tcpClosing, 2)}, closed, 0},
		{"broken off", its(tcpClose), nil, closed, 0},
		{"a listener", socket("0.0.0.0:80", "0.0.0.0:0", tcpListen, 1), nil, unknown, 0},
	} {
		t.Run(world.says, func(t *testing.T) {
			peer, inode := newSockets(append(world.all, world.its), nil, true).tcpEnd(world.its)
			if peer != world.want || inode != world.inode {
				t.Errorf("got %s %d, want %s %d", peer, inode, world.want, world.inode)
			}
		})
	}
}

func TestAProgramThatOnlyConnectsDoesNotListen(t *testing.T) {
	all := newSockets([]tcpSocket{{state: tcpEstablished, inode: 5}}, []unixSocket{{state: tcpEstablished, inode: 6}}, true)
	if found := all.listening([]uint64{5, 6, 7}); !found.none() {
		t.Errorf("got %+v", found)
	}
}

// unitsOf is a service manager with the main PID of each unit; 0 fails.
type unitsOf []struct {
	unit string
	pid  any
}

func (m unitsOf) ListUnitsByPatternsContext(context.Context, []string, []string) ([]systemd.UnitStatus, error) {
	var units []systemd.UnitStatus
	for _, unit := range m {
		units = append(units, systemd.UnitStatus{Name: unit.unit})
	}
	return units, nil
}

func (m unitsOf) GetUnitTypePropertyContext(_ context.Context, unit, unitType, property string) (*systemd.Property, error) {
	for _, known := range m {
		if known.unit == unit && unitType == "Service" && property == "MainPID" && known.pid != nil {
			return &systemd.Property{Name: property, Value: dbus.MakeVariant(known.pid)}, nil
		}
	}
	return nil, errors.New("no answer")
}

func TestMainProcesses(t *testing.T) {
	units := map[int]string{}
	err := addMainProcesses(t.Context(), unitsOf{{"openclaw-gateway.service", uint32(77)}, {"oneshot.service", uint32(0)}, {"mute.service", nil}, {"last.service", uint32(78)}}, units)
	want := map[int]string{77: "openclaw-gateway.service", 78: "last.service"}
	if !reflect.DeepEqual(units, want) {
		t.Errorf("got %v, want %v", units, want)
	}
	if err == nil {
		t.Error("a unit that did not answer was passed over in silence")
	}
}
