package main

import (
	"context"
	"encoding/json"
	"time"

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
