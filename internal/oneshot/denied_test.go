package oneshot

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// TestAnEngineThatRootsDaemonAsksNeedsNoRightOfTheReaders, whichever command tells of it: the containers of this user
// are looked after.
func TestAnEngineThatRootsDaemonAsksNeedsNoRightOfTheReaders(t *testing.T) {
	const join = "permission denied on /d.sock; sudo usermod -aG docker ann, then log in again"
	const asks = "this user may not ask it; root's daemon does, and looks after this user's containers too: sudo reaperd scan shows them"
	for _, row := range []struct {
		world string
		gaps  []inventory.Gap
		want  string
	}{
		{"this user may not ask it", []inventory.Gap{inventory.GapDenied}, asks},
		{"it does not answer", nil, join},
	} {
		look := &inventory.Snapshot{Sources: []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusError, Reason: join, Remedy: "sudo usermod", Gaps: row.gaps}}}
		tellAsked(look)
		sight := &Sight{Policy: policyfile.Shipped(), state: state.Dir(t.TempDir()), daemon: &serve.State{}, View: sweep.View{Graph: &graph.Graph{Snapshot: look}}}
		var scan strings.Builder
		if err := report.Table(&scan, sight.View.Report(sight.Policy), report.Options{Width: 240}); err != nil {
			t.Fatal(err)
		}
		for command, text := range map[string]string{"scan": scan.String(), "sweep": sight.NotSeen([]string{"anntime"}).Error()} {
			if !strings.Contains(text, row.want) {
				t.Errorf("%s: %s: no %q in\n%s", row.world, command, row.want, text)
			}
		}
	}
}
