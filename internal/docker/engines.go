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

// Options configure [New]. Zero fields have defaults.
type Options struct {
	// Environment is where endpoints come from; see [HostEnvironment].
	Environment Environment
	// Timeout bounds one look at one endpoint; zero is 5s.
	Timeout time.Duration
	// Patience bounds an act beyond its grace: killing, taking down, removing; zero
	// is 15s.
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

// Engines are the container engines of this host. They are looked up at every look,
// so one that is started later is found. Safe for concurrent use.
type Engines struct {
	options Options

	mu      sync.Mutex
	engines map[string]*engine // by address
	seen    map[string]string  // container id → address, of the last look
	streams map[string]bool    // address → its events arrive; no entry if nobody listens there
	sockets []string           // of the engines of the last look
}

// New makes the engines. It connects to none before the first look.
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

// Containers reads every engine. It returns all containers, running and stopped, by
// engine and id, and one source for each engine, failed ones first. A container that
// vanishes meanwhile is left out.
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

// Sockets are the paths of the unix sockets on which the engines listen, as far as they are
// known: those at which they are asked, and what the last look has told of others.
func (e *Engines) Sockets() []string {
	endpoints, _, _ := Resolve(e.options.Environment) // an error shows in the look
	e.mu.Lock()
	paths := slices.Clone(e.sockets)
	e.mu.Unlock()
	for _, endpoint := range endpoints {
		if path, unix := endpoint.socket(); unix {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// view is the result of one look at one engine.
type view struct {
	key        string // equal for two ways to one engine; empty if it did not answer
	containers []inventory.Container
	source     inventory.Source
}

// engine is the engine of an endpoint; it is made at the first call.
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

// remember keeps which engine has which container, and drops the engines that no
// longer exist.
func (e *Engines) remember(endpoints []Endpoint, views []view) {
	seen := make(map[string]string)
	var sockets []string
	for _, view := range views {
		sockets = append(sockets, view.source.Sockets...)
		for _, container := range view.containers {
			if seen[container.ID] == "" {
				seen[container.ID] = container.Engine
			}
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen, e.sockets = seen, sockets
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

// gather joins the views. Failed sources come first, so that whoever looks at one
// source only sees the worst.
func gather(views []view) ([]inventory.Container, []inventory.Source) {
	var containers []inventory.Container
	var sources []inventory.Source
	seen := map[string]bool{}
	for _, view := range views {
		slices.SortStableFunc(view.containers, func(a, b inventory.Container) int { return cmp.Compare(a.ID, b.ID) })
		for _, c := range view.containers {
			if !seen[c.ID] { // a user's engine may claim what another has
				containers, seen[c.ID] = append(containers, c), true
			}
		}
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
