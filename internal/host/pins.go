package host

import (
	"context"
	"log/slog"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/neighbours"
	"github.com/reaperd/reaperd/internal/state"
)

// pins are the pins of this user and, for a root reaperd, of the users whose
// processes it sees. They are read at every look. A file that cannot be read pins
// everything that it could be about.
type pins struct {
	dir    state.Dir
	log    *slog.Logger
	others *neighbours.Finder
	said   string // the problem that was logged last

	bootID string   // of the last look
	by     []pinned // as of the last look
}

// pinned returns the pin of a target.
type pinned func(*graph.Target) (pin graph.Pin, pinned bool)

// pinsWithin is how long the home of a user has to answer when pins are read, and
// maxSilentPins how many homes are left to hang.
const (
	pinsWithin    = 500 * time.Millisecond
	maxSilentPins = 16
)

// newPins makes pins that were not read yet.
func newPins(dir state.Dir, log *slog.Logger) *pins {
	return &pins{dir: dir, log: log, others: neighbours.New(pinsWithin, maxSilentPins)}
}

// read reads the pins for a look. It logs each problem once.
func (p *pins) read(ctx context.Context, bootID string, now time.Time) {
	p.bootID = bootID
	var problem string
	p.by, problem = p.lookUp(ctx, now)
	if problem != "" && problem != p.said {
		p.log.Warn("pins cannot be read; what they may be about is kept", "err", problem)
	}
	p.said = problem
}

// lookUp reads all pins that hold now.
func (p *pins) lookUp(ctx context.Context, now time.Time) (by []pinned, problem string) {
	own, ownProblem := p.dir.Pinned(p.bootID, now)
	users, usersProblem := state.PinnedByUsers(p.others.Users(ctx), p.bootID, now, p.others.Pins)
	for _, err := range []error{ownProblem, usersProblem} {
		if err != nil {
			problem += err.Error()
		}
	}
	return []pinned{own, users}, problem
}

// atLook returns the pin of a target, as of the last look.
func (p *pins) atLook(t *graph.Target) (graph.Pin, bool) { return anyPin(p.by, t) }

// now tells why a target is pinned by now. Several goroutines may ask.
func (p *pins) now(t *graph.Target) (string, bool) {
	by, _ := p.lookUp(context.Background(), time.Now())
	pin, pinned := anyPin(by, t)
	return pin.Why, pinned
}

func anyPin(by []pinned, t *graph.Target) (graph.Pin, bool) {
	for _, pinOf := range by {
		if pin, holds := pinOf(t); holds {
			return pin, true
		}
	}
	return graph.Pin{}, false
}
