package scan

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/test/eventually"
)

// serve accepts connections at a path, and holds them.
func serve(t *testing.T, path string) {
	t.Helper()
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var held []net.Conn // a connection that nobody holds is closed with the next collection
	ended := make(chan struct{})
	t.Cleanup(func() {
		listener.Close()
		<-ended
		for _, connection := range held {
			connection.Close()
		}
	})
	go func() {
		defer close(ended)
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			held = append(held, connection)
		}
	}()
}

// connectionsTo looks at who is connected to a socket.
func connectionsTo(t *testing.T, path string) inventory.Fact[[]inventory.Connection] {
	t.Helper()
	scanner, err := New(Options{Sockets: func() []string { return []string{path} }})
	if err != nil {
		t.Fatal(err)
	}
	defer scanner.Close()
	look, err := scanner.Processes(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return look.Clients.Engines[path]
}

func TestWhoIsConnectedToAnEngine(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "engine.sock"), filepath.Join(folder, "link.sock")
	serve(t, path)
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if open, known := connectionsTo(t, path).Get(); !known || len(open) != 0 {
		t.Errorf("nobody is connected, and these are: %v, %v", open, known)
	}
	connection, err := net.Dial("unix", link)
	if err != nil {
		t.Fatal(err)
	}
	isOurs := func(c inventory.Connection) bool {
		return slices.Equal(c.PIDs, []int{os.Getpid()}) && c.UID == inventory.Known(os.Getuid())
	}
	for _, name := range []string{path, link} {
		if open, known := connectionsTo(t, name).Get(); !known || len(open) != 1 || !isOurs(open[0]) {
			t.Errorf("by %s: %+v, %v", name, open, known)
		}
	}
	if err := connection.(*net.UnixConn).CloseWrite(); err != nil { // it has sent its batch, and waits
		t.Fatal(err)
	}
	if open, _ := connectionsTo(t, path).Get(); len(open) != 1 {
		t.Errorf("half closed: %+v", open)
	}
	connection.Close()
	if open, known := connectionsTo(t, path).Get(); !known || len(open) != 0 {
		t.Errorf("it has gone: %+v, %v", open, known)
	}
}

// TestAClientInAnotherNetworkNamespaceIsSeen: as one in a container that has the engine's socket.
func TestAClientInAnotherNetworkNamespaceIsSeen(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root makes a network namespace")
	}
	path := filepath.Join(t.TempDir(), "engine.sock")
	serve(t, path)
	client := exec.Command("unshare", "--net", os.Args[0])
	client.Env = append(os.Environ(), role+"=connect", "SCAN_TEST_SOCKET="+path)
	stdin, err := client.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); _ = client.Wait() })
	eventually.Holds(t, "it is connected", func() bool {
		open, known := connectionsTo(t, path).Get()
		return known && len(open) == 1 && slices.Equal(open[0].PIDs, []int{client.Process.Pid})
	})
}

func TestAnEngineThatNobodyServesTellsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engine.sock")
	if fact := connectionsTo(t, path); !fact.IsUnreadable() {
		t.Errorf("there is no socket: %+v", fact)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if fact := connectionsTo(t, path); !fact.IsUnreadable() {
		t.Errorf("nobody listens: %+v", fact)
	}
}

// Engines in other mount namespaces of this network listen under the same name. Where the kernel names the file as
// it is seen here, theirs is told by that; else whoever has the name counts.
func TestAnEngineOfTheSameNameElsewhere(t *testing.T) {
	const name = "/run/docker.sock"
	here, sockets := socketFile{inode: 7, device: 1}, clientSockets{}
	for inode, s := range map[uint64]unixSocket{10: {file: here, state: tcpListen}, 11: {file: here, peer: 12}, 20: {file: socketFile{8, 2}, state: tcpListen}, 21: {peer: 22}} {
		s.name = name
		sockets[inode] = s
	}
	if peers, listeners := sockets.acceptedAt(here, []string{name}); !slices.Equal(peers, []uint64{12}) || !slices.Equal(listeners, []uint64{10}) {
		t.Errorf("peers %v, listeners %v; want those of the file", peers, listeners)
	}
	if peers, _ := sockets.acceptedAt(socketFile{inode: 9, device: 9}, []string{name}); len(peers) != 2 {
		t.Errorf("peers %v; want all of the name", peers)
	}
}
