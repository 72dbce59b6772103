package serve

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
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
	if got, err := HealthOnPort(t.Context(), strings.TrimPrefix(port.URL, "http://"), true); err != nil || got != "nothing is acted on: the journal takes no record" {
		t.Errorf("on its port: %q, %v", got, err)
	}
}

// TestHealthOfAnothersDaemonIsNotOnes, unless its port was named. One that does not say whose it is may be one's own.
func TestHealthOfAnothersDaemonIsNotOnes(t *testing.T) {
	for _, row := range []struct {
		user string
		own  bool
		well bool
	}{{"4711", true, false}, {"4711", false, true}, {strconv.Itoa(os.Geteuid()), true, true}, {"", true, true}} {
		daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set(userHeader, row.user) }))
		_, err := HealthOnPort(t.Context(), strings.TrimPrefix(daemon.URL, "http://"), row.own)
		daemon.Close()
		if (err == nil) != row.well {
			t.Errorf("user %q, own %v: %v", row.user, row.own, err)
		}
	}
}
