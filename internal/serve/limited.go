package serve

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
)

// limited is a listener with a limit of open connections, of all and of each address or user. It
// accepts every new one and closes another if there are too many, so connections that never finish a
// request block nobody.
type limited struct {
	net.Listener
	most  int
	each  int // of one address or user; 0 is as many as of all
	close func() error

	mu   sync.Mutex
	open []*counted // in the order in which they were accepted
}

func newLimited(listener net.Listener, most, each int) *limited {
	return &limited{Listener: listener, most: most, each: each, close: sync.OnceValue(listener.Close)}
}

// Close may be called more than once.
func (l *limited) Close() error { return l.close() }

// Accept waits for a connection. One of a Unix socket is accepted only if the kernel tells whose it is.
func (l *limited) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		accepted := &counted{Conn: conn, list: l}
		if _, isUnix := conn.(*net.UnixConn); isUnix {
			accepted.peer, err = peerOf(conn)
			accepted.from = strconv.Itoa(accepted.peer.UID)
		} else {
			accepted.from, _, err = net.SplitHostPort(conn.RemoteAddr().String())
		}
		if err != nil {
			_ = conn.Close()
			continue
		}
		shed := l.add(accepted)
		if shed != nil {
			_ = shed.Conn.Close()
		}
		if shed != accepted {
			return accepted, nil
		}
	}
}

// add adds a connection, and returns the one to close for it, which may be itself; nil is none.
func (l *limited) add(c *counted) (shed *counted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch own := l.of(c.from); {
	case l.each > 0 && len(own) >= l.each:
		if shed = leastMissed(own); shed.answering {
			return c
		}
	case len(l.open) >= l.most:
		shed = leastMissed(l.open)
	}
	l.drop(shed)
	l.open = append(l.open, c)
	return shed
}

// of are the open connections of an address or user. mu is held.
func (l *limited) of(from string) (own []*counted) {
	for _, c := range l.open {
		if c.from == from {
			own = append(own, c)
		}
	}
	return own
}

// leastMissed is the oldest connection without a request being answered, of the
// address or user that has most of them; if all are being answered, the oldest of whoever has most.
func leastMissed(open []*counted) *counted {
	waiting := slices.DeleteFunc(slices.Clone(open), func(c *counted) bool { return c.answering })
	if len(waiting) > 0 {
		open = waiting
	}
	have, found := map[string]int{}, open[0]
	for _, c := range open {
		have[c.from]++
	}
	for _, c := range slices.Backward(open) { // so that the oldest wins
		if have[c.from] >= have[found.from] {
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
	from      string // the address, or the user's number
	peer      Peer   // of a Unix socket
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

// callerOf is who has made a request over a Unix socket.
func callerOf(r *http.Request) Peer {
	if conn, ok := r.Context().Value(connectionKey{}).(*counted); ok {
		return conn.peer
	}
	return Peer{UID: nobody}
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
