package graph

import (
	"strings"
	"testing"
	"time"
)

// people is a world with a live session and a person's shell.
const people = `
	1  0  1  0 null null init
	44 1  44 1 tty  tty  claude
	70 1  70 1 tty  tty  bash`

// looks correlates a world twice.
func looks(t *testing.T, world string) *Graph {
	t.Helper()
	return correlate(t, time.Minute, world, world)
}

// TestWhoeverMayBeAttachedOverTheAPIKeepsAContainer: an agent speaks to the engine itself. No docker run of its container
// is anywhere, and the end of its input is no end of its work.
func TestWhoeverMayBeAttachedOverTheAPIKeepsAContainer(t *testing.T) {
	const agent = people + `
		60 1  60 2 null null python3 agent.py
		connection 60`
	for _, c := range []struct{ name, world, want string }{
		{"its stdin cannot be told, as by a user of the group docker", agent + `
			container c1 x-mcp 3`, "c1 ambiguous unknown unproven"},
		{"it has sent its batch, and waits for the answer", agent + `
			container c1 x-mcp 3 stdin=closed`, "c1 ambiguous unknown unproven"},
		{"nothing is known of its connections, as in an older snapshot", people + `
			source docker unread-connections
			container c1 x-mcp 3 stdin=closed`, "c1 none unknown"},
		{"it cannot be seen who is connected", people + `
			connection 0
			container c1 x-mcp 3 stdin=closed`, "c1 ambiguous unknown unproven"},
		{"it has gone", people + `
			container c1 x-mcp 3 stdin=closed`, "c1 orphaned gone"},
		{"a dashboard is connected, which the catalogue knows", people + `
			60 1  60 2 null null portainer
			connection 60
			container c1 x-mcp 3 stdin=closed`, "c1 orphaned gone"},
		{"a dashboard is connected from a container", people + `
			7  1  1  0 null null containerd-shim
			60 7  60 2 null null /watch # container=d1
			connection 60
			container d1 portainer 1 detached pid=60
			container c1 x-mcp 3 stdin=closed`, "c1 orphaned gone"},
		{"a program is connected that is left over itself", people + `
			60 1  45 2 sa! sb! node y-mcp
			connection 60
			container c1 x-mcp 3 stdin=closed`, "60 orphaned gone\nc1 orphaned gone"},
		{"an agent is connected, and a docker run of this container is known to be gone", agent + `
			50 1  45 2 sa! sb! docker run -i --rm --name tool x-mcp
			container c1 x-mcp 3 stdin=closed name=tool`, "50 orphaned gone\nc1 orphaned gone"},
		{"the same, and whether somebody holds its stdin cannot be told", agent + `
			50 1  45 2 sa! sb! docker run -i --rm --name tool x-mcp
			container c1 x-mcp 3 name=tool`, "50 orphaned gone engine\nc1 ambiguous unknown unproven"},
		{"somebody on another host speaks through ssh", people + `
			60 1  60 2 sa@? sb@? docker system dial-stdio
			connection 60
			container c1 x-mcp 3 stdin=closed`, "c1 ambiguous unknown unproven"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, looks(t, c.world), c.want) })
	}
}

// TestWhatALookSawOfADockerRunCounts: it was alive with its container then. Whoever else is connected has another.
func TestWhatALookSawOfADockerRunCounts(t *testing.T) {
	const agent = people + `
		60 1  60 2 null null python3 agent.py
		connection 60`
	const runs = `
		50 44 44 3 sa@44 sb@44 docker run -i --rm x-mcp`
	const container = `
		container c1 x-mcp 4 stdin=closed`
	expect(t, correlate(t, time.Minute, agent+runs+strings.Replace(container, "closed", "open", 1), agent+container, agent+container), "c1 orphaned gone")
	expect(t, correlate(t, time.Minute, agent+container, agent+container), "c1 ambiguous unknown unproven")

	// Two of one class were seen together: which had which is not known, and both are gone.
	const two = runs + `
		51 44 44 3 sc@44 sd@44 docker run -i --rm x-mcp`
	const containers = container + `
		container c2 x-mcp 4 stdin=closed`
	expect(t, correlate(t, time.Minute, agent+two+strings.ReplaceAll(containers, "closed", "open"), agent+containers), "c1 orphaned gone\nc2 orphaned gone")
	one := agent + runs + containers
	expect(t, correlate(t, time.Minute, agent+two+strings.ReplaceAll(containers, "closed", "open"), one), "50 none live\nc1 ambiguous live unproven\nc2 ambiguous live unproven")

	// One that is stopped may have lost its container, and the other's only seems to be its.
	stopped := strings.Replace(runs, "x-mcp", "x-mcp # stopped", 1)
	expect(t, correlate(t, time.Minute, agent+stopped+container, agent+container, agent+container), "c1 ambiguous unknown unproven")
}

// TestALeakedDockerRunTakesPartWithTheLive: it is younger than the container of the live session's, and so has its own.
func TestALeakedDockerRunTakesPartWithTheLive(t *testing.T) {
	expect(t, looks(t, people+`
		50 44 44 2  sa@44 sb@44 docker run -i --rm x-mcp
		51 1  45 20 sc!   sd!   docker run -i --rm x-mcp
		container c1 x-mcp 3  stdin=open
		container c2 x-mcp 21 stdin=closed`), "50 none live\n51 orphaned gone\nc1 none live\nc2 orphaned gone")
}

// TestALeakedGatewaysContainersAreHeldByItsDockerRuns: it keeps their stdins open, and nobody else is connected.
func TestALeakedGatewaysContainersAreHeldByItsDockerRuns(t *testing.T) {
	const leaked = people + `
		50 1  45 2 sa!   sb!   docker mcp gateway run
		60 50 45 3590 sc@50 sd@50 docker run -i --rm x-mcp
		container c1 x-mcp 3591 stdin=open`
	expect(t, looks(t, leaked), "50 orphaned gone\n60 orphaned gone\nc1 orphaned gone")
	expect(t, looks(t, leaked+`
		80 1  80 2 null null python3 agent.py
		connection 80`), "50 orphaned gone\n60 orphaned gone engine\nc1 none live")
}

// TestSomebodyComesBackToAContainer: it is not removed, and one that has ended is not even found.
func TestSomebodyComesBackToAContainer(t *testing.T) {
	for _, c := range []struct{ name, world, want, reused string }{
		{"docker named it, and its docker run is gone", `container c1 x-mcp 3 state=exited kept`, "c1 exited unknown", ""},
		{"somebody gave it its name", `container c1 x-mcp 3 state=exited kept given`, "c1 none unknown", "somebody gave it its name"},
		{"it has a terminal", `container c1 x-mcp 3 state=exited kept tty`, "c1 none unknown", "it has a terminal"},
		{"a client is configured to start it", `container c1 x-mcp 3 state=exited kept configured=memory`, "c1 none unknown", "a client is configured to start it as memory"},
		{"it was started for its output alone", `container c1 x-mcp 3 state=exited kept output`, "c1 exited unknown", ""},
		{"somebody gave it its name, and it runs on", `container c1 x-mcp 3 kept given stdin=closed`, "c1 orphaned gone", "somebody gave it its name"},
		{"its engine removes it whoever named it", `container c1 x-mcp 3 given stdin=closed`, "c1 orphaned gone", ""},
		{"it runs and has a terminal", `container c1 x-mcp 3 kept tty`, "c1 none unknown", "it has a terminal"},
		{"it publishes a port", `container c1 x-mcp 3 port stdin=closed`, "c1 none unknown", ""},
		{"its engine starts it again", `container c1 x-mcp 3 kept restarts stdin=closed`, "c1 none unknown", ""},
		{"it was started again after its creation", `container c1 x-mcp 3 state=exited kept started=90`, "c1 none unknown", "somebody has started it again"},
		{"it has no stdin, and may have been created and started detached", `container c1 x-mcp 3 kept output`, "c1 none unknown", ""},
		{"its docker run is left over and young", "50 1 44 3598 sa! sb! docker run x-mcp\ncontainer c1 x-mcp 3599 kept output", "50 orphaned gone\nc1 orphaned gone", ""},
		{"somebody is connected to what listens in it", `
			90 1 90 3 null null x-mcp-server # container=c1 listening clients=1
			container c1 x-mcp 3 pid=90 stdin=closed`, "c1 none unknown", ""},
		{"it listens in its own network, and nobody is connected", `
			90 1 90 3 null null x-mcp-server # container=c1 listening clients=0
			container c1 x-mcp 3 pid=90 stdin=closed`, "c1 orphaned gone", ""},
		{"it listens in the host's network", `
			90 1 90 3 null null x-mcp-server # container=c1 listening clients=0
			container c1 x-mcp 3 pid=90 stdin=closed joins=host`, "c1 none unknown", ""},
		{"it may listen in the host's network, which cannot be seen", `
			90 1 90 3 null null x-mcp-server # container=c1 listening?
			container c1 x-mcp 3 pid=90 stdin=unknown joins=host`, "c1 none unknown", ""},
		{"another that is in use runs in its namespace", `
			60 44 44 9 sa@44 sb@44 docker run -i --rm y-mcp
			container c1 x-mcp 3 stdin=closed name=first
			container c2 y-mcp 10 stdin=open joins=container:first`, "60 none live\nc1 none unknown\nc2 none live", ""},
		{"another that is leaked too runs in its namespace", "container c1 x-mcp 3 stdin=closed\ncontainer c2 y-mcp 10 stdin=closed joins=container:c1", "c1 orphaned gone\nc2 orphaned gone", ""},
		{"docker start has it", `
			60 44 44 9 sa@44 sb@44 docker start -ai mem
			container c1 x-mcp 3 kept given name=mem`, "60 none live\nc1 none live", "somebody gave it its name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			world := people + "\n" + c.world
			if strings.Contains(c.world, "docker start") {
				world = strings.Replace(world, "docker start -ai mem", "docker start -ai mem # configured=memory", 1)
			}
			g := looks(t, world)
			expect(t, g, c.want)
			if target, _ := g.Target("c1"); target.Reused != c.reused {
				t.Errorf("reused because %q, want %q", target.Reused, c.reused)
			}
		})
	}
}

// TestComposesOneOffsAreTheirRunners: `docker compose run` has made them, and its plugin speaks to the engine.
func TestComposesOneOffsAreTheirRunners(t *testing.T) {
	const oneOff = ` label.com.docker.compose.service=db label.com.docker.compose.oneoff=True label.com.docker.compose.project=p`
	for _, c := range []struct{ name, world, want string }{
		{"its runner lives", `
			50 44 44 2 sa@44 sb@44 docker compose run --rm -T db # configured=db offline
			51 50 44 2 sa@44 sb@44 /plugins/docker-compose compose run --rm -T db
			container c1 x-mcp 3 stdin=open` + oneOff, "50 none live\nc1 none live"},
		{"its runner is leaked", `
			50 1  45 2 sa! sb! docker compose run --rm -T db # configured=db offline
			51 50 45 2 sa! sb! /plugins/docker-compose compose run --rm -T db
			container c1 x-mcp 3 stdin=closed` + oneOff, "50 orphaned gone\nc1 orphaned gone"},
		{"its runner has gone", `
			container c1 x-mcp 3 stdin=closed` + oneOff, "c1 orphaned gone"},
		{"it runs another service", `
			50 44 44 2 sa@44 sb@44 docker compose run --rm -T web # configured=web
			container c1 x-mcp 3 stdin=closed` + oneOff, "50 none live\nc1 orphaned gone"},
		{"the service itself", `
			container c1 x-mcp 3 stdin=closed label.com.docker.compose.service=db label.com.docker.compose.project=p`, "c1 none unknown"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, looks(t, people+c.world), c.want) })
	}
}

// TestADockerRunWithoutAnInputHasItsContainer: docker run without -i and without -d.
func TestADockerRunWithoutAnInputHasItsContainer(t *testing.T) {
	expect(t, looks(t, people+`
		50 44 44 2 sa@44 sb@44 docker run --rm tool # configured=t
		51 1  45 9 sc!   sd!   docker run --rm tool # configured=t
		container c1 tool 3 output
		container c2 tool 10 output`), "50 none live\n51 orphaned gone\nc1 none live\nc2 orphaned gone")
}

// TestADockerRunOfAnotherEngineStays: nobody is connected who could end its container.
func TestADockerRunOfAnotherEngineStays(t *testing.T) {
	expect(t, looks(t, people+`
		50 1  45 2 sa! sb! docker run -i --rm x-mcp # offline
		container c1 x-mcp 3 stdin=closed`), "50 orphaned gone engine\nc1 orphaned gone")
}

// TestPodmansMonitorTellsWhoIsAttached: podman says of every container that nobody was attached when it began, and its
// commands do not speak to its service.
func TestPodmansMonitorTellsWhoIsAttached(t *testing.T) {
	for _, c := range []struct{ name, world, want string }{
		{"its podman run lives", `
			50 44 44 2 sa@44 sb@44 podman run -i --rm x-mcp # offline
			container c1 x-mcp 3 stdin=open attached=50`, "50 none live\nc1 none live"},
		{"each has its own", `
			50 44 44 2 sa@44 sb@44 podman run -i --rm x-mcp # offline
			51 1  45 2 sc!   sd!   podman run -i --rm x-mcp # offline
			container c1 x-mcp 3 stdin=closed attached=51
			container c2 x-mcp 3 stdin=open attached=50`, "50 none live\n51 orphaned gone\nc1 orphaned gone\nc2 none live"},
		{"nobody is", `
			container c1 x-mcp 3 stdin=closed attached=`, "c1 orphaned gone"},
		{"somebody is who attached over the service", `
			60 1  60 2 null null podman system service
			80 1  80 2 null null python3 agent.py
			container c1 x-mcp 3 stdin=closed attached=80`, "c1 ambiguous unknown unproven"},
	} {
		t.Run(c.name, func(t *testing.T) {
			world := strings.ReplaceAll(people+c.world, "podman run -i --rm x-mcp # offline", "podman run -i --rm x-mcp # offline configured=x")
			expect(t, looks(t, world), c.want)
		})
	}
}
