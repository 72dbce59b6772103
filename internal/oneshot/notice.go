package oneshot

import (
	"context"
	"time"

	"github.com/reaperd/reaperd/internal/serve"
)

// noticeWithin is how long a sweep waits for the daemon's next look. The daemon begins one
// within half a second, and within 1.5 s if it has just acted itself.
const noticeWithin = 2 * time.Second

// tellDaemon tells the daemon that a sweep has ended something, and waits until it has looked
// since: what it shows is then true, on every screen.
func (s *Sight) tellDaemon(ctx context.Context) {
	ended := time.Now()
	if s.state.Swept(ended) != nil { // then the daemon notices at its next look
		return
	}
	ctx, cancel := context.WithTimeout(ctx, noticeWithin)
	defer cancel()
	s.awaitLook(ctx, ended)
}

// awaitLook waits until the daemon has begun a look after a moment and shows what it saw, or
// until ctx ends. A daemon that has not answered before, or that has no policy and therefore
// does not look, is not waited for.
func (s *Sight) awaitLook(ctx context.Context, after time.Time) {
	if s.daemon == nil || s.daemon.LastSweep == nil {
		return
	}
	ctx, looked := context.WithCancel(ctx)
	defer looked()
	socket := s.state.Socket()
	_ = serve.Listen(ctx, socket, func() { // its error does not matter: the daemon has ended
		if is, err := serve.Ask(ctx, socket); err == nil && is.LastSweep != nil && is.LastSweep.At.After(after) {
			looked()
		}
	})
}
