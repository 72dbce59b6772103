package serve

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// limited is a listener with a limit of open connections. It accepts every new one
// and closes another if there are too many, so connections that never finish a
// request block nobody.
type limited struct {
	net.Listener
	most  int
	close func() error

	mu   sync.Mutex
	open []*counted // in the order in which they were accepted
}

func newLimited(listener net.Listener, connections int) *limited {
	return &limited{Listener: listener, most: connections, close: sync.OnceValue(listener.Close)}
}

// Close may be called more than once.
func (l *limited) Close() error { return l.close() }

// Accept waits for a connection.
func (l *limited) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	accepted := &counted{Conn: conn, from: hostOf(conn), list: l}
	if shed := l.add(accepted); shed != nil {
		shed.Conn.Close()
	}
	return accepted, nil
}

// hostOf is the address that a connection comes from, without the port.
func hostOf(conn net.Conn) string {
	host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	if err != nil { // a Unix socket's
		return ""
	}
	return host
}

// add adds a connection, and returns the one to close for it; nil is none.
func (l *limited) add(c *counted) (shed *counted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.most {
		shed = l.leastMissed()
		l.drop(shed)
	}
	l.open = append(l.open, c)
	return shed
}

// leastMissed is the oldest connection without a request being answered, of the
// address that has most of them; if all are being answered, the oldest of all.
func (l *limited) leastMissed() *counted {
	waiting := map[string]int{}
	for _, c := range l.open {
		if !c.answering {
			waiting[c.from]++
		}
	}
	found := l.open[0]
	for i := len(l.open) - 1; i >= 0; i-- { // so that the oldest wins
		c := l.open[i]
		if !c.answering && (found.answering || waiting[c.from] >= waiting[found.from]) {
			found = c
		}
	}
	return found
}

// drop removes a connection from the list. mu is held.
func (l *limited) drop(gone *counted) {
	for i, c := range l.open {
		if c == gone {
			l.open = append(l.open[:i], l.open[i+1:]...)
			return
		}
	}
}

// counted is a connection of a limited listener.
type counted struct {
	net.Conn
	from      string
	list      *limited
	answering bool // guarded by the list's mu
}

// Close may be called more than once.
func (c *counted) Close() error {
	c.list.mu.Lock()
	c.list.drop(c)
	c.list.mu.Unlock()
	return c.Conn.Close()
}

func (c *counted) setAnswering(answering bool) {
	c.list.mu.Lock()
	defer c.list.mu.Unlock()
	c.answering = answering
}

// connectionKey is the key of a request's connection in its context.
type connectionKey struct{}

// rememberConnection is a server's ConnContext.
func rememberConnection(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// marksAnswering tells the listener which connections have sent a whole request and
// wait for the answer.
func marksAnswering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(connectionKey{}).(*counted); ok {
			conn.setAnswering(true)
			defer conn.setAnswering(false)
		}
		next.ServeHTTP(w, r)
	})
}
