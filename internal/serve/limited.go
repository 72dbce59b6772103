package serve

import (
	"net"
	"sync"
)

// limited is a listener that has at most so many connections open; further ones
// wait in the system's queue.
type limited struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	close  func() error
}

func newLimited(listener net.Listener, connections int) *limited {
	l := &limited{Listener: listener, slots: make(chan struct{}, connections), closed: make(chan struct{})}
	l.close = sync.OnceValue(func() error {
		close(l.closed)
		return listener.Close()
	})
	return l
}

// Accept waits for a free slot, then for a connection.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &counted{Conn: conn, free: sync.OnceFunc(func() { <-l.slots })}, nil
}

// Close may be called more than once.
func (l *limited) Close() error { return l.close() }

// counted is a connection that frees its slot when it is closed.
type counted struct {
	net.Conn
	free func()
}

func (c *counted) Close() error {
	defer c.free()
	return c.Conn.Close()
}
