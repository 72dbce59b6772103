package daemon

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/serve"
)

// serve opens port and socket. If the default port is taken, the daemon goes without; if
// a named one is, that is an error. The host's socket is every user's. tell logs what the daemon goes without.
func (s *service) serve(ctx context.Context) (tell []func(), err error) {
	decides := &decider{mind: s.mind, state: s.State, journal: s.Journal, lost: s.record.lost, log: s.Log, settle: quick, within: lookWithin}
	server := serve.New(serve.Options{
		Listen: s.Listen, Explicit: s.Asked, Log: s.Log, Metrics: s.metrics, Build: s.Build, Ask: decides.As, Alive: s.pulse.alive, Ready: s.ready,
	})
	if s.Listen != "" {
		port, err := server.Listen(ctx)
		switch {
		case errors.Is(err, serve.ErrPortTaken):
			tell = append(tell, func() { s.Log.Warn("the default port is taken: no metrics and health by HTTP", "listen", s.Listen) })
		case err != nil:
			return nil, human.Failed("name another with --listen, or --listen '' for none", "%w", err)
		default:
			s.listens = port.Addr()
			s.background.Go(func() { s.serveOn(ctx, port) })
		}
	}
	socket, err := s.bind(ctx, server)
	if err != nil {
		return append(tell, func() { s.Log.Warn("no socket: commands will not see this daemon", "err", err) }), nil
	}
	s.background.Go(func() { s.serveOn(ctx, socket) })
	return tell, nil
}

// bind binds the socket of the state directory.
func (s *service) bind(ctx context.Context, server *serve.Server) (*serve.Endpoint, error) {
	path, mode := s.State.Socket(), serve.OwnSocket
	if path == s.State.HostSocket() {
		mode = serve.OpenSocket
		if err := serve.MakeFolder(filepath.Dir(path)); err != nil {
			return nil, err
		}
	}
	return server.ListenUnix(ctx, path, mode)
}

// ready answers /readyz: a daemon that may not act is not ready. why quotes no file.
func (s *service) ready() (ok bool, why string) {
	if len(s.State.Faults(time.Now())) > 0 {
		return false, "nothing is acted on: what is pinned or paused cannot be read"
	}
	return s.record.ready()
}

// noRoomIn is the state directory, if its disk is full.
func (s *service) noRoomIn() string {
	if s.State.IsFull() {
		return string(s.State)
	}
	return ""
}

func (s *service) serveOn(ctx context.Context, endpoint *serve.Endpoint) {
	if err := endpoint.Serve(ctx); err != nil && ctx.Err() == nil {
		s.Log.Error("stopped serving", "address", endpoint.Addr(), "err", err)
	}
}
