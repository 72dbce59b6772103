package status

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// AskHealth asks how a daemon is: that on an address, or, if that is empty, this user's own on
// its socket, else on the default port. where tells where else it listens; empty if it is
// where it was asked.
func AskHealth(ctx context.Context, dir state.Dir, address string, now time.Time) (is Condition, where string, err error) {
	if address != "" {
		found, err := serve.HealthOnPort(ctx, address, false)
		return OfPort(found.NotReady), "", err
	}
	found, err := serve.HealthOnSocket(ctx, dir.Socket())
	switch {
	case errors.Is(err, serve.ErrNotRunning):
		is, err = healthWithoutSocket(ctx, dir, err)
		return is, "", err
	case err != nil:
		return Condition{}, "", Unanswered(dir, err)
	}
	return Of(found.State, dir.Faults(now), now), found.State.Elsewhere(serve.DefaultListen), nil
}

// healthWithoutSocket asks the default port: a daemon of this user may have another state
// directory, or no socket.
func healthWithoutSocket(ctx context.Context, dir state.Dir, absent error) (Condition, error) {
	found, err := serve.HealthOnPort(ctx, serve.DefaultListen, true)
	if err == nil {
		return OfPort(found.NotReady), nil
	}
	if absent = Unanswered(dir, absent); !errors.Is(absent, serve.ErrNotRunning) {
		return Condition{}, absent
	}
	var anothers *serve.AnothersError
	if errors.As(err, &anothers) {
		return Condition{}, ofAnother(anothers, os.Geteuid())
	}
	return Condition{}, fmt.Errorf("%w, and none answers on your socket", err)
}

// ofAnother says to a user whose daemon has the default port, and what tells more of it.
func ofAnother(e *serve.AnothersError, reader int) error {
	whose, hint := state.UserName(e.UID), "reaperd health --listen "+e.Address+"   asks that one"
	switch {
	case e.UID == 0: // it looks after this user's servers too
		hint += "; sudo reaperd status   says more"
	case reader == 0:
		hint += "; " + human.AsUser(whose, "reaperd status") + "   says more; reaperd run   starts one of your own"
	default:
		hint += "; reaperd run   starts one of your own"
	}
	return advice.Failed(hint, "the daemon at %s is that of %s, and none answers on your socket", e.Address, whose)
}
