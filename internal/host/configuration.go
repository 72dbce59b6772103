package host

import (
	"context"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// configuration is the servers that the clients of this host's users are configured
// to start.
type configuration struct {
	discoverer discoverer // nil where the policy turns discovery off
	users      *discover.Users
	how        discover.Options
	saved      *savedConfiguration
	told       bool // whoever looks tells the faults of the files: they are not logged
	log        *slog.Logger

	set     discover.Set
	version uint64             // another for every set that is not the same
	at      time.Time          // when it was read
	folders []discover.Workdir // those of the sessions that it was read for
	stands  time.Duration      // how long it counts as unchanged while the same sessions run
}

// discoverer reads the configurations; [discover.Discoverer] is the real one.
type discoverer interface {
	Configured(ctx context.Context, homes []discover.Home, folders []discover.Workdir) discover.Set
	Unread() []discover.Warning
	AnswersAgain() bool
}

// configurationStands is how long the clients' configuration counts as unchanged
// while the same sessions run. Reading it means looking for hundreds of files, most
// of which do not exist. It is standsForListeners under a policy that ends what
// listens: a client that is configured to use an address keeps who listens there.
const (
	configurationStands = 5 * time.Minute
	standsForListeners  = 30 * time.Second
)

// standsUnder is how long the configuration stands under a policy.
func standsUnder(p *policy.Policy) time.Duration {
	if slices.ContainsFunc(p.Rules, reapsListeners) {
		return standsForListeners
	}
	return configurationStands
}

// reapsListeners reports a rule that may reap what listens.
func reapsListeners(r policy.Rule) bool {
	kinds := r.Match.Kinds
	onlyContainers := len(kinds) == 1 && kinds[0] == graph.KindContainer
	return r.Action.Reaps() && (r.Match.Listening == nil || *r.Match.Listening) && !onlyContainers
}

func newConfiguration(o Options) *configuration {
	c := &configuration{users: discover.NewUsers(), how: discover.Options{Guarded: o.Guarded}, told: o.TellsFaults, log: o.Log, stands: standsUnder(o.Policy)}
	if o.Guarded && runtime.GOOS == "darwin" {
		c.saved = &savedConfiguration{file: o.Saved}
	}
	if o.Policy.Discover {
		c.discoverer = discover.New(c.how)
	}
	return c
}

// under is the configuration for another policy: read again at once, or not at all.
func (c *configuration) under(p *policy.Policy) *configuration {
	changed := *c
	changed.at, changed.version, changed.stands = time.Time{}, c.version+1, standsUnder(p)
	switch {
	case !p.Discover:
		changed.discoverer, changed.set = nil, discover.Set{}
	case c.discoverer == nil:
		changed.discoverer = discover.New(c.how)
	}
	return &changed
}

// isRecent reports that the configuration was read lately for the sessions in these
// folders, and that nothing which was late then has answered since.
func (c *configuration) isRecent(folders []discover.Workdir) bool {
	return slices.Equal(folders, c.folders) && time.Since(c.at) < c.stands && !c.discoverer.AnswersAgain()
}

// refresh reads the configuration for the sessions in these folders, unless that was
// done lately. It reports that it now comes from other files.
func (c *configuration) refresh(ctx context.Context, folders []discover.Workdir) (changed bool) {
	if c.discoverer == nil || c.isRecent(folders) {
		return false
	}
	before := c.set
	c.at, c.folders = time.Now(), folders
	homes, err := c.users.Homes(ctx)
	if err != nil {
		c.log.Warn("read configuration", "err", err)
	}
	c.set = discover.Union(c.discoverer.Configured(ctx, homes, folders), c.saved.load(c.log))
	c.warn(before.Faults())
	if !before.Equal(c.set) {
		c.version++
	}
	return !slices.Equal(before.Files(), c.set.Files())
}

// warn logs what is wrong with the files since the look before, unless the one who looks tells it.
func (c *configuration) warn(before []discover.Warning) {
	for _, fault := range c.set.Faults() {
		if !c.told && !slices.Contains(before, fault) {
			c.log.Warn("configuration not used", "file", fault.File, "why", fault.Text)
		}
	}
}

// gaps names the homes and folders that were not read.
func (c *configuration) gaps() []inventory.Source {
	var reasons []string
	if c.discoverer != nil {
		for _, unread := range c.discoverer.Unread() {
			reasons = append(reasons, unread.File+" "+unread.Text)
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	return []inventory.Source{{Name: inventory.SourceConfiguration, Status: inventory.StatusPartial, Reason: strings.Join(reasons, "; ")}}
}

// label sets the name that a client's configuration gives a process: by its command,
// else by the address that it listens at. A configuration of this scope names nothing in another, whose
// users are others with the same numbers: an address there may be used, and that is all.
func (c *configuration) label(seen *inventory.Snapshot) {
	for i := range seen.Processes {
		p := &seen.Processes[i]
		here := seen.IsHere(p)
		server, by := c.set.Match(p), discover.ByCommand
		if server == nil || !here {
			var own bool
			if server, own = c.set.MatchURL(p); own && here {
				by = discover.ByURL
			} else {
				by = discover.ByOthers
			}
		}
		if server == nil {
			continue
		}
		p.Configured, p.ConfiguredBy = server.Name, by
		if server.Project {
			p.ConfiguredIn = server.Folder
		}
	}
	c.labelContainers(seen)
}

// labelContainers sets the name that a client's configuration gives a command line which
// names a container, for that container, and for what such a line has started in it.
func (c *configuration) labelContainers(seen *inventory.Snapshot) {
	engines, execd := seen.Engines(), map[int]*inventory.Container{}
	for i := range seen.Containers {
		container := &seen.Containers[i]
		container.Configured, _ = c.set.Container(container)
		for _, pid := range container.ExecPIDs {
			execd[pid] = container
		}
	}
	for i := range seen.Processes {
		p := &seen.Processes[i]
		in := execd[p.PID]
		if in == nil || p.ContainerID != in.ID || p.Configured != "" && p.ConfiguredBy != discover.ByOthers {
			continue
		}
		if name, known := c.set.Exec(in, p.Args(), func(uid int) bool { return engines.Reaches(uid, in) }); known {
			p.Configured, p.ConfiguredBy = name, string(discover.ByCommand)
		}
	}
}

// savedConfiguration is the result of `reaperd discover`, saved by a person for a
// daemon that may not read the files itself.
type savedConfiguration struct {
	file   string
	warned bool // that it cannot be read
}

func (s *savedConfiguration) load(log *slog.Logger) discover.Set {
	if s == nil {
		return discover.Set{}
	}
	set, err := discover.LoadCache(s.file)
	if err != nil && !s.warned {
		log.Warn("what reaperd discover kept cannot be read", "err", err)
		s.warned = true
	}
	return set
}

// Configured is the configuration as of the last look. read is false if the policy
// turns it off.
func (h *Host) Configured() (set discover.Set, read bool) {
	return h.configuration.set, h.configuration.discoverer != nil
}

// SaveConfigured saves the configuration in a file for a guarded host. It reports that
// this is of use: on systems other than macOS nothing is guarded.
func (h *Host) SaveConfigured(file string) (isOfUse bool, err error) {
	if runtime.GOOS != "darwin" {
		return false, nil
	}
	return true, discover.SaveCache(file, h.configuration.set)
}
