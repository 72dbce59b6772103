package serve

import (
	"fmt"
	"testing"
)

// TestServersThatComeAndGoDoNotCrowdOutWhatWasLeft: of those in use only the last are remembered.
func TestServersThatComeAndGoDoNotCrowdOutWhatWasLeft(t *testing.T) {
	var m Metrics
	m.showGone([]Gone{{ID: "left"}})
	for i := range 3 * mostGone {
		m.showGone([]Gone{{ID: fmt.Sprint(i), InUse: true}})
	}
	if got := m.state.Gone; len(got) != 1+mostInUse || got[0].ID != "left" || got[len(got)-1].ID != fmt.Sprint(3*mostGone-1) {
		t.Errorf("%d are remembered, from %q to %q", len(got), got[0].ID, got[len(got)-1].ID)
	}
}
