package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
)

func TestTheSameProofIsWordedAlikeInEveryRow(t *testing.T) {
	w := newWorld("linux", 4)
	session := w.session("claude-code", 29, time.Hour, "/home/dev/src", 0)
	w.keep(owned(w.server("git", 31, time.Hour, 0, "git-mcp"), session, "claude-code 29 holds its stdin"))
	w.keep(owned(w.server("a-longer-name-for-files", 33, time.Hour, 0, "fs-mcp"), session, "claude-code 29 holds its stdin"))
	for width, want := range map[int]string{80: "its stdin is held", 120: "claude-code 29 holds its stdin"} {
		var out strings.Builder
		if err := Table(&out, w.input(), Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), want); n != 2 {
			t.Errorf("%d columns: %d times %q in\n%s", width, n, want, out.String())
		}
	}
}

// TestAnOwnerAboveIsNamedBeforeWhatWasSeenBefore: it is shorter, and of now.
func TestAnOwnerAboveIsNamedBeforeWhatWasSeenBefore(t *testing.T) {
	before := graph.Evidence{Check: graph.CheckMemory, Says: graph.SaysOwned, Text: "codex 29 had it when last seen, and lives"}
	above := graph.Evidence{Check: graph.CheckAncestor, Says: graph.SaysOwned, Proof: true, Text: "codex 29 is above it"}
	stdin := graph.Evidence{Check: graph.CheckStdin, Says: graph.SaysOwned, Proof: true, Text: "codex 29 holds its stdin"}
	for _, row := range []struct {
		world    string
		evidence []graph.Evidence
		want     string
	}{
		{"its stdin was read", []graph.Evidence{above, stdin, before}, stdin.Text},
		{"its stdin could not be read", []graph.Evidence{above, before}, above.Text},
		{"it was reparented", []graph.Evidence{before}, before.Text},
		{"the tree shows the ancestor", []graph.Evidence{above}, ""},
	} {
		got, _ := verdicts{{Target: &graph.Target{Evidence: row.evidence}}}.heldBy()
		if got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}
