package policy

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
)

// TestTheGlossaryExplainsEveryFinding that a policy may name.
func TestTheGlossaryExplainsEveryFinding(t *testing.T) {
	text := Glossary()
	for _, f := range []graph.Finding{
		graph.FindingOrphaned, graph.FindingExited, graph.FindingDisconnected, graph.FindingDuplicate, graph.FindingZombies,
		graph.FindingRespawning, graph.FindingIdle, graph.FindingAmbiguous,
	} {
		if !strings.Contains(text, "\n  "+f.String()+" ") || !strings.Contains(text, Meaning(f)) {
			t.Errorf("%s is not explained", f)
		}
	}
}
