package serve

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestTheKernelNamesWhoIsAtTheOtherEnd of a connection.
func TestTheKernelNamesWhoIsAtTheOtherEnd(t *testing.T) {
	path := socketPath(t)
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	own, _ := os.Getgroups()
	for _, end := range []net.Conn{client, accepted} {
		peer, err := peerOf(end)
		if err != nil || peer.UID != os.Geteuid() || peer.PID != os.Getpid() && peer.PID != 0 || !slices.Contains(peer.Groups, os.Getegid()) {
			t.Errorf("%+v, %v", peer, err)
		}
		for _, gid := range own {
			if !slices.Contains(peer.Groups, gid) {
				t.Errorf("group %d is not among %d", gid, peer.Groups)
			}
		}
	}
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	if _, err := peerOf(here); err == nil {
		t.Error("the kernel knows nothing of a pipe in this program")
	}
}

// TestWhoMayConnectToAnEngineReachesIt: by the mode of its socket, and of every folder above.
func TestWhoMayConnectToAnEngineReachesIt(t *testing.T) {
	const other, group = 4_000_111, 4_000_222
	root := t.TempDir()
	if err := errors.Join(os.Chmod(root, 0o755), os.Chmod(filepath.Dir(root), 0o755)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(root)
	if err != nil {
		t.Fatal(err)
	}
	gid := int(info.Sys().(*syscall.Stat_t).Gid)
	for _, row := range []struct {
		world          string
		folder, socket fs.FileMode
		peer           Peer
		want           bool
	}{
		{"its owner", 0o700, 0o600, Peer{UID: os.Geteuid()}, true},
		{"its owner, who may not write it", 0o700, 0o466, Peer{UID: os.Geteuid()}, false},
		{"of its group", 0o750, 0o660, Peer{UID: other, Groups: []int{group, gid}}, true},
		{"of its group, which may not write it", 0o750, 0o606, Peer{UID: other, Groups: []int{gid}}, false},
		{"of another group", 0o755, 0o660, Peer{UID: other, Groups: []int{group}}, false},
		{"anybody", 0o755, 0o666, Peer{UID: other}, true},
		{"anybody, in a folder that is shut", 0o750, 0o666, Peer{UID: other}, false},
	} {
		folder := filepath.Join(root, strings.ReplaceAll(row.world, " ", "-"))
		socket := filepath.Join(folder, "docker.sock")
		if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(socket, nil, 0o600), os.Chmod(socket, row.socket), os.Chmod(folder, row.folder)); err != nil {
			t.Fatal(err)
		}
		link := folder + ".link"
		if err := os.Symlink(socket, link); err != nil {
			t.Fatal(err)
		}
		for _, engine := range []string{socket, link} {
			if got := row.peer.reader().Reaches("unix://" + engine); got != row.want {
				t.Errorf("%s: %v, want %v", row.world, got, row.want)
			}
		}
	}
	for _, engine := range []string{"", "tcp://127.0.0.1:2375", "unix://" + root + "/none.sock", "npipe://x"} {
		if (Peer{UID: 0}).reaches(engine) {
			t.Errorf("%q is reached", engine)
		}
	}
}

// TestNobodyAnswersWhereNobodyListens, and whoever gives up learns that.
func TestNobodyAnswersWhereNobodyListens(t *testing.T) {
	path := socketPath(t)
	for _, at := range []string{path, "/" + strings.Repeat("a", 200)} {
		if _, err := Dial(t.Context(), at); !errors.Is(err, ErrNotRunning) {
			t.Errorf("%s: %v", at, err)
		}
	}
	listener, err := net.Listen("unix", path) // it accepts nothing, as if a signal had stopped it
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Dial(ended, path); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestAHangingDaemonIsToldWithItsRemedy(t *testing.T) {
	own := &HangsError{Peer{UID: os.Geteuid(), PID: os.Getpid()}}
	if text, remedy := own.Error(), own.Remedy(); !strings.Contains(text, "does not answer within 2s: it hangs") || remedy != "reaperd doctor" {
		t.Errorf("%q, %q", text, remedy)
	}
	unknown := &HangsError{}
	if text := unknown.Error(); text != "the daemon does not answer within 2s: it hangs" {
		t.Errorf("%q", text)
	}
}
