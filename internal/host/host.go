package host

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/docker"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/scan"
)

// Options configure [Open].
type Options struct {
	// Policy adds sessions and servers to the catalogue, and may turn off the
	// configuration.
	Policy *policy.Policy
	Log    *slog.Logger
	// Saved is the file that [Host.SaveConfigured] writes, for a guarded host on macOS.
	Saved string
	// Guarded marks a background daemon. On macOS it must not touch files for which
	// each access would raise a permission dialog.
	Guarded bool
	// Selective leaves processes out of a look that cannot matter to a verdict, as a
	// daemon does.
	Selective bool
	// TellsFaults marks a caller whose answer has the faults of the configurations
	// ([discover.Set.Faults]): they are not logged.
	TellsFaults bool
}

// Host is this machine under one policy.
type Host struct {
	parts
	catalogue     *catalogue.Memo
	configuration *configuration
}

// parts are shared by the hosts of all policies.
type parts struct {
	table   table
	engines engines
	whole   *whole
	facts   facts
	log     *slog.Logger
}

// table is the process table; [scan.Scanner] is the real one.
type table interface {
	Processes(ctx context.Context) (scan.Look, error)
	List(look *scan.Look, pids []int)
	Process(id inventory.ID) (inventory.Process, error)
	Table() ([]inventory.Row, error)
	Close() error
}

// engines are the container engines; [docker.Engines] are the real ones.
type engines interface {
	stopper
	Containers(ctx context.Context) ([]inventory.Container, []inventory.Source)
	Sockets() []string
	Events(ctx context.Context) <-chan docker.Event
	EventsUp() (up, known bool)
	Close()
}

// Open opens the process table and prepares the rest. Close it after use.
func Open(o Options) (*Host, error) {
	known := Catalogue(o.Policy)
	h := &Host{
		parts: parts{
			engines: docker.New(docker.Options{Environment: docker.HostEnvironment()}),
			whole:   &whole{}, facts: readFacts(context.Background()), log: o.Log,
		},
		catalogue: known, configuration: newConfiguration(o),
	}
	options := scan.Options{Candidate: h.whole.Candidate, Sockets: h.engines.Sockets}
	if o.Selective {
		options.Selection = h.whole
	}
	scanner, err := scan.New(options)
	if err != nil {
		return nil, err
	}
	h.table = scanner
	return h, nil
}

// Under is the same host under another policy.
func (h *Host) Under(p *policy.Policy) *Host {
	return &Host{parts: h.parts, catalogue: Catalogue(p), configuration: h.configuration.under(p)}
}

// Recall has the looks read whole what was a server for whoever looked before, by the ids of the
// targets: nothing that can be seen of it now may say so. It is for the time before the first look.
func (h *Host) Recall(targets []string) { h.whole.recalled = graph.ProcessesOf(targets) }

// Close closes everything that the hosts of one [Open] share.
func (h *Host) Close() {
	h.engines.Close()
	if err := h.table.Close(); err != nil {
		h.log.Debug("close process table", "err", err)
	}
}

// Catalogue is the built-in catalogue with a policy's entries.
func Catalogue(p *policy.Policy) *catalogue.Memo {
	return catalogue.Remember(catalogue.New(catalogue.Extra{Sessions: entries(p.Sessions), Servers: entries(p.Servers), Trusted: trusted(p.Trust)}))
}

func trusted(from []policy.Trust) []catalogue.Trust {
	var to []catalogue.Trust
	for _, trust := range from {
		to = append(to, catalogue.Trust{Process: trust.MatchesProcess, Container: trust.MatchesContainer})
	}
	return to
}

func entries(from []policy.Entry) []catalogue.Entry {
	var to []catalogue.Entry
	for _, entry := range from {
		to = append(to, catalogue.Entry{Name: entry.Name, Matches: entry.Matches})
	}
	return to
}

// Catalogue is the catalogue of this host's policy.
func (h *Host) Catalogue() *catalogue.Memo { return h.catalogue }

// Look reads the process table and the engines at the same time.
// previous is the graph of the look before, nil for the first.
func (h *Host) Look(ctx context.Context, previous *graph.Graph) (*inventory.Snapshot, error) {
	h.catalogue.Forget()
	h.configuration.refresh(ctx, h.configuration.folders)
	h.whole.use(h.catalogue, h.configuration, previous)
	var containers []inventory.Container
	var sources []inventory.Source
	var engines sync.WaitGroup
	engines.Go(func() { containers, sources = h.engines.Containers(ctx) })
	look, err := h.processes(ctx)
	engines.Wait()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return h.join(look, containers, sources), nil
}

// join makes one snapshot of the process table, the containers and the other sources.
// A look leaves out processes that cannot matter; those that the rest of the snapshot
// refers to all the same are read and added.
func (h *Host) join(look scan.Look, containers []inventory.Container, sources []inventory.Source) *inventory.Snapshot {
	h.facts.add(&look.Host)
	seen := &inventory.Snapshot{
		Version: inventory.Version, Host: look.Host, Processes: look.Processes, Containers: containers,
		Sources: slices.Concat([]inventory.Source{look.Source}, sources, h.configuration.gaps()),
	}
	addClients(seen, look.Clients)
	tellUnread(seen)
	if pids := unlisted(seen); look.Unlisted > 0 && len(pids) > 0 {
		h.table.List(&look, pids)
		seen.Processes = look.Processes
	}
	seen.PlaceInContainers()
	h.configuration.label(seen)
	seen.Unlisted, seen.TakenAt = look.Unlisted, time.Now()
	return seen
}

// processes reads the process table, and reads it again if its sessions lead to
// configurations with further servers.
func (h *Host) processes(ctx context.Context) (scan.Look, error) {
	look, err := h.table.Processes(ctx)
	if err != nil {
		return look, err
	}
	if !h.configuration.refresh(ctx, h.sessionFolders(&inventory.Snapshot{Host: look.Host, Processes: look.Processes})) {
		return look, nil
	}
	return h.table.Processes(ctx)
}

// sessionFolders are the working directories of live sessions. A path in a container is another folder's here.
func (h *Host) sessionFolders(seen *inventory.Snapshot) []discover.Workdir {
	var folders []discover.Workdir
	for i := range seen.Processes {
		p := &seen.Processes[i]
		if p.Cwd != "" && seen.IsHere(p) && h.catalogue.Process(p).Role == inventory.RoleSession {
			folders = append(folders, discover.Workdir{Dir: p.Cwd, UID: p.UID.Or(-1)})
		}
	}
	return discover.DistinctWorkdirs(folders)
}

// Events tells what happens to containers, until ctx ends.
func (h *Host) Events(ctx context.Context) <-chan docker.Event { return h.engines.Events(ctx) }

// EventsUp reports that the engines send their events. known is false if there is no
// engine.
func (h *Host) EventsUp() (up, known bool) { return h.engines.EventsUp() }
