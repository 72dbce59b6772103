package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
)

// recallWithin is how long the daemon has to tell what it remembers: a look does not
// need it.
const recallWithin = time.Second

// askDaemon is the state of this user's daemon; nil where none answers in time.
func askDaemon(ctx context.Context) *serve.State {
	ctx, cancel := context.WithTimeout(ctx, recallWithin)
	defer cancel()
	data, err := serve.Status(ctx, stateDir().Socket())
	if err != nil {
		return nil
	}
	var state serve.State
	if json.Unmarshal(data, &state) != nil {
		return nil
	}
	return &state
}

// daemonEnds is when this user's daemon ends what it has pending, by target. It is
// empty where none answers, and where it only reports or is paused.
func daemonEnds(now time.Time) map[string]time.Time {
	daemon := askDaemon(context.Background())
	if daemon == nil || daemon.Mode != policy.ModeEnforce || !daemon.Ready {
		return nil
	}
	if _, paused, err := stateDir().Paused(now); paused || err != nil {
		return nil
	}
	ends := map[string]time.Time{}
	for _, pending := range daemon.Pending {
		if !pending.DueAt.IsZero() {
			ends[pending.ID] = pending.DueAt
		}
	}
	return ends
}
