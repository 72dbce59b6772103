package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/sweep"
)

// mind is a loop as a decider asks it: its looks, and the orders that it takes.
type mind struct {
	board  *board
	wakes  *wakes
	orders chan *sweep.Order
	host   *host.Host      // nil before it is open
	names  graph.Catalogue // of programs
	gone   map[string]bool // what has ended since the last look, by id; for the loop alone
	ended  chan struct{}   // closes when the loop has ended
}

func newMind(wakes *wakes) *mind {
	return &mind{board: newBoard(), wakes: wakes, orders: make(chan *sweep.Order), ended: make(chan struct{})}
}

func (m *mind) newest() (*seen, <-chan struct{}) { return m.board.read() }

func (m *mind) runs(id inventory.ID) bool { return m.host != nil && m.host.Runs(id) }

// see makes a host the one that the loop looks at.
func (m *mind) see(h *host.Host) { m.host, m.names = h, h.Catalogue() }

// look has the loop look, and waits for what it sees.
func (m *mind) look(ctx context.Context, after time.Time) (*seen, error) {
	m.wakes.wake(human.TriggerSignal)
	return m.board.await(ctx, after)
}

// await is look; the first look of a loop comes unasked.
func (m *mind) await(ctx context.Context, after time.Time) (*seen, error) {
	if after.IsZero() {
		return m.board.await(ctx, after)
	}
	return m.look(ctx, after)
}

// errEnding means that the decider is told to end.
var errEnding = errors.New("it is about to end")

// carryOut hands an order to the loop, and waits until its acts are over. Those that have begun
// when ctx ends go on.
func (m *mind) carryOut(ctx context.Context, order *sweep.Order) error {
	done := make(chan error, 1)
	order.Done = func(err error) { done <- err }
	select {
	case m.orders <- order:
	case <-m.ended:
		return errEnding
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-done:
		return err
	case <-m.ended:
		return errEnding
	case <-ctx.Done():
		return ctx.Err()
	}
}
