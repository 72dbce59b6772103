package human_test

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

func TestEveryFindingIsASentence(t *testing.T) {
	for _, f := range []graph.Finding{
		graph.FindingOrphaned, graph.FindingDisconnected, graph.FindingRespawning, graph.FindingZombies,
		graph.FindingDuplicate, graph.FindingExited, graph.FindingAmbiguous, graph.FindingIdle,
	} {
		is, as := human.FindingIs(string(f)), human.FindingAs(string(f))
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

// TestWhatIdlesIsToldSinceWhenItDoes: it began to before anybody looked.
func TestWhatIdlesIsToldSinceWhenItDoes(t *testing.T) {
	for _, row := range []struct{ finding, at, want string }{
		{"idle", "12:00:00", "idle since 12:00:00"}, {"idle", "", "idle"}, {"orphaned", "12:00:00", "orphaned, first seen 12:00:00"},
		{"duplicate", "", "an older copy"}, {"", "12:00:00", "first seen 12:00:00"}, {"", "", ""},
	} {
		if got := human.FindingSince(row.finding, row.at); got != row.want {
			t.Errorf("%s at %q: %q, want %q", row.finding, row.at, got, row.want)
		}
	}
}
