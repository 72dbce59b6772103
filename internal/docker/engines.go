package docker

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Options are what [New] needs; every zero field has a sensible meaning.
type Options struct {
	// Environment is where endpoints come from; see [HostEnvironment].
	Environment Environment
	// Timeout bounds one look at one endpoint; zero is 5s.
	Timeout time.Duration
	// Patience bounds an act beyond its grace: killing, taking down, removing;
	// zero is 15s. Sweeps do not overlap, so all else waits for it.
	Patience time.Duration
	// Proc is where the process table is mounted; empty is /proc.
	Proc string

	retry time.Duration // before an engine's events are asked for again; zero is firstRetry
}

func (o Options) withDefaults() Options {
	o.Timeout = cmp.Or(o.Timeout, 5*time.Second)
	o.Patience = cmp.Or(o.Patience, 15*time.Second)
	o.retry = cmp.Or(o.retry, firstRetry)
	o.Proc = cmp.Or(o.Proc, "/proc")
	o.Environment.OS = cmp.Or(o.Environment.OS, runtime.GOOS)
	return o
}

// Engines are the container engines of this host. They are looked for at every
// look, so that one that is started later is found. Safe for concurrent use.
type Engines struct {
	options Options

	mu      sync.Mutex
	engines map[string]*engine // by address
	seen    map[string]string  // container id → address, of the last look
	streams map[string]bool    // address → its events come; where nobody is, none
}

// New makes the engines; nothing is connected to before the first look.
func New(options Options) *Engines {
	return &Engines{options: options.withDefaults(), engines: make(map[string]*engine), streams: make(map[string]bool)}
}

// Close drops idle connections; the engines can still be used.
func (e *Engines) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, engine := range e.engines {
		engine.forget()
	}
}

// Containers reads every engine: all containers, running and stopped, ordered
// by engine and id, and one source for each engine, those in error first. A
// container that vanished while it was read is left out.
func (e *Engines) Containers(ctx context.Context) ([]inventory.Container, []inventory.Source) {
	endpoints, _, err := Resolve(e.options.Environment)
	if err != nil {
		return nil, []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusError, Reason: err.Error()}}
	}
	if len(endpoints) == 0 {
		return nil, []inventory.Source{{
			Name:   inventory.SourceDocker,
			Status: inventory.StatusAbsent,
			Reason: "no engine socket found",
		}}
	}
	views := make([]view, len(endpoints))
	each(len(endpoints), len(endpoints), func(i int) { views[i] = e.engine(endpoints[i]).look(ctx) })
	views = distinct(views)
	e.remember(endpoints, views)
	return gather(views)
}

// view is what one look at one engine gave.
type view struct {
	key        string // equal for two ways to one engine; empty where none answered
	containers []inventory.Container
	source     inventory.Source
}

// engine is the engine of an endpoint, made when it is first asked for.
func (e *Engines) engine(endpoint Endpoint) *engine {
	e.mu.Lock()
	defer e.mu.Unlock()
	if known, ok := e.engines[endpoint.Host]; ok && known.endpoint == endpoint {
		return known
	}
	fresh := newEngine(endpoint, e.options)
	e.engines[endpoint.Host] = fresh
	return fresh
}

// remember keeps which engine has which container, and drops the engines that
// are no longer to be found.
func (e *Engines) remember(endpoints []Endpoint, views []view) {
	seen := make(map[string]string)
	for _, view := range views {
		for _, container := range view.containers {
			seen[container.ID] = container.Engine
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen = seen
	for host, engine := range e.engines {
		if !slices.ContainsFunc(endpoints, func(endpoint Endpoint) bool { return endpoint.Host == host }) {
			engine.forget()
			delete(e.engines, host)
		}
	}
}

// distinct keeps the first view of each engine.
func distinct(views []view) []view {
	seen := make(map[string]bool)
	return slices.DeleteFunc(views, func(v view) bool {
		again := v.key != "" && seen[v.key]
		seen[v.key] = true
		return again
	})
}

// gather joins the views. An error comes first, so that whoever looks at one
// source alone sees the worst.
func gather(views []view) ([]inventory.Container, []inventory.Source) {
	var containers []inventory.Container
	var sources []inventory.Source
	for _, view := range views {
		slices.SortFunc(view.containers, func(a, b inventory.Container) int { return cmp.Compare(a.ID, b.ID) })
		containers = append(containers, view.containers...)
		sources = append(sources, view.source)
	}
	worst := []inventory.Status{inventory.StatusError, inventory.StatusPartial, inventory.StatusOK, inventory.StatusAbsent}
	slices.SortStableFunc(sources, func(a, b inventory.Source) int {
		return cmp.Compare(slices.Index(worst, a.Status), slices.Index(worst, b.Status))
	})
	return containers, sources
}

// each calls visit with every number below n, at most limit at a time, and
// waits for all.
func each(n, limit int, visit func(int)) {
	var wait sync.WaitGroup
	slots := make(chan struct{}, max(1, limit))
	for i := range n {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			visit(i)
		})
	}
	wait.Wait()
}
