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
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/journal"
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
	account.Asker // of what a page does not ask: nil
	metrics       *serve.Metrics

	mu     sync.Mutex
	look   account.Look
	past   []journal.Entry
	socket string
	stop   func() // the daemon's end
}

func newStage(t *testing.T, updates ...update) *stage {
	t.Helper()
	folder, err := os.MkdirTemp("", "reaperd-page-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	s := &stage{metrics: serve.NewMetrics(account.Build{}), socket: filepath.Join(folder, "s")}
	for _, u := range updates {
		s.shows(u)
	}
	s.stop = s.answers(t)
	t.Cleanup(func() { s.stop() })
	return s
}

// shows has the daemon tell of an update.
func (s *stage) shows(u update) {
	s.mu.Lock()
	s.look = u.Look
	for _, o := range u.Outcomes {
		s.past = append(s.past, entryOf(o))
	}
	s.mu.Unlock()
	s.metrics.Tell()
}

func (s *stage) Account(context.Context, bool) (*account.Account, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return account.Of(s.look), nil
}

func (s *stage) Explain(_ context.Context, word string) (*account.Explanation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return account.ExplainOf(s.look, word, s.past)
}

func (s *stage) History(_ context.Context, query account.Period) (*account.History, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	query.Now = time.Now()
	return account.HistoryOf(s.past, query, ""), nil
}

// answers has the daemon answer until stop is called.
func (s *stage) answers(t *testing.T) (stop func()) {
	t.Helper()
	endpoint, err := serve.New(serve.Options{Metrics: s.metrics, Ask: func(account.Reader) account.Asker { return s }}).ListenUnix(t.Context(), s.socket, 0o600)
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
