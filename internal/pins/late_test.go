package pins

import (
	"testing"

	"github.com/reaperd/reaperd/internal/state"
)

func TestAPinOfWhatIsBeingStoppedComesTooLate(t *testing.T) {
	server, other := state.Pin{ID: "10:100", Name: "gitlab"}, state.Pin{ID: "20:200", Name: "fetch"}
	for _, row := range []struct {
		world  string
		pinned []state.Pin
		begun  map[string]bool
		want   string
	}{
		{"nothing is being stopped", []state.Pin{server}, nil, ""},
		{"something else is", []state.Pin{server}, map[string]bool{"20:200": true}, ""},
		{"the process that had its PID before is", []state.Pin{server}, map[string]bool{"10:99": true}, ""},
		{"it is being stopped", []state.Pin{server}, map[string]bool{"10:100": true}, "too late: its end has begun"},
		{"one of two is", []state.Pin{server, other}, map[string]bool{"10:100": true}, "too late for gitlab 10: its end has begun"},
		{"both are", []state.Pin{server, other}, map[string]bool{"10:100": true, "20:200": true}, "too late: their end has begun"},
	} {
		if got := TooLate(row.pinned, row.begun); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}
