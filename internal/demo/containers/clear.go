package containers

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// clearWithin limits the time for removing, including repeated requests to a slow engine.
const clearWithin = 30 * time.Second

// Clear removes the containers of one demo, then its image. Missing ones are no error. It
// tries until nothing is left or clearWithin is over.
func (e *Engine) Clear(ctx context.Context, demo string) error {
	ctx, cancel := context.WithTimeout(ctx, clearWithin)
	defer cancel()
	for {
		err := e.clear(ctx, demo)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("remove what the demo made with the engine at %s: %w (docker rm -f $(docker ps -aq --filter label=%s=%s); docker rmi %s)", e.path, plain(err), demoLabel, demo, Image(demo))
		case <-time.After(time.Second / 2):
		}
	}
}

func (e *Engine) clear(ctx context.Context, demo string) error {
	found, err := e.Containers(ctx, demo)
	if err != nil {
		return err
	}
	var failures []error
	for _, one := range found {
		failures = append(failures, e.remove(ctx, one.ID))
	}
	if err := errors.Join(failures...); err != nil {
		return err
	}
	if found, err = e.Containers(ctx, demo); err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("%d containers are left", len(found))
	}
	err = e.call(ctx, question{method: "DELETE", path: "/images/" + Image(demo), query: url.Values{"force": {"1"}}})
	if absent(err) {
		return nil
	}
	return err
}

func (e *Engine) remove(ctx context.Context, id string) error {
	err := e.call(ctx, question{method: "DELETE", path: "/containers/" + id, query: url.Values{"force": {"1"}, "v": {"1"}}})
	if absent(err) {
		return nil
	}
	return err
}
