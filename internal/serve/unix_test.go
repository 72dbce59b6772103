package serve

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/test/standin"
)

// socketPath is a path for a socket, short enough for one.
func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "reaperd-serve-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "reaperd.sock")
}

func onSocket(t *testing.T, options Options, path string) (stop func() error) {
	t.Helper()
	endpoint, err := New(options).ListenUnix(t.Context(), path, OwnSocket)
	if err != nil {
		t.Fatal(err)
	}
	return run(t, endpoint)
}

func TestASocketThatWasLeftBehindIsReplaced(t *testing.T) {
	path := socketPath(t)
	standin.DeadSocket(t, path)
	if _, err := Dial(t.Context(), path); !errors.Is(err, ErrNotRunning) {
		t.Errorf("want %v, got %v", ErrNotRunning, err)
	}
	onSocket(t, Options{Metrics: published(t, full()), Ask: answersTo}, path)
	dialed(t, path)
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("beside the socket: %v", entries)
	}
}

func TestAnotherDaemonKeepsItsSocket(t *testing.T) {
	path := socketPath(t)
	onSocket(t, Options{Metrics: published(t, full()), Ask: answersTo}, path)
	if _, err := New(Options{Metrics: published(t)}).ListenUnix(t.Context(), path, OwnSocket); !errors.Is(err, errRunning) {
		t.Errorf("want %v, got %v", errRunning, err)
	}
	dialed(t, path) // the first one answers still
}

func TestADaemonThatHangsKeepsItsSocket(t *testing.T) {
	path := socketPath(t)
	listener, err := net.Listen("unix", path) // accepts nothing
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := serveUnix(t.Context(), New(Options{Metrics: published(t)}), path); !errors.Is(err, errRunning) {
		t.Errorf("want %v, got %v", errRunning, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Dial(ctx, path); err == nil || errors.Is(err, ErrNotRunning) {
		t.Errorf("it runs and does not answer, got %v", err)
	}
}

func TestWhatIsNoSocketIsNotTouched(t *testing.T) {
	path := socketPath(t)
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := serveUnix(t.Context(), New(Options{Metrics: published(t)}), path); err == nil {
		t.Error("want an error")
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "precious" {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestASocketThatAnotherDaemonPutThereStays(t *testing.T) {
	path := socketPath(t)
	stop := onSocket(t, Options{Metrics: published(t)}, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	standin.DeadSocket(t, path)
	if err := stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the other one's socket is gone: %v", err)
	}
}

func TestASocketThatCannotBe(t *testing.T) {
	s := New(Options{Metrics: published(t)})
	for _, c := range []struct{ name, path, says string }{
		{"no such directory", filepath.Join(socketPath(t), "none", "reaperd.sock"), syscall.ENOENT.Error()},
		{"a path that no system takes", filepath.Join(t.TempDir(), strings.Repeat("x", 200)), "too long for a socket"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := serveUnix(t.Context(), s, c.path)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
			if _, err := os.Lstat(c.path); err == nil {
				t.Error("something was left there")
			}
		})
	}
}

// serveUnix binds the socket and answers until the context ends.
func serveUnix(ctx context.Context, s *Server, path string) error {
	endpoint, err := s.ListenUnix(ctx, path, OwnSocket)
	if err != nil {
		return err
	}
	return endpoint.Serve(ctx)
}
