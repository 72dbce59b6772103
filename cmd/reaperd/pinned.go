package main

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/state"
)

// pins are what is pinned by hand, read anew at every look: by this user, and
// for a root reaperd also by the users whose processes it sees. What cannot be
// read pins everything it could be about.
type pins struct {
	dir   state.Dir
	log   *slog.Logger
	homes state.Homes
	said  string // the problem that was said last

	bootID string   // of the last look
	by     []pinned // as of the last look
}

// pinned tells why a target is pinned.
type pinned func(*graph.Target) (reason string, pinned bool)

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
	users, usersProblem := p.homes.Pinned(otherUsers(ctx), p.bootID, now)
	for _, err := range []error{ownProblem, usersProblem} {
		if err != nil {
			problem += err.Error()
		}
	}
	return []pinned{own, users}, problem
}

// since tells why a target is pinned by now, which the last look may not have
// known. It may be asked from several goroutines while nobody looks.
func (p *pins) since(t *graph.Target) (string, bool) {
	by, _ := p.lookUp(context.Background(), time.Now())
	return anyPin(by, t)
}

// otherUsers are the state directories of the users that a root reaperd listens to.
func otherUsers(ctx context.Context) []state.User {
	if os.Geteuid() != 0 {
		return nil
	}
	homes, err := discover.Homes(ctx)
	if err != nil {
		return nil
	}
	var users []state.User
	for _, home := range homes {
		if home.UID != 0 {
			users = append(users, state.User{UID: home.UID, Dir: state.UserDir(home.Dir)})
		}
	}
	return users
}

// pinned tells why a target is pinned, as of the last look.
func (p *pins) pinned(t *graph.Target) (string, bool) { return anyPin(p.by, t) }

func anyPin(by []pinned, t *graph.Target) (string, bool) {
	for _, pin := range by {
		if reason, holds := pin(t); holds {
			return reason, true
		}
	}
	return "", false
}

// pinnedHost is a host whose looks read the pins too.
type pinnedHost struct {
	*host
	pins *pins
}

// Look reads the host, then the pins of its boot.
func (p pinnedHost) Look(ctx context.Context, previous *graph.Graph) (*inventory.Snapshot, error) {
	snapshot, err := p.host.Look(ctx, previous)
	if err == nil {
		p.pins.read(ctx, snapshot.Host.BootID, snapshot.TakenAt)
	}
	return snapshot, err
}
