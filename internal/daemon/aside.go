package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// lookForHost is how often a user's daemon asks whether root's decides here by now.
const lookForHost = 5 * time.Second

// stepsAside reports that root's daemon decides for this host, and so for this user: then it has
// taken over the user's pins, and the log says so.
func stepsAside(ctx context.Context, o Options) bool {
	host := o.State.HostSocket()
	if host == "" || os.Geteuid() == 0 {
		return false
	}
	asker, err := serve.Dial(ctx, host)
	if err != nil {
		return false
	}
	defer asker.Close()
	if err := HandOver(ctx, o.State, asker); err != nil {
		o.Log.Warn("pins that this host's daemon does not take", "err", err)
	}
	o.Log.Info("this host's daemon looks after your servers: reaperd status")
	return true
}

// beside refuses a second daemon of root's, whatever its state directory: both would act on the whole host.
func beside(ctx context.Context, dir state.Dir) error {
	if dir.Beside() == "" {
		return nil
	}
	asker, err := serve.Dial(ctx, dir.Beside())
	var hangs *serve.HangsError
	switch {
	case err == nil:
		asker.Close()
	case !errors.As(err, &hangs):
		return nil
	}
	return human.Failed("reaperd status   without REAPERD_STATE_DIR shows it", "this host's daemon runs already, with another state directory")
}

// awaitHost ends this daemon once root's decides here.
func (s *service) awaitHost(ctx context.Context, end func()) {
	tick := time.NewTicker(lookForHost)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if stepsAside(ctx, s.Options) {
				end()
				return
			}
		}
	}
}

// HandOver gives what a user has pinned in a state directory to the decider that holds for that user
// now, and ends those pins here. The error is why some of it was not taken: what has ended is not.
func HandOver(ctx context.Context, dir state.Dir, to account.Asker) (problem error) {
	pins, err := dir.Pins(scan.BootID(), time.Now())
	if err != nil || len(pins) == 0 {
		return err
	}
	taken := map[string]bool{}
	for _, pin := range pins {
		if _, err := to.Pin(ctx, pin.ID, pin.Until, pin.Reason); err != nil {
			problem = errors.Join(problem, fmt.Errorf("%s: %w", pin.ID, err))
			continue
		}
		taken[pin.ID] = true
	}
	_, err = dir.Unpin("", time.Now(), func(pin state.Pin) bool { return taken[pin.ID] })
	return errors.Join(problem, err)
}
