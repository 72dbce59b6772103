package docker

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Event is something that happened to a container. It is a reason to look and no
// observation: only the look finds out what is the case.
type Event struct {
	Action string // create, start, die, destroy, exec_die
	ID     string // the container's full id
}

// eventBuffer is how many events wait for a slow reader before more are dropped.
const eventBuffer = 64

// The pauses before an engine that is gone or not there yet is tried again.
const (
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// Events reports what happens to containers on every engine, later ones included,
// until ctx ends; then the channel is closed. A lost connection is opened again.
// Events may be lost meanwhile, or if the reader is slow.
func (e *Engines) Events(ctx context.Context) <-chan Event {
	out := make(chan Event, eventBuffer)
	go func() {
		defer close(out)
		e.followAll(ctx, out)
	}()
	return out
}

// EventsUp reports that every engine sends its events now. known is false if there is
// no engine or none was asked yet.
func (e *Engines) EventsUp() (up, known bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	up = true
	for _, comes := range e.streams {
		up = up && comes
	}
	return up && len(e.streams) > 0, len(e.streams) > 0
}

// noteStream notes whether an endpoint's events arrive; of one that is absent none are lost.
func (e *Engines) noteStream(endpoint Endpoint, status inventory.Status) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.streams[endpoint.Host] = status == inventory.StatusOK; status == inventory.StatusAbsent {
		delete(e.streams, endpoint.Host)
	}
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
	defer e.noteStream(endpoint, inventory.StatusAbsent)
	for pause := e.options.retry; ctx.Err() == nil; pause = min(2*pause, lastRetry) {
		came, err := e.engine(endpoint).stream(ctx, out, func() { e.noteStream(endpoint, inventory.StatusOK) })
		if came {
			pause = e.options.retry
		}
		status, _ := fault(endpoint, err, e.options.Timeout)
		e.noteStream(endpoint, status)
		wait(ctx, pause)
		if !e.resolves(endpoint) {
			return
		}
	}
}

func (e *Engines) resolves(endpoint Endpoint) bool {
	endpoints, _, _ := Resolve(e.options.Environment)
	return slices.Contains(endpoints, endpoint)
}

// stream passes events on until the connection ends, and calls opened when the engine
// has opened it. It returns why the connection ended, and whether any event came,
// which shows that the connection had worked.
func (n *engine) stream(ctx context.Context, out chan<- Event, opened func()) (came bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	api, err := n.connect(ctx)
	if err != nil {
		return false, err
	}
	messages, errs := api.Events(ctx, events.ListOptions{Filters: wakeUps()})
	opened()
	for {
		select {
		case message := <-messages:
			came = true
			offer(out, fromMessage(message))
		case err := <-errs:
			return came, err
		}
	}
}

// connect is [engine.reachable] within the engine's timeout.
func (n *engine) connect(ctx context.Context) (*client.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, n.timeout)
	defer cancel()
	return n.reachable(ctx)
}

// offer passes an event on unless the reader is too slow.
func offer(out chan<- Event, event Event) {
	select {
	case out <- event:
	default:
	}
}

// wakeUps are the events that change which containers run.
func wakeUps() filters.Args {
	wanted := filters.NewArgs(filters.Arg("type", string(events.ContainerEventType)))
	for _, action := range []events.Action{
		events.ActionCreate, events.ActionStart, events.ActionDie, events.ActionDestroy, events.ActionExecDie,
	} {
		wanted.Add("event", string(action))
	}
	return wanted
}

// fromMessage takes from an event what a wake-up needs. Some actions end in a colon
// and a command, which is cut off: it may hold secrets.
func fromMessage(message events.Message) Event {
	action, _, _ := strings.Cut(string(message.Action), ":")
	return Event{Action: action, ID: message.Actor.ID}
}
