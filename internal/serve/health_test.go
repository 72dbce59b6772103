package serve

import (
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
		"127.0.0.1:9723": "127.0.0.1:9723",
		":9723":          "127.0.0.1:9723",
		"0.0.0.0:9723":   "127.0.0.1:9723",
		"[::]:9723":      "[::1]:9723",
		"[10.1.2.3]:80":  "10.1.2.3:80",
		"node.local:80":  "node.local:80",
	} {
		if got, err := hostToAsk(listen); err != nil || got != want {
			t.Errorf("%s: %s (%v), want %s", listen, got, err, want)
		}
	}
	for _, listen := range []string{"", "9723", "localhost", "localhost:", "127.0.0.1:99999", "127.0.0.1:nosuch"} {
		if got, err := hostToAsk(listen); err == nil {
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
	if _, err := HealthOnPort(t.Context(), address, false); err == nil || err.Error() != "no daemon listens on "+address {
		t.Errorf("got %v", err)
	}
}

func TestHealthSaysWhatIsNotWell(t *testing.T) {
	ill := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "a sweep hangs for 3m", http.StatusServiceUnavailable)
	}))
	defer ill.Close()
	address := strings.TrimPrefix(ill.URL, "http://")
	if _, err := HealthOnPort(t.Context(), address, false); err == nil || err.Error() != "what listens on "+address+" is not well: a sweep hangs for 3m" {
		t.Errorf("got %v", err)
	}
}

func TestAnotherProgramOnThePortIsNoDaemon(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	address := strings.TrimPrefix(other.URL, "http://")
	want := "what listens on " + address + " is no reaperd: its /healthz answers with HTTP 404"
	if _, err := HealthOnPort(t.Context(), address, false); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestADaemonThatActsOnNothingLivesAllTheSame(t *testing.T) {
	full := Options{Metrics: published(t, full()), Ready: func() (bool, string) { return false, "nothing is acted on: the journal takes no record" }}
	full.Ask = answersTo
	path := socketPath(t)
	onSocket(t, full, path)
	if got := dialed(t, path); got.NotReady != "nothing is acted on: the journal takes no record" || got.Dead != "" {
		t.Errorf("on its socket: %+v", got.Hello)
	}
	port := httptest.NewServer(New(full).portHandler(true))
	defer port.Close()
	if got, err := HealthOnPort(t.Context(), strings.TrimPrefix(port.URL, "http://"), true); err != nil || got.NotReady != "nothing is acted on: the journal takes no record" {
		t.Errorf("on its port: %+v, %v", got, err)
	}
}

func TestADaemonSaysWhereItListens(t *testing.T) {
	who := fmt.Sprintf("process %d", os.Getpid())
	for listen, want := range map[string]string{
		"":               who + ", on its socket alone (run --listen adds a port)",
		"127.0.0.1:8080": who + " listens on 127.0.0.1:8080, not on " + DefaultListen,
		DefaultListen:    "",
		"[::]:9723":      "",
	} {
		if got := (&Hello{PID: os.Getpid(), Listen: listen}).Elsewhere(DefaultListen); got != want {
			t.Errorf("on %q: %q, want %q", listen, got, want)
		}
	}
}
