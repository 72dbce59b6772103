package scan

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// servedWith starts a server whose stdin and stdout nobody has any more, and which has
// these files from descriptor 3 on. The test has their other ends.
func servedWith(t *testing.T, files ...*os.File) *child {
	t.Helper()
	in, writer := pipe(t)
	reader, out := pipe(t)
	cmd := exec.Command("/bin/sleep", "600")
	cmd.Stdin, cmd.Stdout, cmd.ExtraFiles = in, out, files
	c := start(t, cmd)
	for _, file := range append([]*os.File{in, writer, reader, out}, files...) {
		file.Close()
	}
	return c
}

// bound is a socket with an address.
func bound(t *testing.T, domain, kind int, at unix.Sockaddr) *os.File {
	t.Helper()
	fd, err := unix.Socket(domain, kind|unix.SOCK_CLOEXEC, 0)
	if err == nil && at != nil {
		err = unix.Bind(fd, at)
	}
	if err != nil {
		t.Skip(err)
	}
	return os.NewFile(uintptr(fd), "bound")
}

// fixedPort is a UDP port that a program has chosen.
func fixedPort(t *testing.T) *os.File {
	t.Helper()
	for port := 20000; port < 30000; port++ {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Skip(err)
		}
		if unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}) == nil {
			return os.NewFile(uintptr(fd), "bound")
		}
		unix.Close(fd)
	}
	t.Skip("no free port")
	return nil
}

// TestWhoReceivesDatagramsListens: who sends them cannot be told.
func TestWhoReceivesDatagramsListens(t *testing.T) {
	for _, world := range []struct {
		says    string
		file    func(t *testing.T) *os.File
		listens bool
	}{
		{"UDP at a port that it has chosen", fixedPort, true},
		{"UDP at a port that the kernel has chosen: it waits for answers", func(t *testing.T) *os.File {
			return bound(t, unix.AF_INET, unix.SOCK_DGRAM, &unix.SockaddrInet4{})
		}, false},
		{"UDP at a high port of the loopback address, which it has asked for", func(t *testing.T) *os.File {
			return bound(t, unix.AF_INET, unix.SOCK_DGRAM, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
		}, true},
		{"UDP that looks for others in the network, as browsers do", func(t *testing.T) *os.File {
			file := bound(t, unix.AF_INET6, unix.SOCK_DGRAM, nil)
			if err := errors.Join(unix.SetsockoptInt(int(file.Fd()), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1), unix.SetsockoptInt(int(file.Fd()), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1),
				unix.Bind(int(file.Fd()), &unix.SockaddrInet6{Port: 5353})); err != nil {
				t.Skip(err)
			}
			return file
		}, false},
		{"UDP that is connected to one other", func(t *testing.T) *os.File {
			file := fixedPort(t)
			if err := unix.Connect(int(file.Fd()), &unix.SockaddrInet4{Port: 9, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
				t.Skip(err)
			}
			return file
		}, false},
		{"Unix datagrams by a name", func(t *testing.T) *os.File {
			return bound(t, unix.AF_UNIX, unix.SOCK_DGRAM, &unix.SockaddrUnix{Name: abstract()})
		}, true},
		{"Unix datagrams by a name that the kernel has chosen", func(t *testing.T) *os.File {
			return bound(t, unix.AF_UNIX, unix.SOCK_DGRAM, &unix.SockaddrUnix{})
		}, false},
		{"the docker CLI's socket for its plugin", func(t *testing.T) *os.File {
			l, _ := listenAt(t, "unix", fmt.Sprintf("@docker_cli_%032x", time.Now().UnixNano()))
			return asFile(t, l)
		}, false},
		{"a socket with the beginning of that name", func(t *testing.T) *os.File {
			l, err := net.Listen("unix", "@docker_cli_"+abstract()[1:])
			if err != nil {
				t.Skip(err)
			}
			defer l.Close()
			return asFile(t, l)
		}, true},
	} {
		t.Run(world.says, func(t *testing.T) {
			server := servedWith(t, world.file(t))
			p := in(t, lookAt(t, scannerOf(t, server.pid())), server.pid())
			if got, known := p.Listening.Get(); got != world.listens || !known {
				t.Errorf("listens: %v, known %v; want %v", got, known, world.listens)
			}
			if n, known := p.Connections.Get(); n != 0 || p.Listening.Or(false) && len(p.ListenPorts) == 0 && world.says[0] == 'U' && known {
				t.Errorf("%d connections, known: %v", n, known)
			}
		})
	}
}

// TestADatagramListenerWithAConnectionIsKnownToBeUsed: it listens for both.
func TestADatagramListenerWithAConnectionIsKnownToBeUsed(t *testing.T) {
	l, _ := listenAt(t, "tcp4", "127.0.0.1:0")
	server := servedWith(t, fixedPort(t), asFile(t, l))
	if p := in(t, lookAt(t, scannerOf(t, server.pid())), server.pid()); p.Connections.Or(0) != 1 {
		t.Errorf("connections: %v, want 1", p.Connections)
	}
}

// TestAProgramForAPersonHasADisplay has a program below a server, connected to a socket
// with the name of a display's.
func TestAProgramForAPersonHasADisplay(t *testing.T) {
	folder, err := os.MkdirTemp("", "x") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := os.Mkdir(filepath.Join(folder, ".X11-unix"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, world := range []struct {
		says, network, address string
		want                   bool
	}{
		{"X11", "unix", filepath.Join(folder, ".X11-unix", "X7"), true},
		{"X11, abstract", "unix", "@" + filepath.Join(folder, ".X11-unix", "X7"), true},
		{"Wayland", "unix", filepath.Join(folder, "wayland-0"), true},
		{"windows that sshd shows elsewhere", "tcp4", "127.0.0.1:6057", true},
		{"something else", "unix", filepath.Join(folder, "bus"), false},
	} {
		t.Run(world.says, func(t *testing.T) {
			_, its := listenAt(t, world.network, world.address)
			file := asFile(t, its)
			its.Close()
			parent, pid := startParentWith(t, file)
			s := scannerOf(t, parent.pid())
			for range 2 {
				look := lookAt(t, s)
				if got := in(t, look, pid).Display.Or(false); got != world.want {
					t.Errorf("the program below has a display: %v, want %v", got, world.want)
				}
				if got := in(t, look, parent.pid()).Display; !got.IsZero() {
					t.Errorf("the candidate was asked too: %v", got)
				}
			}
		})
	}
}

// startParentWith starts a shell, and below it a program that has a file as descriptor 3, which
// the shell closes.
func startParentWith(t *testing.T, file *os.File) (parent *child, pid int) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "sleep 600 >/dev/null & exec 3>&-; echo $!; wait")
	cmd.ExtraFiles = []*os.File{file}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	parent = start(t, cmd)
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Kill(pid, unix.SIGKILL) })
	return parent, pid
}
