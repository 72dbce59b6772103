package serve

import (
	"net"
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
