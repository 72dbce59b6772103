package reap

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// reapContainer stops one container, and removes it if the act says so.
func (x *run) reapContainer(ctx context.Context, s *step) (human.Result, string, error) {
	result, detail, err := x.endContainer(ctx, s)
	if err == nil && result.Reaped() && x.runnerEnded(ctx, s.act.Runner) {
		detail += fmt.Sprintf("; its docker run %d ended with it", s.act.Runner.PID)
		s.outcome.FreedBytes = s.act.Record.MemoryBytes + s.act.RunnerBytes
	}
	return result, detail, err
}

// runnerEnded waits for a `docker run` to end whose container has ended.
func (x *run) runnerEnded(ctx context.Context, runner inventory.ID) bool {
	if runner.IsZero() || x.reaper.Processes == nil {
		return false
	}
	deadline := time.Now().Add(x.options.SettleContainers)
	for pause := time.Millisecond; ; pause = min(2*pause, longestPause) {
		now, err := x.tables.fresh()
		if err != nil {
			return false
		}
		if row, runs := now.rows[runner.PID]; !runs || row.ID != runner || row.State == 'Z' {
			return true
		}
		if ctx.Err() != nil || !time.Now().Before(deadline) {
			return false
		}
		rest(min(pause, time.Until(deadline)))
	}
}

// endContainer stops one container, and removes it if the act says so. Its place is given up while the engine works.
func (x *run) endContainer(ctx context.Context, s *step) (human.Result, string, error) {
	act := s.act
	switch {
	case x.reaper.Containers == nil:
		return human.Refused, "there is no engine to ask", nil
	case !inventory.IsContainerID(act.ContainerID): // a shorter one may come to name another
		return human.Refused, fmt.Sprintf("%q is no full container id", act.ContainerID), nil
	}
	working := seat{places: &x.shared.working, user: act.User}
	working.take()
	defer working.leave()
	if err := x.late(s); err != nil {
		return "", "", err
	}
	if err := working.asking(func() error { return x.look(ctx, act) }); err != nil {
		return "", "", err
	}
	if err := x.intend(s); err != nil {
		return "", "", err
	}
	var stopped human.Stop
	err := working.asking(func() (err error) { stopped, err = x.stopContainer(ctx, act); return err })
	switch {
	case err != nil:
		return "", "", interrupted(err)
	case !act.Remove || stopped == human.StoppedAbsent:
		return containerResult(stopped)
	}
	err = working.asking(func() error { return x.removeContainer(ctx, act) })
	return removalResult(stopped, err)
}

// removalResult is the result for a container that had stopped and was then removed,
// unless err says why not.
func removalResult(stopped human.Stop, err error) (human.Result, string, error) {
	switch {
	case err != nil:
		return human.ResultFailed, fmt.Sprintf("it runs no more and was not removed: %v", err), nil
	case stopped == human.StoppedBefore:
		return human.Exited, "it had stopped before, and was removed", nil
	}
	result, detail, err := containerResult(stopped)
	return result, detail + ", and was removed", err
}

// interrupted turns a cancelled stop into a failure: the engine may have begun it.
func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return early{human.ResultFailed, "interrupted while the engine was asked to stop it"}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return early{human.ResultFailed, "the engine did not answer in time"}
	}
	return err
}

func containerResult(stopped human.Stop) (human.Result, string, error) {
	switch stopped {
	case human.StoppedByItself:
		return human.Exited, "it exited within its stop timeout", nil
	case human.StoppedByKill:
		return human.Killed, "it was killed after its stop timeout", nil
	case human.StoppedBefore:
		return human.AlreadyGone, "it had stopped before it was asked", nil
	case human.StoppedAbsent:
		return human.AlreadyGone, "there is no such container any more", nil
	}
	return human.ResultFailed, fmt.Sprintf("the engine said it ended as %q", string(stopped)), nil
}

// stopContainer stops a container and looks again. If the container no longer runs,
// an error of the engine does not matter.
func (x *run) stopContainer(ctx context.Context, act *Act) (human.Stop, error) {
	grace := x.grace(act)
	within, cancel := context.WithTimeout(ctx, grace+x.options.ContainerWait)
	defer cancel()
	stopped, err := x.reaper.Containers.Stop(within, act.ContainerID, grace)
	if err == nil && stopped == human.StoppedAbsent {
		return stopped, nil
	}
	gone, lookErr := x.containerGone(ctx, act.ContainerID)
	switch {
	case err != nil && lookErr == nil && gone:
		return human.StoppedByKill, nil
	case err != nil:
		return "", fmt.Errorf("stop container %s: %w", act.ContainerID, err)
	case lookErr != nil:
		return "", fmt.Errorf("look at container %s after it was stopped: %w", act.ContainerID, lookErr)
	case !gone:
		return "", early{human.ResultFailed, "it runs again, or still, after it was stopped"}
	}
	return stopped, nil
}

func (x *run) containerGone(ctx context.Context, id string) (bool, error) {
	within, cancel := context.WithTimeout(ctx, x.options.ContainerWait)
	defer cancel()
	return x.reaper.Containers.Gone(within, id)
}

func (x *run) removeContainer(ctx context.Context, act *Act) error {
	within, cancel := context.WithTimeout(ctx, x.options.ContainerWait)
	defer cancel()
	return x.reaper.Containers.Remove(within, act.ContainerID, act.Volumes)
}
