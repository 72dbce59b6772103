package graph

import (
	"testing"
	"time"
)

// TestATreeStaysOneWhereAWrappersStdinCannotBeRead: a gateway and its plugin are one tree,
// since they have one stdin. One look cannot read the gateway's, and all of it is kept.
func TestATreeStaysOneWhereAWrappersStdinCannotBeRead(t *testing.T) {
	const before = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  my-agent
		50 44 44 2 sa!  sb!  docker mcp gateway run
		51 50 44 3 sa!  sb!  docker-mcp gateway run
		60 51 44 4 sc@51 sd@51 x-mcp`
	for _, c := range []struct{ name, then, want string }{
		{"both can be read", before, "50 disconnected live\n60 none live"},
		{"the gateway's cannot", `
			1  0  1  0 null null init
			44 1  44 1 tty  tty  my-agent
			50 44 44 2 ?    ?    docker mcp gateway run # fds?
			51 50 44 3 sa!  sb!  docker-mcp gateway run
			60 51 44 4 sc@51 sd@51 x-mcp`, "50 none live\n60 none live"},
		{"the plugin's cannot: nothing says that it passes its stdin on", `
			1  0  1  0 null null init
			44 1  44 1 tty  tty  my-agent
			50 44 44 2 sa!  sb!  docker mcp gateway run
			51 50 44 3 ?    ?    docker-mcp gateway run # fds?
			60 51 44 4 sc@51 sd@51 x-mcp`, "50 disconnected live\n51 none live\n60 none live"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, correlate(t, time.Minute, before, c.then), c.want) })
	}
}
