package scan

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

func FuzzCommandLine(f *testing.F) {
	f.Add("node\x00dist/index.js\x00", 7)
	f.Add(strings.Repeat("a\x00", 300), 16)
	f.Add("npm exec x\x00\x00\x00", 1000)
	f.Add("\x00", 1)
	f.Fuzz(func(t *testing.T, text string, piece int) {
		const keep = 256
		line := lineOf(inventory.ID{PID: 7, Start: 1}, keep, max(1, piece%4096), text)
		if len(line.argv) > maxArguments || len(strings.Join(line.argv, "")) > keep {
			t.Errorf("%d arguments are kept", len(line.argv))
		}
		if line.hash == "" && text != "" && strings.Join(line.argv, "\x00") != strings.TrimSuffix(text, "\x00") {
			t.Errorf("%q became %q and is said to be whole", text, line.argv)
		}
	})
}

func FuzzEnvironment(f *testing.F) {
	f.Add([]byte("PATH=/bin\x00REAPERD_KEEP=1\x00OPENCODE_PID=4"), 3)
	f.Add([]byte("REAPERD_KEEP\x00=\x00\x00"), 1)
	f.Fuzz(func(t *testing.T, environ []byte, piece int) {
		whole, _ := markersIn(bytes.NewReader(environ))
		piece = max(1, piece%64)
		if parts, err := markersIn(&pieces{environ, piece}); err != nil || !maps.Equal(whole, parts) {
			t.Errorf("%q: %q in one piece, %q in pieces of %d", environ, whole, parts, piece)
		}
	})
}

func FuzzCgroup(f *testing.F) {
	f.Add("0::/system.slice/docker-" + strings.Repeat("0a", 32) + ".scope\n")
	f.Add("12:pids:/docker/" + strings.Repeat("0a", 32) + "\n1:name=systemd:/\n")
	f.Add("22 21 0:21 /containers/" + strings.Repeat("0a", 32) + "/hostname /etc/hostname rw - proc proc rw,hidepid=2\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, container := cgroupOf(text)
		for _, id := range []string{container, containerInMounts(text)} {
			if id != "" && !inventory.IsContainerID(id) {
				t.Errorf("%q is a container", id)
			}
		}
		hidesProcesses(text)
	})
}

func FuzzDiag(f *testing.F) {
	f.Add(unixRequest(1, 7, 0))
	f.Add(append(unixRequest(1, 0, 0xff), inetRequest(2, familyIPv6, protocolTCP, 0xff)...))
	f.Fuzz(func(t *testing.T, datagram []byte) {
		_, _ = diagReplies(datagram, func(body []byte) error {
			_, _ = parseUnix(body)
			_, err := parseInet(body)
			return err
		})
	})
}

func FuzzRing(f *testing.F) {
	f.Add([]byte("ino:\t1\nUserFiles:\t2\n    0: pipe:[17]\n    1: /a b\nUserBufs:\t0\n"))
	f.Fuzz(func(t *testing.T, fdinfo []byte) {
		links, told := parseRing(fdinfo)
		for _, link := range links {
			if !told || link.fd != elsewhere || link.kind == linkOther {
				t.Errorf("%+v of a ring, told %v", link, told)
			}
		}
	})
}

func FuzzNetFiles(f *testing.F) {
	f.Add("heading\n   0: 0100007F:1F90 00000000:0000 0A 0:0 00:0 0 0 0 1145\n")
	f.Add("heading\n0000000000000000: 00000002 00000000 00010000 0001 01  1145 /run/a b.sock\n")
	f.Fuzz(func(t *testing.T, text string) {
		tcp, _ := parseNetTCP(text, len(text)%2 == 0)
		unix, _ := parseNetUnix(text)
		newSockets(tcp, unix, true).listening([]uint64{0, 1145})
	})
}
