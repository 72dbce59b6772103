package host

import (
	"log/slog"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/state"
)

// pins are what people have asked to keep, read at every look. A file that cannot be read pins
// everything that it could be about.
type pins struct {
	dir  state.Dir
	log  *slog.Logger
	said string // the problem that was logged last

	bootID string // of the last look
	looked pinned // as of the last look; nil before the first
}

// pinned returns the pin of a target.
type pinned func(*graph.Target) (pin graph.Pin, pinned bool)

// read reads the pins for a look. It logs each problem once.
func (p *pins) read(bootID string, now time.Time) {
	by, err := p.dir.Pinned(bootID, now)
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	if problem != "" && problem != p.said {
		p.log.Warn("pins cannot be read; what they may be about is kept", "err", problem)
	}
	p.bootID, p.looked, p.said = bootID, by, problem
}

// atLook returns the pin of a target, as of the last look.
func (p *pins) atLook(t *graph.Target) (graph.Pin, bool) {
	if p.looked == nil {
		return graph.Pin{}, false
	}
	return p.looked(t)
}

// now tells why a target is pinned by now. Several goroutines may ask.
func (p *pins) now(t *graph.Target) (string, bool) {
	by, _ := p.dir.Pinned(p.bootID, time.Now())
	pin, pinned := by(t)
	return pin.Why, pinned
}
