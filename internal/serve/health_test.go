package serve

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func TestHealthAsksADaemonThatListensEverywhereOnLoopback(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:9723": "http://127.0.0.1:9723/healthz",
		":9723":          "http://127.0.0.1:9723/healthz",
		"0.0.0.0:9723":   "http://127.0.0.1:9723/healthz",
		"[::]:9723":      "http://[::1]:9723/healthz",
		"[10.1.2.3]:80":  "http://10.1.2.3:80/healthz",
		"node.local:80":  "http://node.local:80/healthz",
	} {
		if got, err := healthURL(listen); err != nil || got != want {
			t.Errorf("%s: %s (%v), want %s", listen, got, err, want)
		}
	}
	for _, listen := range []string{"", "9723", "localhost", "localhost:"} {
		if got, err := healthURL(listen); err == nil {
			t.Errorf("%q: %s, want an error", listen, got)
		}
	}
}

func TestHealthSaysThatNobodyListens(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	if err := Health(t.Context(), address, false); err == nil || err.Error() != "no daemon listens on "+address {
		t.Errorf("got %v", err)
	}
}

func TestHealthSaysWhatIsNotWell(t *testing.T) {
	ill := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "a sweep hangs for 3m", http.StatusServiceUnavailable)
	}))
	defer ill.Close()
	address := strings.TrimPrefix(ill.URL, "http://")
	if err := Health(t.Context(), address, false); err == nil || err.Error() != "what listens on "+address+" is not well: a sweep hangs for 3m" {
		t.Errorf("got %v", err)
	}
}

func TestHealthAsksTheSocketToo(t *testing.T) {
	unwell := errors.New("unwell")
	who := fmt.Sprintf("process %d", os.Getpid())
	for _, row := range []struct {
		world, daemon string // where it listens; "" is on its socket alone
		runs, ill     bool
		found, fault  string
	}{
		{"no daemon", "", false, false, "", "unwell, and none answers on your socket"},
		{"one on its socket alone", "", true, false, who + ", on its socket alone (run --listen adds a port)", ""},
		{"one on its socket alone that is not well", "", true, true, "", "your daemon (" + who + ") is not well: a sweep hangs"},
		{"one on another port", "127.0.0.1:8080", true, false, who + " listens on 127.0.0.1:8080, not on " + DefaultListen, ""},
		{"one on that port, which is not well", "[::]:9723", true, false, "", "unwell"},
	} {
		path := socketPath(t)
		if row.runs {
			server := New(Options{Metrics: published(t, full()), Alive: func() (bool, string) { return !row.ill, "a sweep hangs" }})
			if row.daemon != "" {
				server.port.Store(&row.daemon)
			}
			endpoint, err := server.ListenUnix(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			run(t, endpoint)
		}
		found, err := HealthOnSocket(t.Context(), path, DefaultListen, unwell)
		if fault := fmt.Sprint(err); found != row.found || row.fault != "" && fault != row.fault || row.fault == "" && err != nil {
			t.Errorf("%s: found %q, %v", row.world, found, err)
		}
	}
}
