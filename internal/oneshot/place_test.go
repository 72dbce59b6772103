package oneshot

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/word"
)

// TestWhereAProcessRunsIsReadWhereItsEngineCannotTell: the look has read that of few processes.
func TestWhereAProcessRunsIsReadWhereItsEngineCannotTell(t *testing.T) {
	denied := []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusError, Reason: "permission denied"}}
	box, own := strings.Repeat("5a", 32), strings.Repeat("0c", 32)
	for _, row := range []struct {
		world   string
		sources []inventory.Source
		in      string // the container in which the process runs
		has     bool   // it is there still
		want    string
	}{
		{"in a container of an engine that was not read", denied, box, true, box},
		{"the engine was read", []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusOK}}, box, true, ""},
		{"on the host", denied, "", true, ""},
		{"in reaperd's own container", denied, own, true, ""},
		{"it has ended meanwhile", denied, box, false, ""},
	} {
		look := &inventory.Snapshot{Host: inventory.Host{SelfPID: 9}, Sources: row.sources, Processes: []inventory.Process{
			{PID: 7, Start: 1, State: "S", Comm: "echo"}, {PID: 9, Start: 1, State: "S", ContainerID: own},
		}}
		g, p := &graph.Graph{Snapshot: look}, &look.Processes[0]
		place(g, p, func(id inventory.ID) (inventory.Process, bool, error) {
			return inventory.Process{PID: id.PID, Start: id.Start, ContainerID: row.in}, row.has, nil
		})
		if unread := word.UnreadAround(g, p); p.ContainerID != row.want || (unread != "") != (row.want != "") {
			t.Errorf("%s: in %q, %q", row.world, p.ContainerID, unread)
		}
	}
}
