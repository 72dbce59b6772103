package oneshot

import (
	"context"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/neighbours"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
)

// usersPins are the users, by name, who have pinned containers that would be stopped, by the containers' ids,
// as root; nil for another user.
func (s *Sight) usersPins(verdicts []policy.Verdict) map[string]string {
	if s.View.Graph == nil {
		return nil
	}
	host := s.View.Graph.Snapshot.Host
	goes := func(v policy.Verdict) bool { return v.Target.Container != nil && v.Decision != policy.Keep }
	if host.UID.Or(-1) != 0 || !slices.ContainsFunc(verdicts, goes) {
		return nil
	}
	users := map[string]string{}
	for _, one := range neighbours.Pins(context.Background(), host.BootID, time.Now()) {
		for _, pin := range one.Pins {
			if inventory.IsContainerID(pin.ID) {
				users[pin.ID] = state.UserName(one.UID)
			}
		}
	}
	return users
}
