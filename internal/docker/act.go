package docker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// ErrGone is the error for a container that no engine has.
var ErrGone = errors.New("no such container")

// killedCode is the exit code of a process that SIGKILL ended: 128 + 9.
const killedCode = 137

// Inspect reads one container afresh. The error is [ErrGone] if every engine was
// asked and none has it.
func (e *Engines) Inspect(ctx context.Context, id string) (inventory.Container, error) {
	_, found, err := e.locate(ctx, id)
	if err != nil {
		return inventory.Container{}, fmt.Errorf("inspect container %s: %w", short(id), err)
	}
	return found, nil
}

// Stop stops a container: it sends the stop signal and, after grace (rounded up to
// whole seconds), SIGKILL. If the container removes itself when it ends, Stop waits
// until it is gone, within the engine's patience. A container that does not run or
// does not exist is no error.
func (e *Engines) Stop(ctx context.Context, id string, grace time.Duration) (human.Stop, error) {
	engine, found, err := e.locate(ctx, id)
	switch {
	case errors.Is(err, ErrGone):
		return human.StoppedAbsent, nil
	case err != nil:
		return "", fmt.Errorf("stop container %s: %w", short(id), err)
	case !stoppable(found):
		return human.StoppedBefore, nil
	}
	ended, err := engine.stop(ctx, found, max(0, grace))
	if err != nil {
		return "", fmt.Errorf("stop container %s: %w", short(id), said(err))
	}
	return ended, nil
}

// stoppable reports a container that runs or is between two restarts: stopping it
// ends those too.
func stoppable(c inventory.Container) bool {
	return c.Running() || c.State == container.StateRestarting
}

// Remove kills a container if it runs, removes it, with its anonymous volumes if that is
// asked for, and returns when it is gone. A container that is gone already is no error; if a
// removal is under way, Remove waits for it.
func (e *Engines) Remove(ctx context.Context, id string, volumes bool) error {
	engine, _, err := e.locate(ctx, id)
	if errors.Is(err, ErrGone) {
		return nil
	}
	if err == nil {
		err = engine.remove(ctx, id, volumes)
	}
	if err != nil {
		return fmt.Errorf("remove container %s: %w", short(id), said(err))
	}
	return nil
}

// locate finds the engine that has a container, and reads the container. The error is
// [ErrGone] only if an engine said so: the one that had the container at the last
// look; else at least one engine, while every other is a socket that nobody serves.
// Nothing but a full id is ever sent to an engine: a short id or a name may come to
// mean another container.
func (e *Engines) locate(ctx context.Context, id string) (*engine, inventory.Container, error) {
	if !inventory.IsContainerID(id) {
		return nil, inventory.Container{}, fmt.Errorf("%q is no full container id of 64 hexadecimal digits", id)
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

// lastSeenAt is the engine that had the container at the last look; nil if none had.
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

// reachable is the connection to an engine that answers now. The library's own error does
// not tell an engine that nobody serves from one that fails.
func (n *engine) reachable(ctx context.Context) (*client.Client, error) {
	if _, err := n.reach(ctx); err != nil {
		return nil, err
	}
	return n.api(ctx)
}

// answer words a request's error like that of a source that could not be read, if it
// is the engine that does not answer.
func (n *engine) answer(ctx context.Context, err error, limit time.Duration) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	} else if !isUnserved(err) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_, why := fault(n.endpoint, err, limit)
	return saidError{text: why.String(), cause: err}
}

// stop stops a running container.
func (n *engine) stop(ctx context.Context, c inventory.Container, grace time.Duration) (human.Stop, error) {
	limit := grace + n.patience
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	seconds := int((grace + time.Second - 1) / time.Second)
	api, err := n.api(ctx)
	if err != nil {
		return "", n.answer(ctx, err, limit)
	}
	exit := awaitExit(ctx, api, c)
	defer func() {
		cancel()
		for range exit { // closed when awaitExit is done
		}
	}()
	began := time.Now()
	err = api.ContainerStop(ctx, c.ID, container.StopOptions{Timeout: &seconds})
	outlived := time.Since(began) >= time.Duration(seconds)*time.Second
	switch {
	case isGone(err):
		return human.StoppedAbsent, nil
	case isEnding(err):
		return human.StoppedAbsent, untilGone(ctx, api, c.ID)
	case err != nil:
		return "", n.answer(ctx, err, limit)
	}
	return outcomeOf(ctx, api, c, stopping{exit: <-exit, outlived: outlived}), nil
}

// exitCode is the code with which a container exited. known is false if the engine did
// not tell.
type exitCode struct {
	code  int64
	known bool
}

// headStart is how long an engine gets to acknowledge the wait. After that the stop
// is sent anyway.
const headStart = time.Second

// awaitExit asks the engine to report the end of a container. It must be asked before
// the stop: a container that removes itself cannot be asked about afterwards; for
// such a one the answer comes when it is gone. The channel gets one answer and is
// then closed.
func awaitExit(ctx context.Context, api *client.Client, c inventory.Container) <-chan exitCode {
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

// stopping is what is known of how a container exited after the stop.
type stopping struct {
	exit     exitCode
	outlived bool // the engine took at least the grace
}

// outcomeOf says how a stopped container exited. It was killed if it outlived its grace
// and has the exit code of SIGKILL. If the engine does not tell the code (a socket
// proxy may deny the wait), outliving the grace is enough.
func outcomeOf(ctx context.Context, api *client.Client, c inventory.Container, after stopping) human.Stop {
	if !after.exit.known && c.AutoRemove.Or(false) {
		// It has stopped. Whether it is gone by now is asked with Gone.
		_ = untilGone(ctx, api, c.ID)
	}
	if after.outlived && (!after.exit.known || after.exit.code == killedCode) {
		return human.StoppedByKill
	}
	return human.StoppedByItself
}

func (n *engine) remove(ctx context.Context, id string, volumes bool) error {
	ctx, cancel := context.WithTimeout(ctx, n.patience)
	defer cancel()
	api, err := n.api(ctx)
	if err != nil {
		return n.answer(ctx, err, n.patience)
	}
	err = api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: volumes})
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
