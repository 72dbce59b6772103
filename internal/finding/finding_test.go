package finding_test

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
)

func TestEveryFindingIsASentence(t *testing.T) {
	for _, f := range []graph.Finding{
		graph.FindingOrphaned, graph.FindingDisconnected, graph.FindingRespawning, graph.FindingZombies,
		graph.FindingDuplicate, graph.FindingExited, graph.FindingAmbiguous, graph.FindingIdle,
	} {
		is, as := finding.Is(string(f)), finding.As(string(f))
		verb, _, _ := strings.Cut(is, " ")
		if !strings.HasSuffix(verb, "s") || as == "" || strings.HasPrefix(as, "is ") {
			t.Errorf("%s: %q, %q", f, is, as)
		}
		for _, adjective := range []string{"zombies", "duplicate", "exited", "respawning"} {
			if is == "is "+adjective || as == adjective {
				t.Errorf("%s is used as an adjective: %q, %q", f, is, as)
			}
		}
	}
}
