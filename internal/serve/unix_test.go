package serve

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
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
	endpoint, err := New(options).ListenUnix(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return run(t, endpoint)
}

func TestTheSocketTellsEverythingToItsUserAlone(t *testing.T) {
	path := socketPath(t)
	stop := onSocket(t, Options{Metrics: published(t, full())}, path)
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("mode %v, want a socket of 0600", info.Mode())
	}
	report, err := ask(t.Context(), path, reportPath)
	if err != nil || string(report) != `{"version":1}` {
		t.Errorf("report %q, %v", report, err)
	}
	status, err := Status(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var state State
	if err := json.Unmarshal(status, &state); err != nil || state.PID != os.Getpid() {
		t.Errorf("status %s, %v", status, err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is left behind: %v", err)
	}
	if _, err := Status(t.Context(), path); !errors.Is(err, ErrNotRunning) {
		t.Errorf("want %v, got %v", ErrNotRunning, err)
	}
}

func TestASocketThatWasLeftBehindIsReplaced(t *testing.T) {
	path := socketPath(t)
	standin.DeadSocket(t, path)
	if _, err := Status(t.Context(), path); !errors.Is(err, ErrNotRunning) {
		t.Errorf("want %v, got %v", ErrNotRunning, err)
	}
	onSocket(t, Options{Metrics: published(t, full())}, path)
	if _, err := Status(t.Context(), path); err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("beside the socket: %v", entries)
	}
}

func TestAnotherDaemonKeepsItsSocket(t *testing.T) {
	path := socketPath(t)
	onSocket(t, Options{Metrics: published(t, full())}, path)
	if _, err := New(Options{Metrics: published(t)}).ListenUnix(t.Context(), path); !errors.Is(err, errRunning) {
		t.Errorf("want %v, got %v", errRunning, err)
	}
	if report, err := ask(t.Context(), path, reportPath); err != nil || len(report) == 0 {
		t.Errorf("the first one answers no more: %v", err)
	}
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
	if _, err := Status(ctx, path); err == nil || errors.Is(err, ErrNotRunning) {
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

func TestTheToolSaysWhatTheDaemonSays(t *testing.T) {
	path := socketPath(t)
	m, _ := newTestMetrics()
	onSocket(t, Options{Metrics: m}, path)
	if _, err := ask(t.Context(), path, reportPath); err == nil || !strings.Contains(err.Error(), "no sweep has finished yet") {
		t.Errorf("got %v", err)
	}
	listener, err := net.Listen("unix", path+"2")
	if err != nil {
		t.Fatal(err)
	}
	silent := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })}
	served := make(chan error, 1)
	go func() { served <- silent.Serve(listener) }()
	if _, err := ask(t.Context(), path+"2", reportPath); err == nil || !strings.Contains(err.Error(), "418") {
		t.Errorf("got %v", err)
	}
	silent.Close()
	<-served
}

// serveUnix binds the socket and answers until the context ends.
func serveUnix(ctx context.Context, s *Server, path string) error {
	endpoint, err := s.ListenUnix(ctx, path)
	if err != nil {
		return err
	}
	return endpoint.Serve(ctx)
}
