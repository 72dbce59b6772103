package serve

import (
	"context"
	"sync"
	"time"
)

// Bounds of each user on the socket.
const (
	requestsASecond = 20
	requestsAtOnce  = 60
	// costly is what a request costs that reads the journal or all of an account, in requests, and planned
	// what a plan does, which may wait long and so has no place.
	costly, planned = 5, 4
	// maxCostly is how many of those are answered at a time. One more waits; of one user, one is.
	maxCostly = 4
	// mostUsers is how many users are remembered.
	mostUsers = 4096
)

// bounds limits what each user may ask, so that a flood of one user's costs the others nothing.
type bounds struct {
	mu     sync.Mutex
	users  map[int]*purse
	places chan struct{}
}

func newBounds() *bounds {
	return &bounds{users: map[int]*purse{}, places: make(chan struct{}, maxCostly)}
}

// purse is how many requests a user may still make, as of a moment.
type purse struct {
	left   float64
	at     time.Time
	busy   chan struct{} // full while a costly request of the user's is answered
	acting chan struct{} // full while an order of the user's is carried out
}

// of is a user's purse. mu is held.
func (b *bounds) of(uid int, now time.Time) *purse {
	p := b.users[uid]
	if p == nil {
		if len(b.users) >= mostUsers {
			clear(b.users) // they begin anew
		}
		p = &purse{left: requestsAtOnce, at: now, busy: make(chan struct{}, 1), acting: make(chan struct{}, 1)}
		b.users[uid] = p
	}
	p.left = min(requestsAtOnce, p.left+now.Sub(p.at).Seconds()*requestsASecond)
	p.at = now
	return p
}

// spend reports that a user may make a request of that cost now.
func (b *bounds) spend(uid int, cost float64, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.of(uid, now)
	if p.left < cost {
		return false
	}
	p.left -= cost
	return true
}

// enter waits for a place for a costly request. leave gives it back; it is nil if ctx has ended.
func (b *bounds) enter(ctx context.Context, uid int) (leave func()) {
	b.mu.Lock()
	busy := b.of(uid, time.Now()).busy
	b.mu.Unlock()
	if !fill(ctx, busy) {
		return nil
	}
	if !fill(ctx, b.places) {
		<-busy
		return nil
	}
	return func() { <-b.places; <-busy }
}

// begin waits until no other order of a user's is carried out. leave tells that this one is over; it is
// nil if ctx has ended.
func (b *bounds) begin(ctx context.Context, uid int) (leave func()) {
	b.mu.Lock()
	acting := b.of(uid, time.Now()).acting
	b.mu.Unlock()
	if !fill(ctx, acting) {
		return nil
	}
	return func() { <-acting }
}

func fill(ctx context.Context, places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}
