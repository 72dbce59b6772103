package serve

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
)

// connections is a listener that keeps so many, and what it has accepted.
func connections(t *testing.T, most int) (*limited, func() (client net.Conn, accepted *counted)) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() })
	listener := newLimited(inner, most, 0)
	return listener, func() (net.Conn, *counted) {
		client, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
		accepted, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { accepted.Close() })
		return client, accepted.(*counted)
	}
}

// isShed reports whether the server has closed a client's connection.
func isShed(t *testing.T, client net.Conn) bool {
	t.Helper()
	_, err := client.Read(make([]byte, 1))
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
}

func TestAConnectionTooManyClosesTheOldestThatWaits(t *testing.T) {
	listener, dial := connections(t, 2)
	_, first := dial()
	second, _ := dial()
	first.setAnswering(true)
	dial()
	if !isShed(t, second) {
		t.Error("the older of those that wait is still open")
	}
	if n := len(listener.open); n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
	first.Close()
	first.Close()
	if n := len(listener.open); n != 1 {
		t.Errorf("%d connections after one ended, want 1", n)
	}
}

func TestAConnectionTooManyClosesOneOfThePeerThatHasMost(t *testing.T) {
	listener, dial := connections(t, 3)
	_, single := dial()
	single.from = "192.0.2.7"
	older, _ := dial()
	dial()
	dial()
	if !isShed(t, older) {
		t.Error("the oldest of the peer with two is still open")
	}
	if len(listener.open) != 3 || listener.open[0] != single {
		t.Error("the peer with one connection has lost it")
	}
}

func TestWhereAllAreAnsweringTheOldestGivesWay(t *testing.T) {
	_, dial := connections(t, 2)
	oldest, first := dial()
	_, second := dial()
	first.setAnswering(true)
	second.setAnswering(true)
	dial()
	if !isShed(t, oldest) {
		t.Error("the oldest is still open")
	}
}

func TestConnectionsThatNeverFinishShutNobodyOut(t *testing.T) {
	endpoint := listen(t, Options{Metrics: published(t, full())})
	run(t, endpoint)
	for range 3 * maxConnections {
		conn, err := net.Dial("tcp", endpoint.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n")
	}
	if got := get(t, "http://"+endpoint.Addr()+"/healthz"); got.code != http.StatusOK {
		t.Errorf("got %d", got.code)
	}
}
