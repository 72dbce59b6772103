package docker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"

	"github.com/reaperd/reaperd/internal/inventory"
)

// inspectLimit is how many requests one engine gets at a time. More would only queue:
// an engine's speed is limited by its own processor time.
const inspectLimit = 8

// stoppedContainer is the inspect of a stopped container. It holds while the list
// shows the same status ("Exited (0) 2 hours ago").
type stoppedContainer struct {
	status    string
	container inventory.Container
}

// seen is a listed container with everything that was read of it.
type seen struct {
	listed    summary
	container inventory.Container
	mounts    []container.MountPoint
	gone      bool
	err       error // could not be inspected
}

// hungTimeout is the time for an engine that did not answer the last time: the
// processes of this host wait for it at every look. Every fifth time it gets all
// of its time, in case it is only slow.
const (
	hungTimeout = time.Second
	fullTimeout = 5
)

// lookTime is the time that a look at the engine may take.
func (n *engine) lookTime() time.Duration {
	if n.endpoint.User.IsKnown() { // no user may make all others wait
		return min(n.timeout, hungTimeout)
	}
	if n.missed.Load()%fullTimeout == 0 {
		return n.timeout
	}
	return min(n.timeout, hungTimeout)
}

// noteAnswer counts the looks in a row that ran out of time.
func (n *engine) noteAnswer(ctx context.Context) {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		n.missed.Add(1)
		return
	}
	n.missed.Store(0)
}

// look reads one engine, within the time that it has.
func (n *engine) look(ctx context.Context) view {
	within := n.lookTime()
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	v, err := n.read(ctx)
	n.noteAnswer(ctx)
	if err == nil {
		return v
	}
	n.forget()
	if ctx.Err() != nil {
		err = ctx.Err() // the client does not always keep the cause
	}
	status, why := fault(n.endpoint, err, within)
	return view{source: inventory.Source{
		Name: inventory.SourceDocker, Endpoint: n.endpoint.Host, Status: status, Reason: why.String(), Remedy: why.remedy, Gaps: why.gaps, Program: n.program(),
	}}
}

func (n *engine) read(ctx context.Context) (view, error) {
	peer, err := n.reach(ctx)
	if err != nil {
		return view{}, err
	}
	n.peerUID.Store(int64(peer.uid))
	api, err := n.api(ctx)
	if err != nil {
		return view{}, err
	}
	who, err := n.whoAnswers(ctx, api)
	if err != nil {
		return view{}, err
	}
	listed, err := n.list(ctx, api)
	if err != nil {
		return view{}, err
	}
	all, err := n.inspectAll(ctx, api, listed)
	if err != nil {
		return view{}, err
	}
	return n.conclude(peer, who, all), nil
}

// inspectAll inspects the running containers, then the stopped ones. Running out of
// time among the running ones is an error: the engine did not answer. Stopped ones
// that are not reached keep what the list says.
func (n *engine) inspectAll(ctx context.Context, api *client.Client, listed []summary) ([]seen, error) {
	var running, stopped []seen
	for _, entry := range listed {
		if !inventory.IsContainerID(entry.ID) {
			return nil, fmt.Errorf("the engine lists a container as %.64q, which is no full id", entry.ID)
		}
		one := seen{listed: entry, container: fromList(n.endpoint.Host, entry)}
		if one.container.Running() {
			running = append(running, one)
		} else {
			stopped = append(stopped, one)
		}
	}
	each(len(running), inspectLimit, func(i int) { n.inspect(ctx, api, &running[i]) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	each(len(stopped), inspectLimit, func(i int) { n.inspectStopped(ctx, api, &stopped[i]) })
	n.keepListed(stopped)
	all := append(running, stopped...)
	return slices.DeleteFunc(all, func(s seen) bool { return s.gone }), nil
}

// inspect adds the facts that the list lacks. A container that vanished is marked as
// gone.
func (n *engine) inspect(ctx context.Context, api *client.Client, s *seen) {
	response, err := api.ContainerInspect(ctx, s.listed.ID)
	switch {
	case isGone(err):
		s.gone = true
	case err != nil:
		s.err = fmt.Errorf("inspect container %s: %w", short(s.listed.ID), said(err))
	case response.ContainerJSONBase == nil || response.ID != s.listed.ID:
		s.err = fmt.Errorf("inspect container %s: the engine answered with another one", short(s.listed.ID))
	case isTooLong(new(fromInspect(n.endpoint.Host, response))):
		s.err = fmt.Errorf("inspect container %s: its labels or its command are too long to be kept", short(s.listed.ID))
	default:
		s.container = fromInspect(n.endpoint.Host, response)
		s.mounts = response.Mounts
		if !n.isItsUsers(&s.container) {
			s.err = fmt.Errorf("inspect container %s: its processes are not those of its engine's user", short(s.listed.ID))
			s.container = fromList(n.endpoint.Host, s.listed)
		}
		if n.program() == inventory.ProgramPodman {
			n.addStart(ctx, api, &s.container)
		}
		s.err = n.readExecs(ctx, api, &s.container, response)
	}
}

// isItsUsers reports that a running container of a user's engine runs below a monitor of that
// user's, or of root's: what a user's engine says of others' processes is not believed. Of the
// containers of other engines it is not asked.
func (n *engine) isItsUsers(c *inventory.Container) bool {
	user, asked := n.endpoint.User.Get()
	if !asked || !c.Running() {
		return true
	}
	monitor := n.proc.shim(c.PID)
	uid, known := n.proc.owner(monitor)
	return n.proc.isContainer(c.PID, c.ID) && known && (uid == user || uid == 0 && n.peerUID.Load() == 0)
}

// maxExecs is how many execs of one container are read.
const maxExecs = 256

// readExecs adds the processes that docker exec started and that still run. The engine's own
// question whether the container is well is none of them.
func (n *engine) readExecs(ctx context.Context, api *client.Client, c *inventory.Container, r container.InspectResponse) error {
	if !c.Running() {
		return nil
	}
	if len(r.ExecIDs) > maxExecs {
		return fmt.Errorf("inspect container %s: docker exec runs %d processes in it, and at most %d are read", short(c.ID), len(r.ExecIDs), maxExecs)
	}
	for _, exec := range r.ExecIDs {
		info, err := api.ContainerExecInspect(ctx, exec)
		if isGone(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("inspect what docker exec runs in container %s: %w", short(c.ID), said(err))
		}
		if info.Running && info.Pid > 0 && !isHealthCheck(r.Config, n.proc.argv(info.Pid)) {
			c.ExecPIDs = append(c.ExecPIDs, info.Pid)
		}
	}
	slices.Sort(c.ExecPIDs)
	return nil
}

// isHealthCheck reports the command by which the engine asks whether a container is well.
func isHealthCheck(config *container.Config, argv []string) bool {
	if config == nil || config.Healthcheck == nil || len(config.Healthcheck.Test) < 2 {
		return false
	}
	test := config.Healthcheck.Test
	if test[0] == "CMD-SHELL" {
		return len(argv) > 2 && argv[len(argv)-1] == test[1] || strings.Join(argv, " ") == test[1] // a shell becomes a command that stands alone
	}
	return slices.Equal(argv, test[1:])
}

func (n *engine) inspectStopped(ctx context.Context, api *client.Client, s *seen) {
	n.mu.Lock()
	known, ok := n.stopped[s.listed.ID]
	n.mu.Unlock()
	if ok && known.status == s.listed.Status && known.container.State == s.listed.State {
		s.container = known.container
		return
	}
	n.inspect(ctx, api, s)
}

// keepListed remembers the stopped containers of this look, and forgets all others.
func (n *engine) keepListed(stopped []seen) {
	kept := make(map[string]stoppedContainer)
	for _, s := range stopped {
		if !s.gone && s.err == nil && s.container.State == s.listed.State {
			kept[s.listed.ID] = stoppedContainer{status: s.listed.Status, container: s.container}
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stopped = kept
}

// conclude makes the view of an engine that answered and adds the facts of the
// process table. Stdins are read last, when every PID is known: one shim may serve
// several containers and is read once.
func (n *engine) conclude(peer peer, who identity, all []seen) view {
	stdin := n.newStdinReader()
	status, unread := completeness(all)
	if n.endpoint.User.IsKnown() {
		all = slices.DeleteFunc(all, func(s seen) bool { return s.err != nil })
	}
	containers := make([]inventory.Container, len(all))
	path, _ := n.endpoint.socket()
	for i := range all {
		containers[i] = all[i].container
		containers[i].HasEngine = containers[i].Running() && n.hasSocket(path, &all[i])
		n.setStdin(&containers[i], stdin)
	}
	access := n.access(peer, who, all)
	visible, why := access.runnersVisible()
	return view{
		key:        n.key(who),
		containers: containers,
		source: inventory.Source{
			Name:           inventory.SourceDocker,
			Endpoint:       n.endpoint.Host,
			Status:         status,
			Reason:         sentences(unread, why),
			RunnersVisible: inventory.Known(visible),
			SameClock:      inventory.Known(access.sameClock()),
			RunnerUIDs:     n.runnerUIDs(),
			Engine:         who.id,
			Program:        who.program,
			Sockets:        n.sockets(n.hosts(peer)),
		},
	}
}

func (n *engine) newStdinReader() *stdinReader {
	return &stdinReader{proc: n.proc, shims: make(map[int]map[string]bool)}
}

// setStdin records whether a running container's stdin is held.
func (n *engine) setStdin(c *inventory.Container, reader *stdinReader) {
	if !c.Running() || !c.OpenStdin.Or(false) {
		return
	}
	c.Stdin = inventory.PeerUnknown
	if n.system == "linux" {
		c.Stdin = reader.peer(c.ID, c.PID)
	}
}

// completeness says whether everything could be inspected, and names the first
// container that could not.
func completeness(all []seen) (inventory.Status, string) {
	var first error
	var failed int
	for _, s := range all {
		if s.err == nil {
			continue
		}
		failed++
		if first == nil {
			first = s.err
		}
	}
	switch {
	case failed == 0:
		return inventory.StatusOK, ""
	case failed == 1:
		return inventory.StatusPartial, first.Error()
	}
	return inventory.StatusPartial, fmt.Sprintf("%v (and %d more)", first, failed-1)
}

// sentences joins the parts that are not empty.
func sentences(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}
