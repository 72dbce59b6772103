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
	dir  state.Dir
	log  *slog.Logger
	said string // the problem that was said last

	byOwner func(*graph.Target) (string, bool)
	byUsers func(*graph.Target) (string, bool)
}

func (p *pins) read(ctx context.Context, bootID string, now time.Time) {
	var ownProblem, usersProblem error
	p.byOwner, ownProblem = p.dir.Pinned(bootID, now)
	p.byUsers, usersProblem = state.PinnedByUsers(otherUsers(ctx), bootID, now)
	said := ""
	for _, problem := range []error{ownProblem, usersProblem} {
		if problem != nil {
			said += problem.Error()
		}
	}
	if said != "" && said != p.said {
		p.log.Warn("pins cannot be read; what they may be about is kept", "err", said)
	}
	p.said = said
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

// pinned tells why a target is pinned.
func (p *pins) pinned(t *graph.Target) (string, bool) {
	for _, by := range []func(*graph.Target) (string, bool){p.byOwner, p.byUsers} {
		if by == nil {
			continue
		}
		if reason, pinned := by(t); pinned {
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
