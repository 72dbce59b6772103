package world

import (
	"context"
	"errors"
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
	ended   chan struct{} // closed when listening has ended; nil while nobody listens
	cancel  func()        // ends listening
	due     time.Time     // when its next look is scheduled; zero if unknown
	hangs   bool          // it did not answer in time when it was asked last
	isBlind bool          // it answered then, and has never looked: maybe its policy is refused
	last    overview.Tree // its last answer
	listens sync.WaitGroup
}

func newDaemon(socket string) *daemon {
	return &daemon{socket: socket, tree: serve.Tree, listen: serve.Listen}
}

// listenAgain is the pause after the daemon has closed the connection, which it does now
// and then.
const listenAgain = time.Second

// lateAfter is how long after its time a scheduled look counts as late, and the pause
// between two questions about it.
const lateAfter = 3 * time.Second

// next waits for the next look of the daemon. If that is late, it asks the daemon whether it
// still answers. told is false if no daemon answers.
func (d *daemon) next(ctx context.Context, hurry <-chan struct{}) (seen top.Seen, told bool) {
	if d.ended == nil {
		return d.begin(ctx)
	}
	late, stop := d.late()
	defer stop()
	select {
	case <-d.news:
	case <-hurry:
	case <-late:
	case <-d.ended:
		d.leave()
		if seen, told = d.ask(ctx); !told {
			return seen, false
		}
		if !pauseFor(ctx, listenAgain) {
			return top.Seen{Err: ctx.Err()}, true
		}
		return d.begin(ctx)
	case <-ctx.Done():
		return top.Seen{Err: ctx.Err()}, true
	}
	seen, told = d.ask(ctx)
	if !told {
		d.leave()
	}
	return seen, told
}

// leave ends listening.
func (d *daemon) leave() {
	d.cancel()
	d.ended = nil
}

// late returns a channel that receives when the daemon's next look is late; it never does if
// the time of that look is unknown.
func (d *daemon) late() (late <-chan time.Time, stop func()) {
	if d.due.IsZero() {
		return nil, func() {}
	}
	timer := time.NewTimer(max(time.Until(d.due), 0) + lateAfter)
	return timer.C, func() { timer.Stop() }
}

// ask gets the last look of the daemon. told is false if it does not answer, or has never looked.
func (d *daemon) ask(ctx context.Context) (seen top.Seen, told bool) {
	tree, err := d.tree(ctx, d.socket)
	d.hangs, d.isBlind = errors.Is(err, serve.ErrSilent), err == nil && tree.At.IsZero()
	d.due = tree.Next
	if told = err == nil && !d.isBlind; told {
		d.last = tree
	}
	return top.Seen{Tree: tree, From: top.Daemon}, told
}

// begin gets the first look of a daemon, and starts to listen to it.
func (d *daemon) begin(ctx context.Context) (top.Seen, bool) {
	seen, told := d.ask(ctx)
	if !told {
		return top.Seen{}, false
	}
	ctx, d.cancel = context.WithCancel(ctx)
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
	return seen, true
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
