//go:build linux

package farm_test

import (
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/rows"
)

func TestMain(m *testing.M) { farm.Main(m) }

func runAll(t *testing.T, worlds []farm.World) {
	t.Parallel()
	for _, world := range worlds {
		t.Run(world.Name, func(t *testing.T) { farm.Run(t, world) })
	}
}

func TestOrphanedTrees(t *testing.T) { runAll(t, rows.Orphaned()) }

func TestServersInUse(t *testing.T) { runAll(t, rows.InUse()) }

func TestDisconnectedServers(t *testing.T) { runAll(t, rows.Disconnected()) }

func TestStreamsAndHolders(t *testing.T) { runAll(t, rows.Streams()) }

func TestBystanders(t *testing.T) { runAll(t, rows.Bystanders()) }

func TestListeningOrphans(t *testing.T) { runAll(t, rows.Listening()) }
