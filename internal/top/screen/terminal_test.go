package screen

import (
	"testing"

	"github.com/gdamore/tcell/v3"

	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/top"
)

// TestWithoutColoursOnlyTheCursorsRowIsReversed: the library reverses what has a colour
// that the terminal has not.
func TestWithoutColoursOnlyTheCursorsRowIsReversed(t *testing.T) {
	for _, tone := range []top.Tone{overview.TonePlain, overview.ToneLives, overview.ToneWaits, overview.ToneGoes} {
		if got := styleOf(top.Style{Tone: tone}, false); got != tcell.StyleDefault {
			t.Errorf("tone %q without colours: %+v", tone, got)
		}
		if got := styleOf(top.Style{Tone: tone}, true); (got == tcell.StyleDefault) != (tone == overview.TonePlain) {
			t.Errorf("tone %q with colours: %+v", tone, got)
		}
	}
	if got := styleOf(top.Style{Reverse: true}, false); got != tcell.StyleDefault.Reverse(true) {
		t.Errorf("the row under the cursor: %+v", got)
	}
}
