package graph

import (
	"testing"
	"time"
)

// TestTheRunnerOfAContainerThatIsUsedStays: somebody uses the container of a leaked docker
// run. Ending that docker run would end the container under him, and which of several it is
// cannot always be told. The other containers go, and each docker run with its own.
func TestTheRunnerOfAContainerThatIsUsedStays(t *testing.T) {
	const leaked = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		50 1  43 2 sa! sb! docker run -i --rm x-mcp
		51 1  43 5 sc! sd! docker run -i --rm x-mcp
		70 1  70 1 tty tty bash`
	for _, c := range []struct{ name, world, want, runner string }{
		{"nobody uses either", `
		container c1 x-mcp 7
		container c2 x-mcp 3`,
			"50 orphaned gone\n51 orphaned gone\nc2 orphaned gone\nc1 orphaned gone", "50:200"},
		{"somebody attaches to one that either may have created", `
		80 70 70 90 tty tty docker attach c1
		container c1 x-mcp 6
		container c2 x-mcp 7`,
			"50 orphaned gone engine\n51 orphaned gone engine\nc1 none live\nc2 orphaned gone", ""},
		{"somebody attaches to one that is older than the other docker run", `
		80 70 70 90 tty tty docker attach c1
		container c1 x-mcp 3
		container c2 x-mcp 7`,
			"50 orphaned gone engine\n51 orphaned gone\nc1 none live\nc2 orphaned gone", "51:500"},
		{"somebody is attached who is not to be seen", `
		container c1 x-mcp 6 stdin=open
		container c2 x-mcp 7 stdin=closed`,
			"50 orphaned gone engine\n51 orphaned gone engine\nc1 none live\nc2 orphaned gone", ""},
		{"docker exec works in one", `
		80 70 70 90 tty tty docker exec -i c1 sh
		container c1 x-mcp 6
		container c2 x-mcp 7`,
			"50 orphaned gone engine\n51 orphaned gone engine\nc1 none live\nc2 orphaned gone", ""},
		{"which of two is somebody's own docker run's cannot be told, and neither is in use by name", `
		60 44 44 4 se@44 sf@44 docker run -i --rm x-mcp
		container c1 x-mcp 7
		container c2 x-mcp 3
		container c3 x-mcp 6`,
			"50 orphaned gone\n60 none live\n51 orphaned gone engine\nc2 orphaned gone\nc3 ambiguous live unproven\nc1 ambiguous live unproven", "50:200"},
		{"somebody's own docker run has one", `
		60 44 44 100 se@44 sf@44 docker run -i --rm x-mcp
		container c1 x-mcp 101
		container c2 x-mcp 3
		container c3 x-mcp 7`,
			"50 orphaned gone\n51 orphaned gone\n60 none live\nc2 orphaned gone\nc3 orphaned gone\nc1 none live", "50:200"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := correlate(t, time.Minute, leaked+c.world, leaked+c.world)
			expect(t, g, c.want)
			if c2, _ := g.Target("c2"); c2.Runner != c.runner {
				t.Errorf("c2 would go with docker run %q, want %q", c2.Runner, c.runner)
			}
		})
	}
}

// TestTheDockerRunOfAUsedContainerDoesNotGoWithItsGateway: the gateway is let go of, and a
// person looks into a container that is one of its docker runs', or may be.
func TestTheDockerRunOfAUsedContainerDoesNotGoWithItsGateway(t *testing.T) {
	const gateway = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		50 44 44 2 sa!  sb!  docker mcp gateway run
		60 50 44 3 pc@50 pd@50 docker run -i --rm x-mcp
		61 50 44 8 pe@50 pf@50 docker run -i --rm --name two x-mcp
		70 1  70 1 tty  tty  bash
		container c1 x-mcp 4
		container c2 x-mcp 9 name=two`
	for _, c := range []struct{ name, who, want string }{
		{"nobody does", "",
			"50 disconnected live\n60 none live\n61 none live\nc1 none live\nc2 none live"},
		{"into one that only one of them can have", "80 70 70 90 tty tty docker attach c1",
			"50 disconnected live\n60 none live in-use\n61 none live\nc1 none live\nc2 none live"},
		{"into one that another names", "80 70 70 90 tty tty docker exec -i two sh",
			"50 disconnected live\n60 none live\n61 none live in-use\nc1 none live\nc2 none live"},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect(t, correlate(t, time.Minute, gateway+"\n"+c.who, gateway+"\n"+c.who), c.want)
		})
	}
}
