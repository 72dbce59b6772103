package oneshot

import (
	"context"
	"time"

	"github.com/reaperd/reaperd/internal/serve"
)

// tellDaemon tells the daemon that a sweep has ended something, and waits until it has looked
// since: what it shows is then true, on every screen. A daemon that has not answered before,
// or that does not look because it has no policy, is not waited for.
func (s *Sight) tellDaemon(ctx context.Context) {
	ended := time.Now()
	if s.state.Swept(ended) != nil { // then the daemon notices at its next look
		return
	}
	if s.daemon != nil && s.daemon.LastSweep != nil {
		serve.AwaitLook(ctx, s.state.Socket(), ended)
	}
}
