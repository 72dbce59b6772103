package outlook

import (
	"slices"
	"testing"

	"github.com/reaperd/reaperd/internal/serve"
)

// TestAPauseTellsWhatItComesTooLateFor: an act that has begun goes on.
func TestAPauseTellsWhatItComesTooLateFor(t *testing.T) {
	for n, want := range map[int][]string{0: nil, 1: {"note: 1 act has begun before, and goes on: reaperd status"}, 3: {"note: 3 acts have begun before, and go on: reaperd status"}} {
		if got := Begun(&serve.State{UnderWay: make([]serve.Begun, n)}); !slices.Equal(got, want) {
			t.Errorf("%d acts: %q", n, got)
		}
	}
	if got := Begun(&serve.State{UnderWay: []serve.Begun{{Imminent: true}}}); got != nil {
		t.Errorf("one that is about to begin: %q", got)
	}
}
