package scan

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"net/netip"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestSplitArgv(t *testing.T) {
	for _, world := range []struct {
		says string
		data string
		want []string
	}{
		{"a zombie has no arguments", "", []string{}},
		{"a plain command", "node\x00dist/index.js\x00", []string{"node", "dist/index.js"}},
		{"an empty argument between others", "a\x00\x00b\x00", []string{"a", "", "b"}},
		{"an empty argument at the end", "a\x00\x00", []string{"a", ""}},
		{"npm's title with its padding", "npm exec @playwright/mcp\x00\x00\x00", []string{"npm exec @playwright/mcp", "", ""}},
		{"a title written over the last NUL", "openclaw-gateway", []string{"openclaw-gateway"}},
		{"nothing but an empty program name", "\x00", []string{""}},
	} {
		t.Run(world.says, func(t *testing.T) {
			if got, whole := splitArgv([]byte(world.data)); !whole || !reflect.DeepEqual(got, world.want) {
				t.Errorf("got %q (whole %v), want %q", got, whole, world.want)
			}
		})
	}
}

// lineOf reads a command line in pieces of so many bytes, as the kernel gives it.
func lineOf(owner inventory.ID, keep, piece int, text string) commandLine {
	return commandLineOf(owner, keep, func() (next []byte, last bool) {
		n := min(piece, len(text))
		next = []byte(text[:n])
		text = text[n:]
		return next, n < piece
	})
}

func TestALongCommandLineIsCutAndToldApartByItsHash(t *testing.T) {
	one, other := inventory.ID{PID: 7, Start: 1}, inventory.ID{PID: 8, Start: 1}
	long := strings.Repeat("x", 100<<10)
	for _, world := range []struct {
		says  string
		a, b  string
		equal bool
	}{
		{"two that are the same to the end", "a\x00" + long + "\x00", "a\x00" + long + "\x00", true},
		{"two that differ behind what is kept", "a\x00" + long + "1\x00", "a\x00" + long + "2\x00", false},
		{"one that is the beginning of the other", "a\x00" + long, "a\x00" + long + long, false},
		{"two that are longer than is ever read", strings.Repeat("y", maxHashedArgv+200<<10), strings.Repeat("y", maxHashedArgv+200<<10), false},
		{"many short arguments that differ at the end", strings.Repeat("a\x00", maxArguments) + "b\x00", strings.Repeat("a\x00", maxArguments) + "c\x00", false},
	} {
		t.Run(world.says, func(t *testing.T) {
			a, b := lineOf(one, maxArgvBytes, 64<<10, world.a), lineOf(other, maxArgvBytes, 64<<10, world.b)
			if a.hash == "" || b.hash == "" {
				t.Fatal("it does not say that it is cut")
			}
			if same := a.hash == b.hash; same != world.equal {
				t.Errorf("equal hashes: %v, want %v", same, world.equal)
			}
			if a.size() > maxArgvBytes+maxArguments*16 || len(a.argv) > maxArguments {
				t.Errorf("%d arguments of %d bytes are kept", len(a.argv), a.size())
			}
		})
	}
	if line := lineOf(one, maxArgvBytes, 64<<10, "node\x00dist/index.js\x00"); line.hash != "" || len(line.argv) != 2 {
		t.Errorf("a short command line became %q with hash %q", line.argv, line.hash)
	}
	if line := lineOf(one, briefArgv, 64<<10, strings.Repeat("x", briefArgv)); line.hash != "" {
		t.Error("one that just fits is cut")
	}
}

func TestMarkersAreFoundHoweverTheEnvironmentIsCutIntoPieces(t *testing.T) {
	environ := "PATH=/bin\x00HUGE=" + strings.Repeat("x", 3*maxMarker) + "\x00REAPERD_KEEP=1\x00OPENCODE_PID=44"
	for _, size := range []int{1, 7, maxMarker, len(environ)} {
		got, err := markersIn(&pieces{[]byte(environ), size})
		if want := map[string]string{"REAPERD_KEEP": "1", "OPENCODE_PID": "44"}; err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("in pieces of %d: %q, %v, want %q", size, got, err, want)
		}
	}
}

// pieces are read a few bytes at a time.
type pieces struct {
	rest []byte
	size int
}

func (p *pieces) Read(into []byte) (n int, err error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n = copy(into[:min(len(into), p.size)], p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// TestALongMarkerKeepsItsBeginning: what asks to be kept is kept, however much it says.
func TestALongMarkerKeepsItsBeginning(t *testing.T) {
	got, err := markersIn(strings.NewReader("REAPERD_KEEP=" + strings.Repeat("A", 2*maxMarker) + "\x00OPENCODE_PID=44\x00"))
	if err != nil || len(got["REAPERD_KEEP"])+len("REAPERD_KEEP=") != maxMarker || got["OPENCODE_PID"] != "44" {
		t.Errorf("%d bytes of it, and %q, %v", len(got["REAPERD_KEEP"]), got["OPENCODE_PID"], err)
	}
}

func TestOnlyMarkersLeaveTheEnvironment(t *testing.T) {
	environ := "PATH=/bin\x00GITHUB_TOKEN=secret\x00OPENCODE_PID=44\x00XREAPERD_KEEP=no\x00REAPERD_KEEP=\x00OPENCODE_PID=45\x00CLAUDE_CODE_SESSION_ID=abc\x00junk\x00"
	want := map[string]string{"OPENCODE_PID": "44", "REAPERD_KEEP": ""}
	if got, err := markersIn(strings.NewReader(environ)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestCgroupOf(t *testing.T) {
	id, outer := strings.Repeat("0a", 32), strings.Repeat("f1", 32)
	for _, world := range []struct {
		says, data, cgroup, container string
	}{
		{"a login on version 2", "0::/user.slice/user-1000.slice/session-2.scope\n", "/user.slice/user-1000.slice/session-2.scope", ""},
		{"docker with cgroupfs", "0::/docker/" + id + "\n", "/docker/" + id, id},
		{"docker with systemd", "0::/system.slice/docker-" + id + ".scope\n", "/system.slice/docker-" + id + ".scope", id},
		{"systemd inside a container", "0::/system.slice/docker-" + id + ".scope/init.scope\n", "/system.slice/docker-" + id + ".scope/init.scope", id},
		{"a pod of containerd", "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0.slice/cri-containerd-" + id + ".scope\n",
			"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0.slice/cri-containerd-" + id + ".scope", id},
		{"a pod with cgroupfs", "11:cpu:/kubepods/burstable/pod1/" + id + "\n", "/kubepods/burstable/pod1/" + id, id},
		{"containerd's own namespace", "0::/k8s.io/" + id + "\n", "/k8s.io/" + id, id},
		{"podman", "0::/user.slice/libpod-" + id + ".scope/container\n", "/user.slice/libpod-" + id + ".scope/container", id},
		{"docker in docker: the inner one", "0::/docker/" + outer + "/docker/" + id + "\n", "/docker/" + outer + "/docker/" + id, id},
		{"version 1, where one hierarchy knows", "9:name=systemd:/\n4:memory:/docker/" + id + "\n0::/\n", "/docker/" + id, id},
		{"version 1 of a host", "9:name=systemd:/user.slice\n4:memory:/a/longer/path\n0::/\n", "/user.slice", ""},
		{"a container's own cgroup namespace", "0::/\n", "/", ""},
		{"an LXC guest is none", "0::/lxc/" + id + "\n", "/lxc/" + id, ""},
		{"a path with a colon", "0::/a:b\n", "/a:b", ""},
		{"32 digits are no container", "0::/process/eb02b10ff7e5540afb68a03573ace3d8\n", "/process/eb02b10ff7e5540afb68a03573ace3d8", ""},
		{"nothing", "", "", ""},
	} {
		t.Run(world.says, func(t *testing.T) {
			cgroup, container := cgroupOf(world.data)
			if cgroup != world.cgroup || container != world.container {
				t.Errorf("got %q, %q; want %q, %q", cgroup, container, world.cgroup, world.container)
			}
		})
	}
}

func TestContainerInMounts(t *testing.T) {
	id := strings.Repeat("0a", 32)
	docker := "700 680 8:1 /var/lib/docker/containers/" + id + "/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n"
	podman := "701 680 0:40 /overlay-containers/" + id + "/userdata/hosts /etc/hosts rw - tmpfs tmpfs rw\n"
	host := "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
	for data, want := range map[string]string{host + docker: id, podman: id, host: "", "": "",
		strings.Replace(docker, "/etc/hostname", "/mnt/x", 1): ""} {
		if got := containerInMounts(data); got != want {
			t.Errorf("%q: got %q, want %q", data, got, want)
		}
	}
}

func TestHidesProcesses(t *testing.T) {
	line := func(place, options string) string {
		return "22 27 0:21 / " + place + " rw - proc proc " + options + "\n"
	}
	for _, world := range []struct {
		says, data string
		want       bool
	}{
		{"a plain mount", line("/proc", "rw"), false},
		{"hidepid=2 as older kernels say it", line("/proc", "rw,hidepid=2"), true},
		{"hidepid=invisible with a group", line("/proc", "rw,gid=5,hidepid=invisible"), true},
		{"switched off", line("/proc", "rw,hidepid=off"), false},
		{"another place's option", line("/chroot/proc", "rw,hidepid=2") + line("/proc", "rw"), false},
		{"mounted over", line("/proc", "rw,hidepid=2") + line("/proc", "rw"), false},
	} {
		if got := hidesProcesses(world.data); got != world.want {
			t.Errorf("%s: got %v", world.says, got)
		}
	}
}

func TestTTYName(t *testing.T) {
	for device, want := range map[uint32]string{0: "", 34816: "pts/0", 34819: "pts/3", 136<<8 | 0x1<<20 | 4: "pts/260",
		4<<8 | 1: "tty1", 4<<8 | 64: "ttyS0", 5<<8 | 1: "console", 204<<8 | 64: "204:64"} {
		if got := ttyName(device); got != want {
			t.Errorf("device %#x: got %q, want %q", device, got, want)
		}
	}
}

func TestCharacterKind(t *testing.T) {
	for _, world := range []struct {
		major, minor uint32
		want         inventory.Kind
	}{{1, 3, inventory.KindNull}, {1, 5, inventory.KindFile}, {136, 2, inventory.KindTTY}, {4, 1, inventory.KindTTY}, {10, 200, inventory.KindUnknown}} {
		if got := characterKind(world.major, world.minor); got != world.want {
			t.Errorf("%d:%d: got %s", world.major, world.minor, got)
		}
	}
}

// The datagrams below were recorded from kernel 6.18 on a little-endian machine.
func recorded(t *testing.T, digits string) []byte {
	t.Helper()
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("recorded on a little-endian machine")
	}
	data, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestUnixReplies(t *testing.T) {
	for _, world := range []struct {
		says, datagram string
		want           unixSocket
		err            error
	}{
		{says: "one end of a pair", datagram: "3000000014000000010000002715000001010100a5600100010000000000000008000200a66001000500060000000000",
			want: unixSocket{inode: 90277, state: tcpEstablished, kind: unixStream, peer: 90278, hasPeer: true, uid: -1}},
		{says: "the same when the other end was closed", datagram: "3000000014000000010000002715000001010100a5600100010000000000000008000200000000000500060003000000",
			want: unixSocket{inode: 90277, state: tcpEstablished, kind: unixStream, peer: 0, hasPeer: true, shut: bothWays, uid: -1}},
		{says: "a listener with an abstract name", datagram: "840000001400020002000000271500000a0a0000902b0000",
			err: errDiag},
		{says: "no such socket in this namespace", datagram: "3c000000020000000100000027150000feffffff2800000014000100010000000000000001000000ffffffff0100000005000000ffffffffffffffff",
			err: syscall.ENOENT},
	} {
		t.Run(world.says, func(t *testing.T) {
			var got unixSocket
			_, err := diagReplies(recorded(t, world.datagram), func(body []byte) (err error) {
				got, err = parseUnix(body)
				return err
			})
			if !errors.Is(err, world.err) || !reflect.DeepEqual(got, world.want) {
				t.Errorf("got %+v, %v; want %+v, %v", got, err, world.want, world.err)
			}
		})
	}
}

func TestInetReplies(t *testing.T) {
	const datagram = "7c000000140002000200000027150000020a000081d700007f0000010000000000000000000000000000000000000000000000000000000000000000011000000000000000000000010000000010000000000000ab600100050008000000000008000f00000000000c00150001000000000000000600160052000000" +
		"7c0000001400020002000000271500000201000081d783f07f0000010000000000000000000000007f0000010000000000000000000000000000000003100000000000000000000000000000000000000000000000000000050008000000000008000f00000000000c00150001000000000000000600160052000000"
	var got []tcpSocket
	done, err := diagReplies(recorded(t, datagram), func(body []byte) error {
		socket, err := parseInet(body)
		got = append(got, socket)
		return err
	})
	want := []tcpSocket{
		{local: netip.MustParseAddrPort("127.0.0.1:33239"), remote: netip.MustParseAddrPort("0.0.0.0:0"), state: tcpListen, inode: 90283},
		{local: netip.MustParseAddrPort("127.0.0.1:33239"), remote: netip.MustParseAddrPort("127.0.0.1:33776"), state: tcpEstablished},
	}
	if err != nil || done || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, %v", got, done, err)
	}
	if done, err := diagReplies(recorded(t, "1400000003000200020000002715000000000000"), nil); !done || err != nil {
		t.Errorf("end of a dump: %v, %v", done, err)
	}
}

func TestDamagedRepliesAreErrors(t *testing.T) {
	whole := unixRequest(1, 90277, ^uint32(0)) // any message will do
	for _, data := range [][]byte{
		bytes.Repeat([]byte{0}, netlinkHeader),
		append(bytes.Repeat([]byte{0xff}, 4), whole[4:]...),
	} {
		if _, err := diagReplies(data, func([]byte) error { return nil }); !errors.Is(err, errDiag) {
			t.Errorf("%x: %v", data, err)
		}
	}
	for _, body := range [][]byte{nil, make([]byte, unixMessageSize), append([]byte{1, 1, 1, 0}, bytes.Repeat([]byte{0xff}, 20)...)} {
		if _, err := parseUnix(body); err == nil {
			t.Errorf("unix reply %x was taken", body)
		}
	}
	if _, err := parseInet(make([]byte, inetMessageSize)); err == nil {
		t.Error("an inet reply without a family was taken")
	}
}

func TestParseNetTCP(t *testing.T) {
	const data = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1145 1 00000000c7c764b9 100 0 0 10 0\n" +
		"   1: 0100007F:1F90 0200000A:C350 01 00000000:00000000 00:00000000 00000000  1000        0 1200 1 0 20 4 30 10 -1\n" +
		"   2: 0100007F:1F90 0200000A:C351 06 00000000:00000000 03:00001770 00000000     0        0 0 3 0\n"
	want := []tcpSocket{
		{local: netip.MustParseAddrPort("127.0.0.1:8080"), remote: netip.MustParseAddrPort("0.0.0.0:0"), state: tcpListen, inode: 1145},
		{local: netip.MustParseAddrPort("127.0.0.1:8080"), remote: netip.MustParseAddrPort("10.0.0.2:50000"), state: tcpEstablished, inode: 1200, uid: 1000},
		{local: netip.MustParseAddrPort("127.0.0.1:8080"), remote: netip.MustParseAddrPort("10.0.0.2:50001"), state: tcpTimeWait},
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("recorded on a little-endian machine")
	}
	if got, err := parseNetTCP(data, false); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	const six = "heading\n   0: 0000000000000000FFFF00000100007F:1F90 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 7\n"
	if got, err := parseNetTCP(six, false); err != nil || got[0].local != netip.MustParseAddrPort("127.0.0.1:8080") {
		t.Errorf("a mapped address: %+v, %v", got, err)
	}
	if _, err := parseNetTCP("heading\n 0: nonsense\n", false); err == nil {
		t.Error("a line that is none was taken")
	}
}

func TestParseNetUnix(t *testing.T) {
	const data = "Num       RefCount Protocol Flags    Type St Inode Path\n" +
		"0000000000000000: 00000002 00000000 00010000 0001 01  1145 /run/a b.sock\n" +
		"0000000000000000: 00000003 00000000 00000000 0001 03  1146 @abstract\n" +
		"0000000000000000: 00000003 00000000 00000000 0002 01  1147\n"
	want := []unixSocket{
		{inode: 1145, state: tcpListen, kind: unixStream, name: "/run/a b.sock", uid: -1},
		{inode: 1146, state: tcpEstablished, kind: unixStream, name: "@abstract", uid: -1},
		{inode: 1147, state: tcpClose, kind: unixDatagram, uid: -1},
	}
	if got, err := parseNetUnix(data); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestWhatIsRegisteredWithARing(t *testing.T) {
	const head = "pos:\t0\nflags:\t02000002\nSqMask:\t0x7\nSqThread:\t-1\n"
	for _, world := range []struct {
		says, fdinfo string
		want         []descriptor
		told         bool
	}{
		{"nothing", head + "UserFiles:\t0\nUserBufs:\t0\nPollList:\n", nil, true},
		{"a pipe, a socket and a file, among empty places", head + "UserFiles:\t6\n    1: pipe:[615804]\n    3: socket:[615805]\n    4: /tmp/a\\040b: c\nUserBufs:\t1\n    0: 0x7f/4096\nPollList:\n",
			[]descriptor{{fd: elsewhere, kind: linkPipe, key: 615804, seen: linkLooked | linkUntold}, {fd: elsewhere, kind: linkSocket, key: 615805, seen: linkLooked | linkUntold}, {fd: elsewhere, kind: linkPath, seen: linkLooked | linkUntold}}, true},
		{"what has no other end", head + "UserFiles:\t1\n    0: anon_inode:[eventfd]\nUserBufs:\t0\n", nil, true},
		{"somebody uses the ring", head, nil, false},
		{"somebody uses the ring, in an old kernel", head + "UserFiles:\t2\nUserBufs:\t0\n", nil, false},
		{"an old kernel, which shows the name alone", head + "UserFiles:\t1\n    0: \nUserBufs:\t0\n", nil, false},
		{"an old kernel, which shows a socket's protocol", head + "UserFiles:\t1\n    0: UNIX\nUserBufs:\t0\n", nil, false},
		{"not a ring", "pos:\t0\n", nil, false},
	} {
		if got, told := parseRing([]byte(world.fdinfo)); told != world.told || !reflect.DeepEqual(got, world.want) {
			t.Errorf("%s: got %+v, told %v", world.says, got, told)
		}
	}
}

func TestParseLink(t *testing.T) {
	for link, want := range map[string]descriptor{"pipe:[721053]": {kind: linkPipe, key: 721053}, "socket:[81]": {kind: linkSocket, key: 81},
		"anon_inode:[eventpoll]": {}, "pipe:[x]": {}} {
		kind, key := parseLink([]byte(link))
		if kind != want.kind || key != want.key {
			t.Errorf("%s: got %d %d", link, kind, key)
		}
	}
}
