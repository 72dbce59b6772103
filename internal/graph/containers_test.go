package graph

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestWhoOwnsAContainer(t *testing.T) {
	for _, c := range []struct{ name, world, want string }{
		{"as many containers as live runners: all are kept", people + `
			50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
			51 44 44 2 sc@44 sd@44 docker run -i --rm x-mcp
			container c1 x-mcp 3
			container c2 x-mcp 3`,
			"50 none live\n51 none live\nc1 none live\nc2 none live"},
		{"fewer containers than runners: all are kept", people + `
			50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
			51 44 44 2 sc@44 sd@44 docker run -i --rm x-mcp
			container c1 x-mcp 3`,
			"50 none live\n51 none live\nc1 none live"},
		{"no runner is left: all are orphaned", `
			1  0  1  0 null null init
			container c1 x-mcp 3
			container c2 x-mcp 3`,
			"c1 orphaned gone\nc2 orphaned gone"},
		{"two containers, one live runner: which is its cannot be told", people + `
			50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
			container c1 x-mcp 3
			container c2 x-mcp 4`,
			"50 none live\nc1 ambiguous live unproven\nc2 ambiguous live unproven"},
		{"one was created before the runner began, so it is not its", people + `
			50 44 44 9 sa@44 sb@44 docker run -i --rm x-mcp
			container c1 x-mcp 3
			container c2 x-mcp 10`,
			"50 none live\nc1 orphaned gone\nc2 none live"},
		{"the runner's stdin is open, so its container's is", people + `
			50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
			container c1 x-mcp 3 stdin=closed
			container c2 x-mcp 3 stdin=open`,
			"50 none live\nc1 orphaned gone\nc2 none live"},
		{"docker run -i </dev/null: a closed stdin condemns nothing", people + `
			50 44 44 2 null sb@44 docker run -i --rm x-mcp
			container c1 x-mcp 3 stdin=closed`,
			"50 none live\nc1 none live"},
		{"the runner must have one of the two that its stdin allows", people + `
			50 44 44 2 null sb@44 docker run -i --rm x-mcp
			51 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
			container c1 x-mcp 3 stdin=closed
			container c2 x-mcp 3 stdin=open`,
			"50 none live\n51 none live\nc1 none live\nc2 none live"},
		{"its runner's tree is orphaned: both are", `
			1  0  1  0 null null init
			50 1 44 2 sa! sb! docker run -i --rm x-mcp
			container c1 x-mcp 3`,
			"50 orphaned gone\nc1 orphaned gone"},
		{"an orphaned runner and a live one, told apart by their containers' stdin", people + `
			50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
			51 1  43 2 sc! sd! docker run -i --rm x-mcp
			container c1 x-mcp 3 stdin=closed
			container c2 x-mcp 3 stdin=open`,
			"50 none live\n51 orphaned gone\nc1 orphaned gone\nc2 none live"},
		{"where they cannot be told apart the orphaned runner is left too: ending it is what leaks", people + `
			50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
			51 1  43 2 sc! sd! docker run -i --rm x-mcp
			container c1 x-mcp 3
			container c2 x-mcp 3`,
			"50 none live\n51 orphaned gone engine\nc1 ambiguous live unproven\nc2 ambiguous live unproven"},
		{"a name settles it", people + `
			50 44 44 2 sa@44 sb@44 docker run -i --rm --name a x-mcp
			51 1  43 2 sc! sd! docker run -i --rm --name b x-mcp
			container c1 x-mcp 3 name=a
			container c2 x-mcp 3 name=b`,
			"50 none live\n51 orphaned gone\nc1 none live\nc2 orphaned gone"},
		{"a runner that names another container has no claim", people + `
			50 44 44 2 sa@44 sb@44 docker run -i --rm --name a x-mcp
			container c1 x-mcp 3 name=a
			container c2 x-mcp 3 name=quiet_tesla`,
			"50 none live\nc1 none live\nc2 orphaned gone"},
		{"a young runner may still wait for its container", people + `
			50 44 44 3598 sa@44 sb@44 docker run -i --rm x-mcp
			container c1 x-mcp 3`,
			"50 none live\nc1 orphaned gone"},
		{"a flag that is not known hides the image: it may be any container's", people + `
			50 44 44 2 sa@44 sb@44 docker run -i --lately --rm x-mcp
			container c1 x-mcp 3`,
			"50 none live\nc1 ambiguous unknown unproven"},
		{"it may hide -i too", people + `
			50 44 44 2 sa@44 sb@44 docker run --lately --rm -i x-mcp
			container c1 x-mcp 3`,
			"50 none live\nc1 ambiguous unknown unproven"},
		{"its container may be one that has just been created", people + `
			50 44 44 3595 sa@44 sb@44 docker run -i --lately --rm x-mcp
			container c1 x-mcp 3
			container c2 x-mcp 3596`,
			"50 none live\nc1 orphaned gone\nc2 ambiguous unknown unproven"},
		{"no argument behind it can be -i", people + `
			50 44 44 2 sa@44 sb@44 docker run --lately --rm x-mcp
			container c1 x-mcp 3`,
			"50 none live\nc1 orphaned gone"},
		{"somebody who attached has closed its stdin, and its runner is young", people + `
			50 44 44 3595 sa@44 sb@44 docker run -i --rm x-mcp
			container c1 x-mcp 3596 stdin=closed
			container c2 x-mcp 3 stdin=closed`,
			"50 none live\nc2 orphaned gone\nc1 none live"},
		{"a live runner without any container contradicts the clocks: nothing is concluded from them", people + `
			50 44 44 1000 sa@44 sb@44 docker run -i --rm x-mcp
			container c1 x-mcp 3
			container c2 x-mcp 4`,
			"50 none live\nc1 ambiguous live unproven\nc2 ambiguous live unproven"},
		{"another image is another class", people + `
			50 44 44 2 sa@44 sb@44 docker run -i --rm y-mcp
			container c1 x-mcp 3
			container c2 y-mcp 3`,
			"50 none live\nc1 orphaned gone\nc2 none live"},
		{"another label is another class", people + `
			50 44 44 2 sa@44 sb@44 docker run -i --rm -l docker-mcp-name=a x-mcp
			container c1 x-mcp 3 label.docker-mcp-name=b
			container c2 x-mcp 3 label.docker-mcp-name=a`,
			"50 none live\nc1 orphaned gone\nc2 none live"},
		{"not every runner can be seen: unknown", `
			source docker hidden-runners
			1  0  1  0 null null init
			container c1 x-mcp 3`,
			"c1 none unknown"},
		{"but a runner that is seen, named and orphaned tells enough", `
			source docker hidden-runners
			1  0  1  0 null null init
			51 1  43 2 sc! sd! docker run -i --rm --name b x-mcp
			container c1 x-mcp 3 name=b`,
			"51 orphaned gone\nc1 orphaned gone"},
		{"no process table was read: that no runner is in it says nothing", `
			source processes absent
			1  0  1  0 null null init
			container c1 x-mcp 3`,
			"c1 none unknown incomplete"},
		{"processes may be missing from the table, and a runner among them", `
			source processes partial
			1  0  1  0 null null init
			container c1 x-mcp 3`,
			"c1 none unknown"},
		{"all processes are listed, only the descriptors of some could not be read", `
			source processes unread-descriptors
			1  0  1  0 null null init
			container c1 x-mcp 3`,
			"c1 orphaned gone"},
		{"the snapshot does not speak of a process table", `
			source processes none
			1  0  1  0 null null init
			container c1 x-mcp 3`,
			"c1 none unknown incomplete"},
		{"the snapshot leaves out how anything was read: what it shows counts, what it does not show says nothing", `
			source all none
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp
			container c1 x-mcp 3`,
			"58 orphaned gone\nc1 none unknown"},
		{"compose looks after it", `
			1  0  1  0 null null init
			container c1 x-mcp 3 label.com.docker.compose.project=p`,
			"c1 none unknown"},
		{"a detached service has no runner to miss", `
			1  0  1  0 null null init
			container c1 x-mcp 3 detached`,
			"c1 none unknown"},
		{"pinned by label, and by a lease that has not run out", `
			1  0  1  0 null null init
			container c1 x-mcp 3 label.reaperd.keep=yes
			container c2 x-mcp 3 label.reaperd.lease=2026-11-20T13:00:00Z
			container c3 x-mcp 3 label.reaperd.lease=2026-11-20T11:00:00Z
			container c4 x-mcp 3 label.reaperd.lease=tomorrow
			container c5 x-mcp 3 label.reaperd.keep=false`,
			"c1 orphaned gone pinned\nc2 orphaned gone pinned\nc3 orphaned gone\nc4 orphaned gone pinned\nc5 orphaned gone"},
		{"an owner label names a live process, or one that is gone", `
			1  0  1  0 null null init
			44 1  44 1 tty  tty  python3 agent.py
			container c1 x-mcp 3 label.reaperd.owner=44:100:b0
			container c2 x-mcp 3 label.reaperd.owner=44:99:b0
			container c3 x-mcp 3 label.reaperd.owner=44:99:b1`,
			"c1 none live\nc2 orphaned gone\nc3 orphaned gone"},
		{"an owner label with its PID namespace: this one, whose id is not recorded, or another", `
			1  0  1  0 null null init
			44 1  44 1 tty  tty  python3 agent.py
			container c1 x-mcp 3 label.reaperd.owner=44:100:b0:4026531836
			container c2 x-mcp 3 label.reaperd.owner=44:99:b0:4026531836
			container c3 x-mcp 3 label.reaperd.owner=44:99:b0:4026532001`,
			"c1 none live\nc2 orphaned gone\nc3 none unknown"},
		{"an owner label that names nobody, or not for certain, is no proof", `
			1  0  1  0 null null init
			44 1  44 1 tty  tty  python3 agent.py
			container c1 x-mcp 3 label.reaperd.owner=garbage
			container c2 x-mcp 3 label.reaperd.owner=44:100
			container c3 x-mcp 3 label.reaperd.owner=44:99
			container c4 x-mcp 3 label.reaperd.owner=44:99:
			container c5 x-mcp 3 label.reaperd.owner=44:99:b0:`,
			"c1 none unknown\nc2 none live\nc3 none unknown\nc4 none unknown\nc5 none unknown"},
		{"an owner label is no proof where processes are missing from the table", `
			source processes partial
			1  0  1  0 null null init
			44 1  44 1 tty  tty  python3 agent.py
			container c1 x-mcp 3 label.reaperd.owner=44:100:b0
			container c2 x-mcp 3 label.reaperd.owner=44:99:b0`,
			"c1 none live\nc2 none unknown"},
		{"a live runner's command cannot be read: a container that no other has may be its", people + `
			50 44 44 2 sa@44 sb@44 docker run -i --rm --name a x-mcp
			51 44 44 2 sc@44 sd@44 docker # noargv exe=/usr/bin/docker
			container c1 x-mcp 3 name=a
			container c2 x-mcp 3 name=b`,
			"50 none live\nc1 none live\nc2 none unknown"},
		{"of a process below a session nothing is known", people + `
			51 44 44 2 sc@44 sd@44 docker # noargv
			container c2 x-mcp 3`,
			"c2 none unknown"},
		{"a runner whose command cannot be read may work on, whoever has let go of it", `
			1  0  1  0 null null init
			51 1  44 2 sc! sd! docker # noargv comm=podman
			container c2 x-mcp 3`,
			"c2 none unknown"},
		{"another program whose command cannot be read is no runner", people + `
			51 44 44 2 sc@44 sd@44 node # noargv comm=node
			52 1  44 2 null null node # noargv
			container c2 x-mcp 3`,
			"c2 orphaned gone"},
		{"the engine did not answer: its runners are left", `
			source docker error
			1  0  1  0 null null init
			51 1  43 2 sc! sd! docker run -i --rm --name b x-mcp`,
			"51 orphaned gone engine"},
		{"ended and left behind", `
			1  0  1  0 null null init
			container c1 x-mcp 3 state=exited kept
			container c2 x-mcp 3 state=exited kept detached
			container c3 x-mcp 3 state=exited`,
			"c1 exited unknown\nc2 none unknown\nc3 none unknown"},
		{"an image that is no MCP server, run as one by a session's configuration", `
			1  0  1  0 null null init
			50 1  44 2 sa! sb! docker run -i --rm socat # configured=gateway
			container c1 socat 3`,
			"50 orphaned gone\nc1 orphaned gone"},
		{"an image that is no MCP server is nobody's business", `
			1  0  1  0 null null init
			container c1 postgres 3`,
			""},
		{"what runs in an MCP container is judged as the container", `
			1  0  1  0 null null init
			7  1  1  0 null null containerd-shim
			8  7  8  3 pa@7 pb@7 x-mcp # container=c1
			9  8  8  3 pa! pb! y-mcp # container=c1
			container c1 x-mcp 3 pid=8`,
			"c1 orphaned gone"},
		{"what runs in another container is judged like all others, up to its init", `
			1  0  1  0 null null init
			7  1  1  0 null null containerd-shim
			8  7  8  3 null null node agent.js # container=c1
			9  8  8  4 pa! pb! y-mcp # container=c1
			10 8  8  4 pc@8 pd@8 z-mcp # container=c1
			container c1 agents 3 pid=8 detached`,
			"9 orphaned gone\n10 none live"},
		{"nor what runs below a shim, whose container is not recorded", `
			1  0  1  0 null null init
			7  1  1  0 null null containerd-shim
			8  7  8  4 pa! pb! y-mcp
			9  8  8  5 pc! pd! z-mcp
			20 1  8  5 pe! pf! z-mcp`,
			"20 orphaned gone"},
		{"what runs in a container nobody knows is not judged", `
			1  0  1  0 null null init
			7  1  1  0 null null containerd-shim
			9  7  8  4 pa! pb! y-mcp # container=c9`,
			""},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, correlate(t, 0, c.world), c.want) })
	}
}

func TestWhatDockerExecBroughtIn(t *testing.T) {
	const shim = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  bash
		7  1  1  0 null null containerd-shim
		8  7  8  1 null null sleep inf # container=c1
		container c1 devbox 1 pid=8 detached name=dev
		`
	for _, c := range []struct{ name, world, want string }{
		{"its runner lives", shim + `
			50 44 44 4 sa@44 sb@44 docker exec -i dev x-mcp
			20 7  20 5 pa@7 pb@7 x-mcp # container=c1`, "20 none live"},
		{"its runner lives and gave it no stdin", shim + `
			50 44 44 4 null sb@44 docker exec -i dev x-mcp
			20 7  20 5 pa! pb@7 x-mcp # container=c1`, "20 none live"},
		{"its runner is gone", shim + `
			20 7  20 5 pa! pb@7 x-mcp # container=c1`, "20 orphaned gone"},
		{"its runner is gone, another's began later", shim + `
			50 44 44 8 null sb@44 docker exec -i dev x-mcp
			20 7  20 5 pa! pb@7 x-mcp # container=c1
			21 7  21 9 pc! pd@7 x-mcp # container=c1`, "20 orphaned gone\n21 none live"},
		{"one of two is the live runner's: ambiguous", shim + `
			50 44 44 4 null sb@44 docker exec -i dev x-mcp
			20 7  20 5 pa! pb@7 x-mcp # container=c1
			21 7  21 9 pc! pd@7 x-mcp # container=c1`,
			"20 ambiguous unknown unproven\n21 ambiguous unknown unproven"},
		{"a live runner of another command has no claim", shim + `
			50 44 44 4 sa@44 sb@44 docker exec -i dev y-mcp
			20 7  20 5 pa! pb@7 x-mcp # container=c1
			21 7  21 5 pc@7 pd@7 y-mcp # container=c1`,
			"20 orphaned gone\n21 none live"},
		{"runners cannot be seen", "source docker hidden-runners\n" + shim + `
			20 7  20 5 pa! pb@7 x-mcp # container=c1`, "20 none unknown"},
		{"into the PID namespace that the table is: its parent is outside", `
			host other
			1   0 1   0 null null gw
			100 0 100 3 pa!  pb!  x-mcp`, "100 none unknown"},
		{"into a PID namespace that could not be told", `
			host unknown
			1   0 1   0 null null gw
			100 0 100 3 pa!  pb!  x-mcp`, "100 none unknown"},
		{"the first process of a container is never a target", shim, ""},
		{"what was brought into an MCP server's image is a server, and not the container", `
			1  0  1  0 null null init
			7  1  1  0 null null containerd-shim
			8  7  8  1 null null sleep inf # container=c1
			9  8  8  1 pa! pb! y-mcp # container=c1
			20 7  20 5 pc! pd@7 python -m main # container=c1
			21 20 20 6 pc! pd@7 python worker.py # container=c1
			22 7  22 6 tty tty bash # container=c1
			container c1 unifi-mcp-server 1 pid=8 detached name=dev`, "20 orphaned gone\nc1 none unknown"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, correlate(t, 0, c.world), c.want) })
	}
}

func TestAContainersRunnerIsRemembered(t *testing.T) {
	const before = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		50 44 44 2 sa@44 sb@44 docker run -i --rm --name tool tool # configured=t
		container c1 tool 3 name=tool`
	const after = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		60 44 44 9 sa@44 sb@44 docker run -i --rm tool
		container c1 tool 3 name=tool`
	expect(t, correlate(t, time.Minute, before, after), "60 none live\nc1 orphaned gone")
}

// TestAContainerThatIsStartedAgainIsNoLongerItsRunners: whoever starts it again is not the docker run that made it.
func TestAContainerThatIsStartedAgainIsNoLongerItsRunners(t *testing.T) {
	const before = people + `
		50 44 44 2 sa@44 sb@44 docker run x-mcp
		container c1 x-mcp 3 output pid=70`
	const container = `
		container c1 x-mcp 3 output pid=`
	expect(t, correlate(t, time.Minute, before, people+container+"70"), "c1 orphaned gone")
	expect(t, correlate(t, time.Minute, before, people+container+"90", people+container+"90"), "c1 none unknown")
}

// TestWhatIsSaidOfAContainer: that nobody is behind its docker run is a proof, and that somebody holds its stdin would
// speak against it.
func TestWhatIsSaidOfAContainer(t *testing.T) {
	const gateway = `
		50 1  44 90  sa! sb! docker mcp gateway run
		60 50 44 100 sc@50 sd@50 docker run -i --rm `
	const held = "nobody is behind its docker run 60 any more; only a docker run that is left over holds its stdin"
	for world, want := range map[string]string{
		"container c1 x-mcp 3 state=created":                                           "it was created, and has never run",
		"container c1 x-mcp 3 state=removing":                                          "its state is removing",
		"container c1 x-mcp 3 detached":                                                "it was not started with -i, so no docker run owns it",
		"container c1 x-mcp 3 background":                                              "it was started detached: no docker run speaks to its stdin",
		gateway + "--name c1 x-mcp\ncontainer c1 x-mcp 101 stdin=open name=c1":         held,
		gateway + "x-mcp\ncontainer c1 x-mcp 101 stdin=open name=c1":                   held,
		"60 1 44 100 sc! sd! docker run -i x-mcp\ncontainer c1 x-mcp 101 stdin=closed": "nobody is behind its docker run 60 any more; nobody holds its stdin",
	} {
		world = "1 0 1 0 null null init\n" + world
		if target, _ := correlate(t, time.Minute, world, world).Target("c1"); target.Evidence[0].Text != want {
			t.Errorf("%s: %q, want %q", world, target.Evidence[0].Text, want)
		}
	}
}

func TestARememberedRunnerThatLivesKeepsItsContainer(t *testing.T) {
	const before = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		50 44 44 2 sa@44 sb@44 docker run -i --rm --name tool tool-mcp
		container c1 tool-mcp 3 name=tool`
	const after = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		50 44 44 2 sa@44 sb@44 helper
		container c1 tool-mcp 3 name=tool`
	expect(t, correlate(t, time.Minute, before, after), "50 none live\nc1 none live")
	expect(t, correlate(t, time.Minute, before, after, after), "50 none live\nc1 none live")
}

func TestCopiesOfAGatewaysContainer(t *testing.T) {
	const world = `
		1  0  1  0 null null init
		7  1  1  0 null null containerd-shim
		44 1  44 1 tty  tty  claude
		50 44 44 2 sa@44 sb@44 docker mcp gateway run
		60 50 44 3 pc@50 pd@50 docker run -i --rm x-mcp
		61 50 44 34 pe@50 pf@50 docker run -i --rm x-mcp
		70 7  70 3 pg@7 ph@7 x-mcp # container=c1 io=10 cpu=1
		71 7  71 34 pi@7 pj@7 x-mcp # container=c2 io=10 cpu=1
		container c1 x-mcp 3 pid=70
		container c2 x-mcp 34 pid=71`
	expect(t, correlate(t, time.Minute, world, world), `
		50 none live
		60 none live
		61 none live
		c1 duplicate live
		c2 none live`)
}

func TestAContainerWhoseRunnerIsLetGoOf(t *testing.T) {
	expect(t, correlate(t, 0, `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		50 44 44 2 sa@44 sb@44 docker mcp gateway run
		60 50 44 3 pc! pd! docker run -i --rm x-mcp
		container c1 x-mcp 3`), `
		50 none live
		60 disconnected live
		c1 orphaned live`)
}

// `docker system dial-stdio` carries a runner on another host. It may be anybody's
// for any container, until both ends of its own stdio are known to be done with.
func TestWhatDialStdioKeeps(t *testing.T) {
	const keeps, carriesNobody = "c1 ambiguous unknown unproven", "c1 orphaned gone"
	for _, c := range []struct{ name, stdio, want string }{
		{"somebody holds both ends", "sa@44 sb@44", keeps},
		{"nobody holds either end", "sa! sb!", carriesNobody},
		{"its stdin has ended and is closed, and nobody reads it", "closed sb!", carriesNobody},
		{"its stdin has ended, and somebody reads it", "closed sb@44", keeps},
		{"somebody speaks to it, and nobody reads it", "sa@44 sb!", keeps},
		{"whether anybody reads it could not be told", "sa! sb~", keeps},
		{"whether anybody speaks to it could not be told", "sa~ sb!", keeps},
		{"its stdin could not be read", "? sb!", keeps},
		{"its stdio is nowhere", "null null", keeps},
	} {
		t.Run(c.name, func(t *testing.T) {
			world := look(t, `
				1  0  1  0 null null init
				44 1  44 1 null null sshd
				50 44 44 2 `+c.stdio+` docker system dial-stdio
				container c1 x-mcp 3 stdin=closed`)
			expect(t, Correlate(nil, world, Options{Catalogue: simple{}}), c.want)
		})
	}
}

// TestSomebodyWhoNamesAContainerIsNotItsRunner: who attaches to a container, or names it and is
// younger, has not created it. The `docker run` that has is none of the others'.
func TestSomebodyWhoNamesAContainerIsNotItsRunner(t *testing.T) {
	const gateway = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		45 44 44 2 sa@44 sb@44 docker mcp gateway run
		50 45 44 5 sc@45 sd@45 docker run -i --rm x-mcp
		70 1  70 1 tty  tty  bash
		connection 0`
	runnerOf := func(g *Graph, id string) string {
		target, _ := g.Target(id)
		return target.Runner
	}
	for _, c := range []struct {
		name, world string
		lone        string // a container of somebody who is not to be seen
		tied        bool   // to 50, with which it would be ended
	}{
		{"nobody else is in its class", gateway + `
		container c1 x-mcp 6`, "c1", true},
		{"somebody attaches to that of 50", gateway + `
		80 70 70 90 tty tty docker attach c2
		container c1 x-mcp 3
		container c2 x-mcp 6`, "c1", false},
		{"a younger docker run names that of 50", gateway + `
		80 70 70 90 tty tty docker run -i --rm --name dev x-mcp
		container c1 x-mcp 7
		container c2 x-mcp 6 name=dev`, "c1", false},
		{"somebody attaches to one that 50 cannot have: it was there before", gateway + `
		80 70 70 90 tty tty docker attach c2
		container c1 x-mcp 6
		container c2 x-mcp 3`, "c1", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := correlate(t, time.Minute, c.world, c.world)
			if tied := runnerOf(g, c.lone) != ""; tied != c.tied {
				t.Errorf("tied to %q, want %v", runnerOf(g, c.lone), c.tied)
			}
			if target, _ := g.Target(c.lone); target.Finding == FindingOrphaned {
				t.Errorf("%s is %s", c.lone, target.Finding)
			}
		})
	}
}

// TestWhatThePinOfAnotherThingKeepsNamesThat: a docker run and its container go together.
func TestWhatThePinOfAnotherThingKeepsNamesThat(t *testing.T) {
	const world = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
		container c1 x-mcp 3`
	for _, row := range []struct {
		world     string
		of        func(*Target) string // what was pinned
		run, text string               // what keeps the docker run, and the container
	}{
		{"each is pinned", func(*Target) string { return "" }, "keeps it", "keeps it"},
		{"the container is", func(t *Target) string { return strings.Join(t.Containers, "") }, "its container is pinned: keeps it", "keeps it"},
		{"the docker run is", func(t *Target) string { return t.Runner }, "keeps it", "its docker run is pinned: keeps it"},
	} {
		g := Correlate(nil, look(t, world), Options{Catalogue: simple{}, Pinned: func(t *Target) (Pin, bool) {
			return Pin{Why: "keeps it", Of: row.of(t)}, t.Kind != KindSession
		}})
		for _, target := range g.Targets {
			if target.Kind == KindSession {
				continue
			}
			want := row.run
			if target.Container != nil {
				want = row.text
			}
			if pin := target.pin(); pin.Text != want || pin.For != row.of(target) || pin.Marked {
				t.Errorf("%s: %s: %+v, want %q", row.world, target.ID, pin, want)
			}
		}
	}
}

// TestWhatAPinnedSessionHoldsIsKept: its servers, its docker runs and their containers, for its sake.
func TestWhatAPinnedSessionHoldsIsKept(t *testing.T) {
	const world = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
		51 44 44 2 sc@44 sd@44 node /x/y-mcp
		70 1  70 1 tty  tty  codex
		80 70 70 5 se@70 sf@70 docker run -i --rm z-mcp
		container c1 x-mcp 3
		container c2 z-mcp 6`
	g := Correlate(nil, look(t, world), Options{Catalogue: simple{}, Pinned: func(t *Target) (Pin, bool) {
		return Pin{Why: "keeps it"}, t.Kind == KindSession && t.Root.PID == 44
	}})
	for _, target := range g.Targets {
		pin, want := target.pin(), ""
		switch {
		case target.Kind == KindSession:
			continue
		case target.Owner.ID.PID == 44:
			want = "it belongs to claude 44, which is pinned: keeps it"
		}
		if owner := g.Sessions[0].Process.ID().String(); pin.Text != want || want != "" && pin.For != owner {
			t.Errorf("%s: %+v, want %q", target.ID, pin, want)
		}
	}
	for _, id := range []string{"c1", "c2"} { // else the world shows nothing of containers
		if target, found := g.Target(id); !found || target.Owner.ID.IsZero() {
			t.Errorf("%s has no owner", id)
		}
	}
}

// TestTheContainerOfAPinnedRunnerStays: whichever of the orphans is its.
func TestTheContainerOfAPinnedRunnerStays(t *testing.T) {
	const leaked = `
		1  0  1  0 null null init
		50 1  44 2 sa! sb! docker run -i --rm x-mcp
		51 1  44 5 sc! sd! docker run -i --rm x-mcp # env.REAPERD_KEEP=1
		70 1  70 1 tty tty bash`
	for _, c := range []struct{ name, world, want string }{
		{"it can have only one of them", leaked + `
		container c1 x-mcp 3
		container c2 x-mcp 6`, "50 orphaned gone\n51 orphaned gone pinned\nc1 orphaned gone\nc2 orphaned gone pinned"},
		{"it can have either", leaked + `
		container c1 x-mcp 6
		container c2 x-mcp 7`, "50 orphaned gone\n51 orphaned gone pinned\nc1 orphaned gone pinned\nc2 orphaned gone pinned"},
		{"somebody attaches to that of the other, which leaves one for two", leaked + `
		80 70 70 90 tty tty docker attach c1
		container c1 x-mcp 3
		container c2 x-mcp 6`, "50 orphaned gone engine\n51 orphaned gone pinned\nc1 none live\nc2 orphaned gone pinned"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := correlate(t, time.Minute, c.world, c.world)
			expect(t, g, c.want)
			for _, target := range g.Targets {
				pin := target.pin()
				if wants := target.Container != nil && pin.Guard != ""; wants && (!strings.HasPrefix(pin.For, "51:") || !pin.Marked) {
					t.Errorf("%s is kept for %q, by a mark: %v", target.ID, pin.For, pin.Marked)
				}
			}
		})
	}
	const containers = `
		container c1 x-mcp 3
		container c2 y-mcp 4`
	unread := strings.ReplaceAll(leaked, "docker run -i --rm x-mcp # env", "docker # noargv comm=docker env")
	expect(t, correlate(t, time.Minute, leaked+containers, unread+containers),
		"50 orphaned gone\n51 orphaned gone engine pinned\nc1 orphaned gone\nc2 orphaned gone pinned") // c1 is known to be that of 50
}

// TestWhatBelongsToSomethingThatBelongsToAPinnedThingNamesThat, which is what unpin takes, and says it once.
func TestWhatBelongsToSomethingThatBelongsToAPinnedThingNamesThat(t *testing.T) {
	process := func(pid int) *inventory.Process { return &inventory.Process{PID: pid, Start: 1} }
	gateway := &Target{ID: "48:1", Name: "mcp-hub", Root: process(48)}
	gateway.veto(GuardPinned, "keeps it")
	runner, box := &Target{ID: "50:1", Name: "github", Root: process(50)}, &Target{ID: "c0ffee"}
	runner.keepAsPartOf(gateway)
	box.keepAsPartOf(runner)
	for _, target := range []*Target{runner, box} {
		if pin := target.pin(); pin.Text != "it belongs to mcp-hub 48, which is pinned: keeps it" || pin.For != gateway.ID {
			t.Errorf("%s: %+v", target.ID, pin)
		}
	}
}
