package graph

import (
	"testing"
	"time"
)

// TestAGatewayIsKeptWhileTheEngineDoesNotAnswer: with it would go the docker runs below it, and
// their containers would be left.
func TestAGatewayIsKeptWhileTheEngineDoesNotAnswer(t *testing.T) {
	const gateway = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		50 44 44 2 sa!  sb!  docker-mcp gateway run
		60 50 44 3 pc@50 pd@50 `
	const runs, serves = gateway + "docker run -i --rm x-mcp", gateway + "node /x/x-mcp"
	for _, c := range []struct{ name, before, now, want string }{
		{"it answers", runs, runs, "50 disconnected live\n60 none live"},
		{"it does not", runs, runs + "\nsource docker error", "50 disconnected live engine\n60 none live"},
		{"it did not in the look before", runs + "\nsource docker error", runs, "50 disconnected live engine\n60 none live"},
		{"nothing below the gateway runs a container", serves, serves + "\nsource docker error", "50 disconnected live\n60 none live"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, correlate(t, time.Minute, c.before, c.now), c.want) })
	}
}
