//go:build linux

package bench

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/leaks"
)

// scenario is a world and the scripts against what leaks in it.
type scenario struct {
	name string
	// processes is the world where it has no containers.
	processes func() farm.World
	// containers brings up the others.
	containers func(t *testing.T, live *farm.Live, engine *farm.Engine)
	scripts    []script
	// byDaemon has reaperd run on where one sweep is not all.
	byDaemon bool
}

// script is a workaround and where it is published; its first line is its name.
type script string

func (s script) name() string {
	first, _, _ := strings.Cut(string(s), "\n")
	return first
}

// orphans is what most published tools go by: the first process is its parent,
// and it looks like a server.
const orphans = script(`ps -eo pid,ppid,args | awk '$2 == 1 && /mcp|server/' | xargs kill
ps -eo pid=,ppid=,args= | awk '$2 == 1 && /mcp|server/ {print $1}' | xargs -r kill`)

func scenarios() []scenario {
	return []scenario{
		{
			name: "R0 gateway", containers: gateway, byDaemon: true,
			scripts: []script{
				`docker rm -f $(docker ps -aq --filter label=…)
docker ps -aq --filter label=docker-mcp-name=github-official | xargs -r docker rm -f`,
				`kill GATEWAY; docker rm -f $(docker ps …)
pkill -f 'mcp gateway run'
docker ps -aq --filter label=docker-mcp-name=github-official | xargs -r docker rm -f`,
			},
		},
		{name: "R0 180 calls, 526 zombies", containers: reported, byDaemon: true},
		{
			name: "R1 wrapped containers", containers: leaks.R1,
			scripts: []script{
				`docker ps --filter ancestor=… | xargs docker rm -f
docker ps --filter ancestor=ghcr.io/enuno/unifi-mcp-server:latest -q | xargs -r docker rm -f`,
				orphans,
			},
		},
		{
			name: "R2 native servers", processes: leaks.R2,
			scripts: []script{"pkill -f dialpad-messaging\npkill -f dialpad-messaging", orphans},
		},
		{
			name: "R3 live daemon", processes: func() farm.World { return leaks.R3(leaks.Reported(), 12) },
			scripts: []script{`pkill -f 'mcp-codebase-index|…'
pkill -f 'mcp-codebase-index|codebase-memory-mcp|github-mcp-server|ast-grep-server'`, orphans},
		},
		{
			name: "R4 94 copies", processes: func() farm.World { return leaks.R4(94) },
			scripts: []script{"pkill -f /mcp-server/dist/index.js\npkill -f /mcp-server/dist/index.js", orphans},
		},
		{
			name: "an orphan among bystanders", processes: leaks.Bystanders,
			scripts: []script{"pkill -f mcp-server-memory\npkill -f mcp-server-memory", orphans},
		},
	}
}

// gateway is R0: what it let go of must go, and so must the gateway, which
// starts everything again; what it holds may stay or go with it.
func gateway(t *testing.T, live *farm.Live, engine *farm.Engine) { hoard(t, live, engine, 4, 0) }

// reported is R0 in the size of its report.
func reported(t *testing.T, live *farm.Live, engine *farm.Engine) { hoard(t, live, engine, 180, 526) }

func hoard(t *testing.T, live *farm.Live, engine *farm.Engine, count, zombies int) {
	t.Helper()
	calls, held := leaks.Hoard(t, live, engine, count, zombies)
	live.World.Reap = append(append(calls, leaks.Suffixed(calls, "-client")...), "gateway", "gateway-cli")
	live.World.Either = append(held, leaks.Suffixed(held, "-client")...)
}
