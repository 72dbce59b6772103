package graph

import (
	"slices"
	"testing"

	"github.com/reaperd/reaperd/internal/catalogue"
)

// serversOf are the PIDs of the roots of all servers and gateways.
func serversOf(g *Graph) (pids []int) {
	for _, target := range g.Targets {
		if target.Kind == KindServer || target.Kind == KindGateway {
			pids = append(pids, target.Root.PID)
		}
	}
	slices.Sort(pids)
	return pids
}

// What a stranger's word, or one of another scope, names is a server where its own user has been seen to start it.
func TestWhoseWordMakesAServer(t *testing.T) {
	const before = `
		1  0  1  0 null null init
		44 1  44 0 tty  tty  claude # cwd=/home/dev/clone/src uid=1000
		container c1 agents 0
		container c2 agents 0
		`
	for _, world := range []struct {
		says, first, then string // looks; the first may be ""
		want              []int
	}{
		{"a user's own file names an orphan", "", `55 1 55 2 p1! p2! /srv/train --all # configured=jobs uid=1000`, []int{55}},
		{"a project's file names an orphan", "", `55 1 55 2 p1! p2! /srv/train --all # configured=jobs configured_in=/home/dev/clone uid=1000`, nil},
		{"it names what a session in the project has started", "", `55 44 44 2 p1! p2! sh -c /srv/train # configured=jobs configured_in=/home/dev/clone uid=1000`, []int{55}},
		{"what a session in another folder has started", "", `55 44 44 2 p1! p2! sh -c /srv/train # configured=jobs configured_in=/home/dev/other uid=1000`, nil},
		{"what a session in a folder whose name begins alike has started", "", `55 44 44 2 p1! p2! sh -c /srv/train # configured=jobs configured_in=/home/dev/clo uid=1000`, nil},
		{"what a session in the project was seen to start", `55 44 44 2 p1@44 p2@44 sh -c /srv/train # configured=jobs configured_in=/home/dev/clone uid=1000`,
			`55 1 44 2 p1! p2! sh -c /srv/train # configured=jobs configured_in=/home/dev/clone uid=1000`, []int{55}},
		{"a project's file names a client", "", `55 1 55 2 tty tty codex # configured=x configured_in=/home/dev/clone uid=1000
			56 55 55 3 p1@55 p2@55 mcp-server-memory`, []int{56}},
		{"an address of another user's file", "", `55 1 55 2 p1! p2! /srv/listens # configured=x configured_by=elsewhere listening clients=0`, nil},
		{"another user's file names the port of a session", "", `55 1 55 2 null null codex # configured=x configured_by=elsewhere listening clients=0
			56 55 55 3 p1@55 p2@55 mcp-server-memory`, []int{56}},

		{"a job has the shape of a session's server", "", `55 44 44 2 p1@44 p2@44 /srv/train --all # uid=1000
			66 1 66 2 p3! p4! /srv/train --all # uid=1000`, []int{55, 66}},
		{"a session in a container runs a job's command", "", `50 1 50 0 null null claude # uid=1000 container=c1
			55 50 50 2 p1@50 p2@50 /srv/train --all # uid=1000 container=c1
			66 1 66 2 p3! p4! /srv/train --all # uid=1000`, []int{55}},
		{"a session runs the command of a job in a container", "", `55 44 44 2 p1@44 p2@44 /srv/train --all # uid=1000
			66 1 66 2 p3! p4! /srv/train --all # uid=1000 container=c1`, []int{55}},
		{"a session in one container runs the command of a job in another", "", `50 1 50 0 null null claude # uid=1000 container=c1
			55 50 50 2 p1@50 p2@50 /srv/train --all # uid=1000 container=c1
			66 1 66 2 p3! p4! /srv/train --all # uid=1000 container=c2`, []int{55}},
		{"a session in a user namespace", "", `50 1 50 0 null null claude # uid=1000 userns=8
			55 50 50 2 p1@50 p2@50 /srv/train --all # uid=1000 userns=8
			66 1 66 2 p3! p4! /srv/train --all # uid=1000 userns=7`, []int{55}},
		{"a session in a PID namespace, as LXC makes it", "", `50 1 50 0 null null claude # uid=1000 pidns=8
			55 50 50 2 p1@50 p2@50 /srv/train --all # uid=1000 pidns=8
			66 1 66 2 p3! p4! /srv/train --all # uid=1000 pidns=7`, []int{55}},
	} {
		t.Run(world.says, func(t *testing.T) {
			var g *Graph
			for _, text := range []string{world.first, world.then} {
				if text != "" {
					g = Correlate(g, look(t, before+text), Options{Catalogue: catalogue.New()})
				}
			}
			if got := serversOf(g); !slices.Equal(got, world.want) {
				t.Errorf("servers are %v, want %v", got, world.want)
			}
		})
	}
}
