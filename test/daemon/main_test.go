//go:build linux

package daemon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

func TestMain(m *testing.M) { farm.Main(m) }

// enforcing is the shipped policy with this schedule, with short waiting times, and with
// this grace for servers and gateways.
func enforcing(schedule, grace string) string {
	return fmt.Sprintf(`version: 1
extends: builtin
mode: enforce
schedule: %q
rules:
  - {name: orphaned-servers, for: 1s, grace: %[2]s}
  - {name: orphaned-gateways, for: 1s, grace: %[2]s}
  - {name: orphaned-containers, for: 1s, grace: 1s}
  - {name: disconnected-servers, for: 1s, grace: %[2]s}
  - {name: zombie-gateways, match: {kind: gateway, finding: zombies, zombies_over: 2}, for: 1s, grace: %[2]s}
`, schedule, grace)
}

// three returns a session with three servers of three processes each.
func three(name string) actor.Part {
	return cast.Claude(name,
		cast.Memory(name+"-memory", actor.Socket),
		cast.Filesystem(name+"-files", actor.Socket, "/srv/"+name),
		cast.Memory(name+"-pipe", actor.Pipe))
}

func nine(name string) []string {
	return strings.Fields(cast.Chain(name+"-memory") + " " + cast.Chain(name+"-files") + " " + cast.Chain(name+"-pipe"))
}

// one returns a session with one server, which is a single process.
func one(name string) actor.Part {
	return cast.Claude(name, cast.Deaf(cast.Server(name+"-server", "$W/home/dev/mcp-server/dist/index.js", actor.Socket)))
}

// stubborn returns a session with one server that ignores SIGTERM.
func stubborn(name string) actor.Part {
	part := one(name)
	part.Children[0] = cast.Stubborn(part.Children[0])
	return part
}

// asked waits until a stubborn part has received SIGTERM.
func asked(t *testing.T, live *farm.Live, name string) {
	t.Helper()
	if _, err := live.Folder.Await(name+".term", actor.Patience); err != nil {
		t.Fatal(err)
	}
}
