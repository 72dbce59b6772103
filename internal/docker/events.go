package docker

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
)

// Event is something that happened to a container. It is a reason to look, no
// observation: what is so is only what the next look finds.
type Event struct {
	Engine string // the endpoint it came from
	Action string // create, start, die, destroy, exec_die
	ID     string // the container's full id
	At     time.Time
}

// eventBuffer is how many events wait for a slow reader before more are dropped.
const eventBuffer = 64

// The pauses before an engine that is gone or not there yet is tried again.
const (
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// Events tells what happens to containers on every engine, engines that appear
// later included, until ctx ends; then the channel closes. A lost connection is
// made again by itself, and what happened meanwhile is lost, as is what a slow
// reader does not take: an event is only ever a reason to look sooner.
func (e *Engines) Events(ctx context.Context) <-chan Event {
	out := make(chan Event, eventBuffer)
	go func() {
		defer close(out)
		e.followAll(ctx, out)
	}()
	return out
}

// followAll keeps one follower for each endpoint and waits for all of them.
func (e *Engines) followAll(ctx context.Context, out chan<- Event) {
	var followers sync.WaitGroup
	defer followers.Wait()
	followed := make(map[string]bool)
	ended := make(chan string)
	for ctx.Err() == nil {
		endpoints, _, _ := Resolve(e.options.Environment) // an error shows in the next look
		for _, endpoint := range endpoints {
			if followed[endpoint.Host] {
				continue
			}
			followed[endpoint.Host] = true
			followers.Go(func() {
				e.follow(ctx, endpoint, out)
				select {
				case ended <- endpoint.Host:
				case <-ctx.Done():
				}
			})
		}
		timer := time.NewTimer(lastRetry)
		select {
		case host := <-ended:
			delete(followed, host)
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// follow passes one endpoint's events on, and connects again with growing
// pauses, until ctx ends or the endpoint is no more to be found.
func (e *Engines) follow(ctx context.Context, endpoint Endpoint, out chan<- Event) {
	for pause := e.options.retry; ctx.Err() == nil; pause = min(2*pause, lastRetry) {
		if e.engine(endpoint).stream(ctx, out) {
			pause = e.options.retry
		}
		wait(ctx, pause)
		if !e.resolves(endpoint) {
			return
		}
	}
}

func (e *Engines) resolves(endpoint Endpoint) bool {
	endpoints, _, _ := Resolve(e.options.Environment)
	for _, other := range endpoints {
		if other == endpoint {
			return true
		}
	}
	return false
}

// stream passes events on until the connection ends; it reports whether there
// was any event, so that the connection was good.
func (n *engine) stream(ctx context.Context, out chan<- Event) (came bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	api, err := n.connect(ctx)
	if err != nil {
		return false
	}
	messages, errs := api.Events(ctx, events.ListOptions{Filters: wakeUps()})
	for {
		select {
		case message := <-messages:
			came = true
			offer(out, fromMessage(n.endpoint.Host, message))
		case <-errs:
			return came
		}
	}
}

// connect is [engine.api] within the engine's timeout.
func (n *engine) connect(ctx context.Context) (*client.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, n.timeout)
	defer cancel()
	return n.api(ctx)
}

// offer passes an event on unless the reader is too slow.
func offer(out chan<- Event, event Event) {
	select {
	case out <- event:
	default:
	}
}

// wakeUps are the events after which the world of containers is another one.
func wakeUps() filters.Args {
	wanted := filters.NewArgs(filters.Arg("type", string(events.ContainerEventType)))
	for _, action := range []events.Action{
		events.ActionCreate, events.ActionStart, events.ActionDie, events.ActionDestroy, events.ActionExecDie,
	} {
		wanted.Add("event", string(action))
	}
	return wanted
}

// fromMessage takes of an event what a wake-up needs. Some actions carry a
// command behind a colon, which is cut off: it may hold secrets.
func fromMessage(engine string, message events.Message) Event {
	action, _, _ := strings.Cut(string(message.Action), ":")
	return Event{
		Engine: engine,
		Action: action,
		ID:     message.Actor.ID,
		At:     time.Unix(0, message.TimeNano).UTC(),
	}
}
