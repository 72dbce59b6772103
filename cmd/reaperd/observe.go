package main

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/docker"
	"github.com/reaperd/reaperd/internal/dockercli"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/scan"
)

// host observes this machine: its process table, its engines, what its users'
// clients are configured to start. It is for one goroutine, but for what acting
// asks of it.
type host struct {
	scanner   *scan.Scanner
	engines   *docker.Engines
	discover  *discover.Discoverer // nil where the policy turns discovery off
	users     *discover.Users
	catalogue *catalogue.Memo
	log       *slog.Logger
	how       discover.Options
	said      bool // that what was kept cannot be read

	configured discover.Set
	// at is when the configuration was read, and folders for which sessions'.
	at         time.Time
	folders    []discover.Workdir
	candidates *candidates
}

// configurationStands is for how long the clients' configuration is taken for
// unchanged while the same sessions run: hundreds of files that are mostly not
// there are looked for.
const configurationStands = 30 * time.Second

// candidates is what makes a process worth reading whole, as of one look.
type candidates struct {
	catalogue  *catalogue.Memo
	configured discover.Set
	previous   *graph.Graph
}

func (c *candidates) matches(p *inventory.Process) bool {
	switch c.catalogue.Process(p).Role {
	case catalogue.RoleSession, catalogue.RoleGateway, catalogue.RoleServer: // wrappers and boundaries are read as what is around these
		return true
	}
	if _, _, known := c.configured.Match(p); known {
		return true
	}
	if line, ok := dockercli.Parse(p.Args()); ok && line.CarriesClient() { // whether anybody is behind it
		return true
	}
	return c.previous != nil && c.previous.Knows(p)
}

// newHost opens the process table. how says how configurations are discovered.
func newHost(p *policy.Policy, log *slog.Logger, how discover.Options) (*host, error) {
	h := &host{
		engines:   docker.New(docker.Options{Environment: docker.HostEnvironment()}),
		catalogue: catalogueOf(p),
		users:     discover.NewUsers(),
		log:       log,
		how:       how,
	}
	h.candidates = &candidates{catalogue: h.catalogue}
	if p.Discover {
		h.discover = discover.New(how)
	}
	scanner, err := scan.New(scan.Options{Candidate: h.candidates.matches})
	if err != nil {
		return nil, err
	}
	h.scanner = scanner
	return h, nil
}

// under is the same host under another policy. Only one of them may look at a
// time.
func (h *host) under(p *policy.Policy) *host {
	changed := *h
	changed.catalogue, changed.at = catalogueOf(p), time.Time{}
	switch {
	case !p.Discover:
		changed.discover, changed.configured = nil, discover.Set{}
	case h.discover == nil:
		changed.discover = discover.New(h.how)
	}
	return &changed
}

func (h *host) close() {
	h.engines.Close()
	if err := h.scanner.Close(); err != nil {
		h.log.Debug("close process table", "err", err)
	}
}

// catalogueOf is the built-in catalogue with what the policy adds to it.
func catalogueOf(p *policy.Policy) *catalogue.Memo {
	entries := func(from []policy.Entry) []catalogue.Entry {
		var to []catalogue.Entry
		for _, entry := range from {
			to = append(to, catalogue.Entry{Name: entry.Name, Matches: entry.Matches})
		}
		return to
	}
	return catalogue.Remember(catalogue.New(catalogue.Extra{Sessions: entries(p.Sessions), Servers: entries(p.Servers)}))
}

// Look reads the process table and the engines side by side.
func (h *host) Look(ctx context.Context, previous *graph.Graph) (*inventory.Snapshot, error) {
	*h.candidates = candidates{catalogue: h.catalogue, configured: h.configured, previous: previous}
	h.catalogue.Forget()
	h.configure(ctx, h.folders)
	var containers []inventory.Container
	var sources []inventory.Source
	var engines sync.WaitGroup
	engines.Go(func() { containers, sources = h.engines.Containers(ctx) })
	look, err := h.scan(ctx)
	engines.Wait()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h.nameConfigured(look.Processes)
	return &inventory.Snapshot{
		Version: inventory.Version, TakenAt: time.Now(), Host: look.Host,
		Sources:   slices.Concat([]inventory.Source{look.Source}, sources, h.unreadConfiguration()),
		Processes: look.Processes, Containers: containers,
	}, nil
}

// scan reads the process table, and once more where the sessions that it shows
// bring configurations that name further servers.
func (h *host) scan(ctx context.Context) (scan.Look, error) {
	look, err := h.scanner.Processes(ctx)
	if err != nil || h.discover == nil {
		return look, err
	}
	before := h.configured
	h.configure(ctx, h.foldersOf(look.Processes))
	if slices.Equal(before.Files(), h.configured.Files()) {
		return look, nil
	}
	return h.scanner.Processes(ctx)
}

// configure reads the clients' configuration.
func (h *host) configure(ctx context.Context, folders []discover.Workdir) {
	if h.discover == nil || slices.Equal(folders, h.folders) && time.Since(h.at) < configurationStands {
		return
	}
	h.at, h.folders = time.Now(), folders
	homes, err := h.users.Homes(ctx)
	if err != nil {
		h.log.Warn("read configuration", "err", err)
	}
	set, warnings := h.discover.Configured(ctx, homes, folders)
	for _, warning := range warnings {
		h.log.Warn("configuration not used", "file", warning.File, "why", warning.Text)
	}
	set = discover.Union(set, h.kept())
	h.configured, h.candidates.configured = set, set
}

// unreadConfiguration is the gap that homes leave which do not answer; none where
// all do.
func (h *host) unreadConfiguration() []inventory.Source {
	if h.discover == nil || len(h.discover.Silent()) == 0 {
		return nil
	}
	return []inventory.Source{{Name: inventory.SourceConfiguration, Status: inventory.StatusPartial,
		Reason: "no answer from the file system of " + listed(h.discover.Silent()) + "; what was known of it stays"}}
}

// kept is what `reaperd discover` left for a daemon that may not look itself.
func (h *host) kept() discover.Set {
	if !h.how.Guarded || runtime.GOOS != "darwin" {
		return discover.Set{}
	}
	set, err := discover.LoadCache(discoveredPath())
	if err != nil && !h.said {
		h.log.Warn("what reaperd discover kept cannot be read", "err", err)
		h.said = true
	}
	return set
}

// nameConfigured notes what a client's configuration calls a process: by its
// command, else by the address that it listens at.
func (h *host) nameConfigured(processes []inventory.Process) {
	for i := range processes {
		p := &processes[i]
		if name, by, known := h.configured.Match(p); known {
			p.Configured, p.ConfiguredBy = name, string(by)
			continue
		}
		for _, port := range p.ListenPorts {
			if name, known := h.configured.MatchURL(port); known {
				p.Configured, p.ConfiguredBy = name, string(discover.ByURL)
				break
			}
		}
	}
}

// foldersOf are the working directories of live sessions.
func (h *host) foldersOf(processes []inventory.Process) []discover.Workdir {
	var folders []discover.Workdir
	for i := range processes {
		p := &processes[i]
		if p.Cwd != "" && h.catalogue.Process(p).Role == catalogue.RoleSession {
			folders = append(folders, discover.Workdir{Dir: p.Cwd, UID: p.UID.Or(-1)})
		}
	}
	return discover.DistinctWorkdirs(folders)
}

// Process reads one process anew.
func (h *host) Process(id inventory.ID) (inventory.Process, bool, error) {
	p, err := h.scanner.Process(id)
	if errors.Is(err, scan.ErrGone) {
		return p, false, nil
	}
	return p, err == nil, err
}

// Container reads one container anew.
func (h *host) Container(ctx context.Context, id string) (inventory.Container, bool, error) {
	c, err := h.engines.Inspect(ctx, id)
	if errors.Is(err, docker.ErrGone) {
		return c, false, nil
	}
	return c, err == nil, err
}

// Table is the bare process table, for acting.
func (h *host) Table() ([]reap.Row, error) {
	rows, err := h.scanner.Table()
	if err != nil {
		return nil, err
	}
	table := make([]reap.Row, len(rows))
	for i, row := range rows {
		table[i] = reap.Row{ID: row.ID, PPID: row.PPID, State: row.State, SID: row.SID}
	}
	return table, nil
}

// containers ends containers for the reaper.
type containers struct{ engines *docker.Engines }

func (c containers) Stop(ctx context.Context, id string, grace time.Duration) (reap.Stopped, error) {
	ended, err := c.engines.Stop(ctx, id, grace)
	switch {
	case err != nil:
		return "", err
	case ended == docker.EndedExited:
		return reap.StoppedByItself, nil
	case ended == docker.EndedKilled:
		return reap.StoppedByKill, nil
	}
	gone, err := c.engines.Gone(ctx, id)
	if err == nil && !gone {
		return reap.StoppedBefore, nil
	}
	return reap.StoppedAbsent, nil
}

func (c containers) Remove(ctx context.Context, id string) error { return c.engines.Remove(ctx, id) }

// Gone reports whether the container runs no more.
func (c containers) Gone(ctx context.Context, id string) (bool, error) {
	found, err := c.engines.Inspect(ctx, id)
	if errors.Is(err, docker.ErrGone) {
		return true, nil
	}
	return err == nil && !found.Running(), err
}
