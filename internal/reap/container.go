package reap

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/reaperd/reaperd/internal/done"
)

// fullID is the form of a container's full id. A shorter one may come to name another
// container.
var fullID = regexp.MustCompile(`^[0-9a-f]{64}$`)

// endContainer ends one container.
func (x *run) endContainer(ctx context.Context, s *step) (Result, string, error) {
	action := s.action
	switch {
	case x.reaper.Containers == nil:
		return ResultRefused, "there is no engine to ask", nil
	case !fullID.MatchString(action.ContainerID):
		return ResultRefused, fmt.Sprintf("%q is no full container id", action.ContainerID), nil
	}
	working := seat{places: &x.shared.working, user: action.User}
	working.take()
	defer working.leave()
	if err := x.late(s); err != nil {
		return "", "", err
	}
	// The place is given up while the engine works.
	asking := func(ask func() error) (err error) {
		working.through(func() { err = ask() })
		return err
	}
	if err := asking(func() error { return x.look(ctx, action) }); err != nil {
		return "", "", err
	}
	if err := x.intend(s); err != nil {
		return "", "", err
	}
	var stopped done.Stop
	err := asking(func() (err error) { stopped, err = x.stopContainer(ctx, action); return err })
	if err != nil {
		return "", "", interrupted(err)
	}
	if !action.Remove || stopped == done.StoppedAbsent {
		return containerResult(stopped)
	}
	if err := asking(func() error { return x.removeContainer(ctx, action.ContainerID) }); err != nil {
		return ResultFailed, fmt.Sprintf("it runs no more and was not removed: %v", err), nil
	}
	if stopped == done.StoppedBefore {
		return ResultExited, "it had stopped before, and was removed", nil
	}
	result, detail, err := containerResult(stopped)
	return result, detail + ", and was removed", err
}

// interrupted turns a cancelled stop into a failure: the engine may have begun it.
func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return early{ResultFailed, "interrupted while the engine was asked to stop it"}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return early{ResultFailed, "the engine did not answer in time"}
	}
	return err
}

func containerResult(stopped done.Stop) (Result, string, error) {
	switch stopped {
	case done.StoppedByItself:
		return ResultExited, "it ended within its stop timeout", nil
	case done.StoppedByKill:
		return ResultKilled, "it was killed after its stop timeout", nil
	case done.StoppedBefore:
		return ResultAlreadyGone, "it had stopped before it was asked", nil
	case done.StoppedAbsent:
		return ResultAlreadyGone, "there is no such container any more", nil
	}
	return ResultFailed, fmt.Sprintf("the engine said it ended as %q", string(stopped)), nil
}

// stopContainer stops a container and looks again. If the container no longer runs,
// an error of the engine does not matter.
func (x *run) stopContainer(ctx context.Context, action *Action) (done.Stop, error) {
	grace := x.grace(action)
	within, cancel := context.WithTimeout(ctx, grace+x.options.ContainerWait)
	defer cancel()
	stopped, err := x.reaper.Containers.Stop(within, action.ContainerID, grace)
	if err == nil && stopped == done.StoppedAbsent {
		return stopped, nil
	}
	gone, lookErr := x.containerGone(ctx, action.ContainerID)
	switch {
	case err != nil && lookErr == nil && gone:
		return done.StoppedByKill, nil
	case err != nil:
		return "", fmt.Errorf("stop container %s: %w", action.ContainerID, err)
	case lookErr != nil:
		return "", fmt.Errorf("look at container %s after it was stopped: %w", action.ContainerID, lookErr)
	case !gone:
		return "", early{ResultFailed, "it runs again, or still, after it was stopped"}
	}
	return stopped, nil
}

func (x *run) containerGone(ctx context.Context, id string) (bool, error) {
	within, cancel := context.WithTimeout(ctx, x.options.ContainerWait)
	defer cancel()
	return x.reaper.Containers.Gone(within, id)
}

func (x *run) removeContainer(ctx context.Context, id string) error {
	within, cancel := context.WithTimeout(ctx, x.options.ContainerWait)
	defer cancel()
	return x.reaper.Containers.Remove(within, id)
}
