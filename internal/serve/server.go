package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
)

// DefaultListen is the address of the port where none is asked for.
const DefaultListen = "127.0.0.1:9723"

// ErrPortTaken means that another program has the default port. The daemon warns and
// runs without it.
var ErrPortTaken = errors.New("another program has this port")

// Times and sizes that no request may exceed. The slowest answer is the report of
// a large host, the largest request a scrape's headers.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = 30 * time.Second
	idleTimeout   = time.Minute
	stopGrace     = 2 * time.Second
	maxHeader     = 16 << 10
	// maxConnections limits the descriptors that strangers can take from the daemon.
	// One more connection closes another ([limited]). On the socket maxOfUser are of one user.
	maxConnections = 64
	maxOnSocket    = 256
	maxOfUser      = 16
)

// Options configure [New]. Metrics is required.
type Options struct {
	Listen   string       // host:port; empty is DefaultListen
	Explicit bool         // somebody asked for Listen
	Log      *slog.Logger // nil is silent
	Metrics  *Metrics
	Build    account.Build
	// Ask is the decider for a reader, who asks over the socket; nil answers nobody there.
	Ask func(account.Reader) account.Asker
	// Ready and Alive are asked for /readyz and /healthz, beside the server's own
	// conditions. nil adds none.
	Ready func() (ok bool, why string)
	Alive func() (ok bool, why string)
}

// Server answers requests about the daemon, once one of its endpoints serves.
type Server struct {
	options Options
	since   time.Time
	port    atomic.Pointer[string] // where it listens; nil is nowhere
}

// New returns a server over the metrics.
func New(options Options) *Server {
	if options.Listen == "" {
		options.Listen = DefaultListen
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{options: options, since: time.Now()}
}

// Endpoint is one bound address of a server.
type Endpoint struct {
	name     string
	listener net.Listener
	server   *http.Server
	givenUp  func() // tells that the address was given up; nil is nobody
}

// Addr is the address it is bound to.
func (e *Endpoint) Addr() string { return e.listener.Addr().String() }

func (e *Endpoint) giveUp() {
	if e.givenUp != nil {
		e.givenUp()
	}
}

// CheckListen refuses what cannot be an address to listen on. What it accepts may still be
// taken, or of another host.
func CheckListen(listen string) error {
	_, port, err := net.SplitHostPort(listen)
	if err != nil || port == "" {
		return human.Misused("", "--listen %q: want HOST:PORT, such as %s", listen, DefaultListen)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return human.Misused("", "--listen %q: %q is no port: want a number up to 65535", listen, port)
	}
	return nil
}

// Listen binds the port. If the default port is taken, the error is [ErrPortTaken].
// An address that other hosts can reach must be asked for, and is logged as a
// warning.
func (s *Server) Listen(ctx context.Context) (*Endpoint, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.options.Listen)
	if err != nil {
		return nil, s.listenError(err)
	}
	local := isLoopback(listener.Addr())
	if !local && !s.options.Explicit {
		listener.Close()
		return nil, fmt.Errorf("listen on %s: other hosts can reach this address, so it has to be asked for: --listen %s", s.options.Listen, s.options.Listen)
	}
	address := listener.Addr().String()
	if !local {
		s.options.Log.Warn("other hosts can read this port: it has neither passwords nor encryption", "listen", address)
	}
	s.port.Store(&address)
	endpoint := s.endpoint(address, newLimited(listener, maxConnections, 0), s.portHandler(local))
	endpoint.givenUp = func() { s.port.CompareAndSwap(&address, nil) }
	return endpoint, nil
}

func (s *Server) listenError(err error) error {
	if errors.Is(err, syscall.EADDRINUSE) && !s.options.Explicit {
		return fmt.Errorf("listen on %s: %w", s.options.Listen, ErrPortTaken)
	}
	var operation *net.OpError
	if errors.As(err, &operation) {
		err = operation.Err
	}
	return fmt.Errorf("listen on %s: %w", s.options.Listen, err)
}

func isLoopback(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

func (s *Server) endpoint(name string, listener net.Listener, handler http.Handler) *Endpoint {
	server := &http.Server{
		Handler:           marksAnswering(handler),
		ConnContext:       rememberConnection,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.options.Log.Handler(), slog.LevelDebug),
	}
	server.RegisterOnShutdown(s.options.Metrics.audience.dismiss)
	return &Endpoint{name: name, listener: listener, server: server}
}

// Serve answers until ctx ends; running answers get a moment to finish. It may be
// called once.
func (e *Endpoint) Serve(ctx context.Context) error {
	defer e.giveUp()
	served := make(chan error, 1)
	go func() { served <- e.server.Serve(e.listener) }()
	select {
	case err := <-served:
		e.server.Close()
		return fmt.Errorf("serve %s: %w", e.name, err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	if e.server.Shutdown(grace) != nil { // somebody reads too slowly
		e.server.Close()
	}
	<-served
	return nil
}
