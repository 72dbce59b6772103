package world

import (
	"context"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/top"
)

// daemon tells the looks of the daemon behind a socket. It is for one goroutine.
type daemon struct {
	socket string
	// tree asks for the last look; listen calls heard for each until the daemon ends.
	tree   func(ctx context.Context, socket string) (overview.Tree, error)
	listen func(ctx context.Context, socket string, heard func()) error

	news    chan struct{}
	ended   chan struct{} // is closed when listening has ended; nil: it has not begun
	listens sync.WaitGroup
}

func newDaemon(socket string) *daemon {
	return &daemon{socket: socket, tree: serve.Tree, listen: serve.Listen}
}

// listenAgain is how long it waits after the daemon has hung up, which it does now
// and then.
const listenAgain = time.Second

// next waits for the next look of the daemon. told is false where no daemon answers.
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

// begin asks whether a daemon is there, and listens to it.
func (d *daemon) begin(ctx context.Context) (top.Seen, bool) {
	tree, err := d.tree(ctx, d.socket)
	if err != nil {
		return top.Seen{}, false
	}
	news, ended := make(chan struct{}, 1), make(chan struct{})
	d.news, d.ended = news, ended
	d.listens.Go(func() {
		defer close(ended)
		_ = d.listen(ctx, d.socket, func() { // whether the daemon is there is asked again
			select {
			case news <- struct{}{}:
			default: // what was not heard yet is the same
			}
		})
	})
	return top.Seen{Tree: tree, From: top.Daemon}, true
}

// pauseFor waits; false is that ctx has ended.
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
