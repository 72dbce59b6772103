package daemon

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/state"
)

// TestPinsAreHandedOverAndWhatIsNotTakenStays: with their ends and reasons, to the decider that comes.
func TestPinsAreHandedOverAndWhatIsNotTakenStays(t *testing.T) {
	dir := state.Dir(t.TempDir())
	on(t, "", []string{twoUsers}, func(t *testing.T, s *stage) {
		until := time.Now().Add(time.Hour)
		own, others := state.Pin{ID: "50:517320000", Until: until, Reason: "a demo"}, state.Pin{ID: "7050:517320000"}
		if err := dir.Pin(os.Geteuid(), scan.BootID(), time.Now(), own, others); err != nil {
			t.Fatal(err)
		}
		err := HandOver(t.Context(), dir, s.As(alice))
		if err == nil || !strings.Contains(err.Error(), "7050:517320000") || strings.Contains(err.Error(), " 50:517320000") {
			t.Errorf("not taken: %v", err)
		}
		taken, err := s.As(alice).Pins(t.Context())
		if err != nil || len(taken) != 1 || taken[0].Target != own.ID || !taken[0].Until.Equal(until) || taken[0].Why != "a demo" {
			t.Errorf("taken: %+v, %v", taken, err)
		}
		if stay, err := dir.Pins("", time.Now()); err != nil || len(stay) != 1 || stay[0].ID != others.ID {
			t.Errorf("what stays: %+v, %v", stay, err)
		}
		if err := HandOver(t.Context(), state.Dir(t.TempDir()), s.As(alice)); err != nil {
			t.Errorf("nothing to hand over: %v", err)
		}
	})
}
