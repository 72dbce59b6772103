//go:build linux

package mac

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/darwin"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/test/mac/darwintest"
)

func itoa(n int) string { return strconv.Itoa(n) }

// host is a played Mac, as the program's own host is: what looks at it, and what
// acts on it.
type host struct {
	kernel    *darwintest.Kernel
	scanner   *scan.Mac
	catalogue *catalogue.Memo
	engine    *engine // nil is none
	self      int

	previous *graph.Graph
}

func newHost(kernel *darwintest.Kernel) *host {
	h := &host{kernel: kernel, catalogue: catalogue.Remember(catalogue.New(catalogue.Extra{}))}
	h.self = kernel.Spawn(nil, darwintest.Spec{Comm: "reaperd", Exe: "/opt/homebrew/bin/reaperd", Argv: []string{"reaperd", "run"},
		UID: kernel.UID, Setsid: true}).PID
	h.scanner = scan.NewMac(kernel, scan.Options{Candidate: h.matters}, h.describe)
	return h
}

func (h *host) describe() inventory.Host {
	return inventory.Host{OS: "darwin", Hostname: "mac", BootID: darwin.BootID(h.kernel), PIDNamespace: "init",
		UID: inventory.Known(h.kernel.UID), SelfPID: h.self, AwakeSeconds: inventory.Known(float64(time.Now().UnixMilli()) / 1000)}
}

func (h *host) matters(p *inventory.Process) bool {
	return graph.NewSelection(h.catalogue, nil).After(h.previous).Candidate(p)
}

// Look implements [sweep.Observer].
func (h *host) Look(ctx context.Context, previous *graph.Graph) (*inventory.Snapshot, error) {
	h.previous = previous
	h.catalogue.Forget()
	look, err := h.scanner.Processes(ctx)
	if err != nil {
		return nil, err
	}
	docker := inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusAbsent}
	snapshot := &inventory.Snapshot{Version: inventory.Version, TakenAt: time.Now(), Host: look.Host, Processes: look.Processes}
	if h.engine != nil {
		docker = inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusOK, Endpoint: h.engine.endpoint}
		docker.Connections = inventory.Known(clientsOf(look.Processes))
		snapshot.Containers = h.engine.list()
	}
	snapshot.Sources = []inventory.Source{look.Source, docker}
	return snapshot, nil
}

// clientsOf are the connections to the engine: those of every live docker run.
func clientsOf(processes []inventory.Process) []inventory.Connection {
	open := []inventory.Connection{}
	for _, p := range processes {
		if args := p.Args(); p.Alive() && len(args) > 2 && args[0] == "docker" && args[1] == "run" {
			open = append(open, inventory.Connection{ID: fmt.Sprintf("socket:%d", p.PID), PIDs: []int{p.PID}, UID: p.UID})
		}
	}
	return open
}

// Process implements [sweep.Fresh].
func (h *host) Process(id inventory.ID) (inventory.Process, bool, error) {
	p, err := h.scanner.Process(id)
	if errors.Is(err, scan.ErrGone) {
		return p, false, nil
	}
	return p, err == nil, err
}

// Container implements [sweep.Fresh].
func (h *host) Container(_ context.Context, id string) (inventory.Container, bool, error) {
	if h.engine == nil {
		return inventory.Container{}, false, nil
	}
	c, found := h.engine.find(id)
	return c, found, nil
}

// Open implements [reap.Kernel]: as a kqueue does, it takes whoever has the
// number now.
func (h *host) Open(pid int) (reap.Handle, error) {
	identity, err := darwin.IdentityOf(h.kernel, pid)
	if darwin.IsGone(err) {
		return nil, reap.ErrExited
	}
	p := h.kernel.Find(pid)
	if err == nil && (p == nil || !h.kernel.IsAlive(p)) {
		return nil, reap.ErrExited
	}
	return &handle{h.kernel, p, identity.Unique}, err
}

// Wait implements [reap.Kernel].
func (h *host) Wait(handles []reap.Handle, limit time.Duration) ([]int, error) {
	for deadline := time.After(limit); ; {
		next := h.kernel.Exited()
		var ended []int
		for i, one := range handles {
			if one.Exited() {
				ended = append(ended, i)
			}
		}
		if len(ended) > 0 {
			return ended, nil
		}
		select {
		case <-next:
		case <-deadline:
			return nil, nil
		}
	}
}

// handle is a process that is watched, as by a kqueue.
type handle struct {
	kernel  *darwintest.Kernel
	process *darwintest.Process
	unique  uint64
}

func (h *handle) Exited() bool { return !h.kernel.IsAlive(h.process) }

// Signal goes the way that a Mac's signals go.
func (h *handle) Signal(signal unix.Signal) error {
	ended := func(limit time.Duration) bool {
		time.Sleep(limit) // of the bubble
		return h.Exited()
	}
	err := darwin.Signal(h.kernel, h.kernel, darwin.Target{PID: h.process.PID, Unique: h.unique, Exited: ended}, int(signal))
	if darwin.IsGone(err) {
		return reap.ErrExited
	}
	return err
}

func (*handle) Close() {}

// engine is Docker Desktop: its containers run in a virtual machine of its own,
// so that nothing of them stands in the process table but their clients.
type engine struct {
	endpoint string
	ended    func(id string) // called when a container has ended

	mu         sync.Mutex
	containers []inventory.Container
	acts       []string
}

func (e *engine) list() []inventory.Container {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.containers)
}

func (e *engine) find(id string) (inventory.Container, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.IndexFunc(e.containers, func(c inventory.Container) bool { return c.ID == id })
	if i < 0 {
		return inventory.Container{}, false
	}
	return e.containers[i], true
}

func (e *engine) names() (names []string) {
	for _, container := range e.list() {
		names = append(names, container.Name)
	}
	return names
}

// Stop implements [reap.Containers]: what was started with --rm is gone then.
func (e *engine) Stop(_ context.Context, id string, _ time.Duration) (human.Stop, error) {
	e.mu.Lock()
	before := len(e.containers)
	e.containers = slices.DeleteFunc(e.containers, func(c inventory.Container) bool { return c.ID == id })
	there := len(e.containers) < before
	e.acts = append(e.acts, "stop "+id)
	e.mu.Unlock()
	if !there {
		return human.StoppedAbsent, nil
	}
	e.ended(id)
	return human.StoppedByItself, nil
}

// Remove implements [reap.Containers].
func (*engine) Remove(context.Context, string, bool) error { return nil }

// Gone implements [reap.Containers].
func (e *engine) Gone(_ context.Context, id string) (bool, error) {
	_, found := e.find(id)
	return !found, nil
}
