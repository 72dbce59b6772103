package docker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/inventory"
)

// ErrGone is the error for a container that no engine has.
var ErrGone = errors.New("no such container")

// killedCode is the exit code of what SIGKILL ended: 128 + 9.
const killedCode = 137

// Inspect looks at one container afresh. The error is [ErrGone] where every
// engine was asked and none has it.
func (e *Engines) Inspect(ctx context.Context, id string) (inventory.Container, error) {
	_, found, err := e.locate(ctx, id)
	if err != nil {
		return inventory.Container{}, fmt.Errorf("inspect container %s: %w", short(id), err)
	}
	return found, nil
}

// Gone reports whether the container does not exist any more; one that is
// stopped and not removed is not gone.
func (e *Engines) Gone(ctx context.Context, id string) (bool, error) {
	_, err := e.Inspect(ctx, id)
	if errors.Is(err, ErrGone) {
		return true, nil
	}
	return false, err
}

// Stop stops a container: its stop signal, then SIGKILL after grace, which is
// rounded up to whole seconds. One that removes itself when it ends is waited
// for until it is gone, within the engine's patience. One that does not run or
// does not exist is no error.
func (e *Engines) Stop(ctx context.Context, id string, grace time.Duration) (done.Stop, error) {
	engine, found, err := e.locate(ctx, id)
	switch {
	case errors.Is(err, ErrGone):
		return done.StoppedAbsent, nil
	case err != nil:
		return "", fmt.Errorf("stop container %s: %w", short(id), err)
	case !stoppable(found):
		return done.StoppedBefore, nil
	}
	ended, err := engine.stop(ctx, found, max(0, grace))
	if err != nil {
		return "", fmt.Errorf("stop container %s: %w", short(id), said(err))
	}
	return ended, nil
}

// stoppable reports whether there is anything to stop: a container between two
// restarts counts, since stopping it ends them.
func stoppable(c inventory.Container) bool {
	return c.Running() || c.State == container.StateRestarting
}

// Remove removes a container and its anonymous volumes, killing what still
// runs in it, and returns when it is gone. One that is gone already is no error;
// a removal that is under way is waited for.
func (e *Engines) Remove(ctx context.Context, id string) error {
	engine, _, err := e.locate(ctx, id)
	if errors.Is(err, ErrGone) {
		return nil
	}
	if err == nil {
		err = engine.remove(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("remove container %s: %w", short(id), said(err))
	}
	return nil
}

// locate finds the engine that has a container, and the container as it is
// now. It is gone only where an engine said so: the one that had it in the last
// look, else at least one of those that answer, while all that do not answer
// are sockets that nobody serves.
func (e *Engines) locate(ctx context.Context, id string) (*engine, inventory.Container, error) {
	if !isFullID(id) {
		return nil, inventory.Container{}, fmt.Errorf("%q is no full container id of %d hexadecimal digits", id, idLength)
	}
	if engine := e.lastSeenAt(id); engine != nil {
		found, err := engine.inspectOne(ctx, id)
		return engine, found, err
	}
	endpoints, _, err := Resolve(e.options.Environment)
	if err != nil {
		return nil, inventory.Container{}, err
	}
	untold := errors.New("no engine to ask")
	var answered bool
	for _, endpoint := range endpoints {
		engine := e.engine(endpoint)
		found, err := engine.inspectOne(ctx, id)
		switch {
		case err == nil:
			return engine, found, nil
		case errors.Is(err, ErrGone):
			answered = true
		case isUnserved(err) && !endpoint.Explicit:
			untold = err
		default:
			return nil, inventory.Container{}, err
		}
	}
	if !answered {
		return nil, inventory.Container{}, untold
	}
	return nil, inventory.Container{}, ErrGone
}

// lastSeenAt is the engine that had the container in the last look; nil is none.
func (e *Engines) lastSeenAt(id string) *engine {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.engines[e.seen[id]]
}

// inspectOne looks at one container.
func (n *engine) inspectOne(ctx context.Context, id string) (inventory.Container, error) {
	ctx, cancel := context.WithTimeout(ctx, n.timeout)
	defer cancel()
	api, err := n.reachable(ctx)
	if err != nil {
		return inventory.Container{}, n.answer(ctx, err, n.timeout)
	}
	one := seen{listed: summary{ID: id}}
	n.inspect(ctx, api, &one)
	if one.gone {
		return inventory.Container{}, ErrGone
	}
	if one.err != nil {
		return inventory.Container{}, n.answer(ctx, one.err, n.timeout)
	}
	n.setStdin(&one.container, n.newStdinReader())
	return one.container, nil
}

// reachable is a client of an engine that can be reached now.
func (n *engine) reachable(ctx context.Context) (*client.Client, error) {
	if _, err := n.reach(ctx); err != nil {
		return nil, err
	}
	return n.api(ctx)
}

// answer is a request's error in the words of a source that could not be read,
// where it is the engine that does not answer.
func (n *engine) answer(ctx context.Context, err error, limit time.Duration) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	} else if !isUnserved(err) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_, reason := fault(n.endpoint, err, limit)
	return saidError{text: reason, cause: err}
}

// stop stops a container that runs.
func (n *engine) stop(ctx context.Context, c inventory.Container, grace time.Duration) (done.Stop, error) {
	limit := grace + n.patience
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	seconds := int((grace + time.Second - 1) / time.Second)
	api, err := n.api(ctx)
	if err != nil {
		return "", n.answer(ctx, err, limit)
	}
	exit := awaitEnd(ctx, api, c)
	defer func() {
		cancel()
		for range exit { // it closes when nothing waits any more
		}
	}()
	began := time.Now()
	err = api.ContainerStop(ctx, c.ID, container.StopOptions{Timeout: &seconds})
	outlived := time.Since(began) >= time.Duration(seconds)*time.Second
	switch {
	case isGone(err):
		return done.StoppedAbsent, nil
	case isEnding(err):
		return done.StoppedAbsent, untilGone(ctx, api, c.ID)
	case err != nil:
		return "", n.answer(ctx, err, limit)
	}
	return ended(ctx, api, c, end{exit: <-exit, outlived: outlived}), nil
}

// exitCode is the code with which a container ended; known is false where the
// engine did not tell.
type exitCode struct {
	code  int64
	known bool
}

// headStart is how long an engine gets to acknowledge the wait before the stop
// is sent all the same.
const headStart = time.Second

// awaitEnd asks to be told when a container has ended, before it is told to
// stop: of one that removes itself nobody could ask afterwards. For that one the
// answer comes when it is gone. The channel holds one answer and is then closed.
func awaitEnd(ctx context.Context, api *client.Client, c inventory.Container) <-chan exitCode {
	condition := container.WaitConditionNotRunning
	if c.AutoRemove.Or(false) {
		condition = container.WaitConditionRemoved
	}
	acknowledged := make(chan struct{})
	exit := make(chan exitCode, 1)
	go func() {
		defer close(exit)
		answers, errs := api.ContainerWait(ctx, c.ID, condition)
		close(acknowledged)
		select {
		case answer := <-answers:
			exit <- exitCode{code: answer.StatusCode, known: answer.Error == nil}
		case <-errs:
			exit <- exitCode{}
		}
	}()
	timer := time.NewTimer(headStart)
	defer timer.Stop()
	select {
	case <-acknowledged:
	case <-timer.C:
	}
	return exit
}

// end is what is known of how a container ended after it was told to.
type end struct {
	exit     exitCode
	outlived bool // the engine took at least the grace
}

// ended says how a stopped container ended: killed where it outlived its grace
// and has the code of SIGKILL. Where the engine does not tell the code (a socket
// proxy may deny the wait), having outlived the grace decides.
func ended(ctx context.Context, api *client.Client, c inventory.Container, end end) done.Stop {
	if !end.exit.known && c.AutoRemove.Or(false) {
		// Whether it is gone by now is what Gone answers; it did stop.
		_ = untilGone(ctx, api, c.ID)
	}
	if end.outlived && (!end.exit.known || end.exit.code == killedCode) {
		return done.StoppedByKill
	}
	return done.StoppedByItself
}

func (n *engine) remove(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, n.patience)
	defer cancel()
	api, err := n.api(ctx)
	if err != nil {
		return n.answer(ctx, err, n.patience)
	}
	err = api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
	switch {
	case err == nil || isGone(err):
		return nil
	case isEnding(err):
		return untilGone(ctx, api, id)
	}
	return n.answer(ctx, err, n.patience)
}

// The pauses between two looks at a container that is being removed.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = 500 * time.Millisecond
)

// untilGone waits until a container that is being removed is gone.
func untilGone(ctx context.Context, api *client.Client, id string) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		_, err := api.ContainerInspect(ctx, id)
		if isGone(err) {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the engine is still removing it: %w", ctx.Err())
		}
		if err != nil {
			return err
		}
		wait(ctx, pause)
	}
}

// wait waits for the time or the end of ctx.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
