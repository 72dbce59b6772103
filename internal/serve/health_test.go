package serve

import (
	"errors"
	"fmt"
	"net"
	"os"
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

func TestHealthSaysWhereTheDaemonListens(t *testing.T) {
	unwell := errors.New("unwell")
	for _, row := range []struct {
		world, daemon string // where it listens; "" is on its socket alone
		runs          bool
		want          string
	}{
		{"no daemon", "", false, "unwell"},
		{"one on its socket alone", "", true, fmt.Sprintf("your daemon (process %d) listens on its socket alone", os.Getpid())},
		{"one on another port", "127.0.0.1:8080", true, fmt.Sprintf("your daemon (process %d) listens on 127.0.0.1:8080, not on %s", os.Getpid(), DefaultListen)},
		{"one on that port, which is not well", "[::]:9723", true, "unwell"},
	} {
		path := socketPath(t)
		if row.runs {
			server := New(Options{Metrics: published(t, full())})
			if row.daemon != "" {
				server.port.Store(&row.daemon)
			}
			endpoint, err := server.ListenUnix(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			run(t, endpoint)
		}
		if got := Elsewhere(t.Context(), path, DefaultListen, unwell); got.Error() != row.want {
			t.Errorf("%s: %v, want %s", row.world, got, row.want)
		}
	}
}
