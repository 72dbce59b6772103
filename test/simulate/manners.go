package simulate

import (
	"math/rand/v2"
	"slices"
)

// manner is a way in which servers and what is around them come to be used, or seem not to be.
// What comes of each is told apart.
type manner string

// The manners. In the first four there is nothing to be misunderstood about a single server.
const (
	sessions   manner = "sessions"
	gateways   manner = "gateways"
	bystanders manner = "bystanders"
	engines    manner = "containers"
	inherited  manner = "inherited ends"      // a client hands its ends on to all that it starts
	opened     manner = "opened for a person" // by a server
	wired      manner = "wired by a shell"    // rings and pipelines
	fifos      manner = "named pipes"
	waiting    manner = "not accepted yet" // a connection in a backlog
	batches    manner = "batches over TCP"
	apart      manner = "a wrapper apart" // the stdio of the inner process is another
	jobs       manner = "jobs"
	handed     manner = "handed on" // a server's ends, to another client
	hidden     manner = "hidden ends"
	beside     manner = "beside the stdio" // other descriptors and connections
	lying      manner = "names that lie"
	helpers    manner = "helpers"
	marked     manner = "marked" // REAPERD_OWNER names a gateway or a session
	units      manner = "units"
	api        manner = "containers over the API"
	execs      manner = "execs"
	oneOffs    manner = "compose one-offs"
	returning  manner = "containers that are started again"
)

// isPlain reports that a server of that manner takes the name of another by which it is touched.
func (m manner) isPlain() bool {
	return m == "" || slices.Contains([]manner{sessions, gateways, bystanders, engines, inherited}, m)
}

// scene is one thing that goes on in a world: somebody with what he has started.
type scene struct {
	manner manner
	name   string
	often  int // beside the others
	play   func(w *world, r *rand.Rand, scene int)
}

// scenes are all there are.
func scenes() []scene {
	return []scene{
		{sessions, "session", 3, playSession}, {sessions, "unknown agent", 2, playUnknown}, {sessions, "headless", 2, playHeadless},
		{sessions, "editor", 1, playEditor}, {sessions, "relay", 1, playRelay}, {sessions, "driven browser", 1, playDriven},
		{gateways, "gateway", 1, playGateway}, {marked, "marked gateway", 1, playMarked},
		{bystanders, "listener", 1, playListener}, {bystanders, "bystanders", 1, playBystanders}, {bystanders, "scope", 1, playScope},
		{bystanders, "stranger", 1, playStranger},
		{wired, "ring", 1, playRing}, {wired, "pipeline", 1, playPipeline},
		{fifos, "named pipes", 1, playNamed}, {waiting, "dialler", 1, playWaiting}, {batches, "batch", 1, playBatch},
		{apart, "wrapper apart", 1, playApart}, {lying, "lying agent", 1, playLiar},
		{units, "unit", 1, playUnit}, {units, "runner's unit", 1, playRunnerUnit},
		{engines, "docker", 2, playDocker}, {engines, "docker together", 1, playDockerTogether},
		{api, "docker api", 1, playAPI}, {api, "docker ssh", 1, playSSH},
		{execs, "exec", 1, playExec}, {oneOffs, "one-off", 1, playOneOff}, {returning, "returning container", 1, playReturning},
	}
}

// event is something that happens to a process of a scene that fits; where fits is nil, to
// the scene, or to the host.
type event struct {
	manner manner
	name   string
	often  int // beside the others
	fits   func(*process) bool
	happen func(w *world, r *rand.Rand, p *process)
}

// events are all that can happen.
func events() []event {
	return []event{
		{sessions, "an agent is killed", 4, isAgent, kill}, {sessions, "a session is closed", 2, isAgent, closeSession},
		{sessions, "a launcher is killed", 3, hasLauncher, killLauncher}, {sessions, "a wrapper is killed", 1, isWrapper, kill},
		{sessions, "a server dies", 2, isServer, kill}, {sessions, "a client lets go of a server", 2, isSpokenTo, letGo},
		{sessions, "a client starts a server", 1, isStarter, startServer}, {sessions, "a shell ends", 1, isShell, kill},
		{sessions, "a PID is used again", 1, func(p *process) bool { return p.role != other }, reusePID},
		{sessions, "a parent does not wait", 1, isAgent, stopWaiting}, {sessions, "a server is pinned", 1, isRoot, pinServer},
		{bystanders, "somebody dials a port", 1, isListener, dialPort}, {bystanders, "a caller hangs up", 1, isCaller, hangUp},
		{engines, "somebody looks into a container", 1, isAgentOrRunner, lookInto}, {engines, "somebody has looked enough", 1, isLooking, kill},
		{engines, "a container ends before its docker run", 1, isRunner, endContainer},
		{inherited, "a sibling keeps the ends", 1, isAgent, inheritEnds},
		{opened, "a server opens a program for its user", 3, isServing, openForPerson},
		{fifos, "a caller opens the named pipes", 1, isNamed, callByName}, {fifos, "the names are removed", 1, isNamed, removeNames},
		{waiting, "a listener accepts", 1, hasBacklog, func(_ *world, _ *rand.Rand, p *process) { p.accept() }},
		{batches, "a client ends its input", 2, isSpokenTo, endInput}, {api, "a client over the API ends its input", 1, isStarter, endAttached},
		{apart, "a client goes over to the server below a wrapper", 2, isApart, goOver},
		{jobs, "an agent starts a job", 2, isStarter, startJob}, {helpers, "a server starts a helper", 1, isServing, startHelper},
		{handed, "a client hands its ends on", 2, isStarted, handOn}, {hidden, "ends go out of sight", 2, isStarted, hideEnds},
		{beside, "a server dials somebody", 1, isServing, dialBack}, {beside, "a client speaks on beside the stdio", 1, isStarted, stayBeside},
		{units, "a unit starts again", 1, isUnit, restartUnit}, {returning, "a container is started again", 1, nil, startAgain},
	}
}

// chosen is one of several, the more frequent ones more often.
func chosen[T any](r *rand.Rand, from []T, often func(T) int) T {
	total := 0
	for _, one := range from {
		total += often(one)
	}
	at := r.IntN(total)
	for _, one := range from {
		if at -= often(one); at < 0 {
			return one
		}
	}
	return from[len(from)-1]
}
