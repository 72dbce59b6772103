package oneshot

import (
	"context"
	"time"

	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
)

// daemonEnds says when this user's daemon will end each pending target, and whether it
// does so by another policy than the sight's. It is empty if no daemon answers in time,
// or if the daemon only reports or is paused.
func (s *Sight) daemonEnds(now time.Time) (ends map[string]time.Time, differs bool) {
	ctx, cancel := context.WithTimeout(context.Background(), recallWithin)
	defer cancel()
	daemon, err := serve.Ask(ctx, s.state.Socket())
	if err != nil || daemon.Mode != policy.ModeEnforce || !daemon.Ready {
		return nil, false
	}
	if _, paused, err := s.state.Paused(now); paused || err != nil {
		return nil, false
	}
	return endsOf(daemon, s.Policy)
}

func endsOf(daemon *serve.State, p *policy.Policy) (ends map[string]time.Time, differs bool) {
	ends = map[string]time.Time{}
	for _, pending := range daemon.Pending {
		if !pending.DueAt.IsZero() {
			ends[pending.ID] = pending.DueAt
		}
	}
	return ends, daemon.Policy.SHA256 != p.Hash
}
