package world

import (
	"context"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/top"
)

// daemon gets looks from the daemon behind a socket. Only one goroutine may use it.
type daemon struct {
	socket string
	// tree gets the last look. listen calls heard after each look until the daemon ends.
	tree   func(ctx context.Context, socket string) (overview.Tree, error)
	listen func(ctx context.Context, socket string, heard func()) error

	news    chan struct{}
	ended   chan struct{} // closed when listening has ended; nil before it has begun
	listens sync.WaitGroup
}

func newDaemon(socket string) *daemon {
	return &daemon{socket: socket, tree: serve.Tree, listen: serve.Listen}
}

// listenAgain is the pause after the daemon has closed the connection, which it does now
// and then.
const listenAgain = time.Second

// next waits for the next look of the daemon. told is false if no daemon answers.
func (d *daemon) next(ctx context.Context, hurry <-chan struct{}) (seen top.Seen, told bool) {
	if d.ended == nil {
		return d.begin(ctx)
	}
	select {
	case <-d.news:
	case <-hurry:
	case <-d.ended:
		d.ended = nil
		if !pauseFor(ctx, listenAgain) {
			return top.Seen{Err: ctx.Err()}, true
		}
		return d.begin(ctx)
	case <-ctx.Done():
		return top.Seen{Err: ctx.Err()}, true
	}
	tree, err := d.tree(ctx, d.socket)
	return top.Seen{Tree: tree, From: top.Daemon, Err: err}, true
}

// begin gets the first look of a daemon, and starts to listen to it.
func (d *daemon) begin(ctx context.Context) (top.Seen, bool) {
	tree, err := d.tree(ctx, d.socket)
	if err != nil {
		return top.Seen{}, false
	}
	news, ended := make(chan struct{}, 1), make(chan struct{})
	d.news, d.ended = news, ended
	d.listens.Go(func() {
		defer close(ended)
		_ = d.listen(ctx, d.socket, func() { // its error does not matter: next asks the daemon again
			select {
			case news <- struct{}{}:
			default: // the last news has not been read yet
			}
		})
	})
	return top.Seen{Tree: tree, From: top.Daemon}, true
}

// pauseFor waits for d; false if ctx ends earlier.
func pauseFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
