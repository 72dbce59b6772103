package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/patience"
	"github.com/reaperd/reaperd/internal/state"
)

// pins are the pins of this user and, for a root reaperd, of the users whose
// processes it sees. They are read at every look. A file that cannot be read pins
// everything that it could be about.
type pins struct {
	dir   state.Dir
	log   *slog.Logger
	users *discover.Users
	asker patience.Asker[state.Dir]
	said  string // the problem that was logged last

	bootID string   // of the last look
	by     []pinned // as of the last look
}

// pinned returns the pin of a target.
type pinned func(*graph.Target) (pin graph.Pin, pinned bool)

// pinsWithin is how long the home of a user has to answer when pins are read,
// pinsRest for how long one that does not is left alone, and maxSilentPins how many
// homes are left to hang.
const (
	pinsWithin    = 500 * time.Millisecond
	pinsRest      = time.Minute
	maxSilentPins = 16
)

// newPins makes pins that were not read yet.
func newPins(dir state.Dir, log *slog.Logger) *pins {
	return &pins{dir: dir, log: log, users: discover.NewUsers(), asker: patience.Asker[state.Dir]{Within: pinsWithin, Most: maxSilentPins, Rest: pinsRest}}
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
	users, usersProblem := state.PinnedByUsers(p.otherUsers(ctx), p.bootID, now, p.ask)
	for _, err := range []error{ownProblem, usersProblem} {
		if err != nil {
			problem += err.Error()
		}
	}
	return []pinned{own, users}, problem
}

// otherUsers are the state directories of the users that a root reaperd listens to.
func (p *pins) otherUsers(ctx context.Context) []state.User {
	if os.Geteuid() != 0 {
		return nil
	}
	homes, err := p.users.Homes(ctx)
	if err != nil {
		return nil
	}
	var users []state.User
	for _, home := range homes {
		if home.UID != 0 {
			users = append(users, state.User{UID: home.UID, Dir: state.UserDir(home.Dir)})
		}
	}
	return p.withState(users)
}

// withState drops the users without a home, and those who have never pinned anything.
// A user whose home does not answer stays.
func (p *pins) withState(users []state.User) []state.User {
	questions, without := make([]patience.Question[state.Dir], len(users)), map[state.Dir]bool{}
	for i, user := range users {
		questions[i].Of = user.Dir
	}
	patience.Each(&p.asker, questions, func(i int) bool {
		_, err := os.Stat(filepath.Dir(string(questions[i].Of)))
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}, func(i int, missing bool) { without[questions[i].Of] = missing })
	return slices.DeleteFunc(users, func(user state.User) bool { return without[user.Dir] })
}

// ask reads a user's pins, unless the user's home does not answer.
func (p *pins) ask(user state.User, read func() ([]state.Pin, error)) ([]state.Pin, error) {
	type reply struct {
		pins []state.Pin
		err  error
	}
	got, answered := patience.Ask(&p.asker, patience.Question[state.Dir]{Of: user.Dir}, func() (r reply) {
		r.pins, r.err = read()
		return r
	})
	if !answered {
		return nil, fmt.Errorf("read pins in %s: its file system does not answer", user.Dir)
	}
	return got.pins, got.err
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
