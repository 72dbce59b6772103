package page

import (
	"context"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/test/page/window"
)

func TestMain(m *testing.M) {
	status := m.Run()
	window.End()
	os.Exit(status)
}

// stage is a daemon that shows what it is told.
type stage struct {
	metrics *serve.Metrics
	socket  string
	stop    func() // the daemon's end
}

func newStage(t *testing.T, updates ...serve.Update) *stage {
	t.Helper()
	folder, err := os.MkdirTemp("", "reaperd-page-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	s := &stage{metrics: serve.NewMetrics(serve.MetricsOptions{Build: serve.Build{Version: "v0.9.0"}}), socket: filepath.Join(folder, "s")}
	for _, u := range updates {
		s.metrics.Publish(u)
	}
	s.stop = s.answers(t)
	t.Cleanup(func() { s.stop() })
	return s
}

// answers has the daemon answer until stop is called.
func (s *stage) answers(t *testing.T) (stop func()) {
	t.Helper()
	endpoint, err := serve.New(serve.Options{Metrics: s.metrics}).ListenUnix(t.Context(), s.socket, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- endpoint.Serve(ctx) }()
	return sync.OnceFunc(func() { cancel(); <-served })
}

// hangs leaves the connections open that the daemon has, and answers no new one.
func (s *stage) hangs(t *testing.T) {
	t.Helper()
	if err := os.Remove(s.socket); err != nil {
		t.Fatal(err)
	}
	silent, err := net.Listen("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
}

// address is an address for one browser, through the same door as `reaperd page`.
func (s *stage) address(t *testing.T) string {
	t.Helper()
	visit := serve.NewVisit(s.socket)
	server := httptest.NewUnstartedServer(visit.Handler())
	server.Start()
	t.Cleanup(server.CloseClientConnections)
	return fmt.Sprint(server.URL, visit.Path())
}
