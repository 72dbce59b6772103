package top

import (
	"testing"

	"github.com/gdamore/tcell/v3"
)

// TestWithoutColoursOnlyTheCursorsRowIsReversed: the library reverses what has a colour
// that the terminal has not.
func TestWithoutColoursOnlyTheCursorsRowIsReversed(t *testing.T) {
	for _, tone := range []Tone{"", Well, Waits, Goes} {
		if got := styleOf(Style{Tone: tone}, false); got != tcell.StyleDefault {
			t.Errorf("tone %q without colours: %+v", tone, got)
		}
		if got := styleOf(Style{Tone: tone}, true); (got == tcell.StyleDefault) != (tone == "") {
			t.Errorf("tone %q with colours: %+v", tone, got)
		}
	}
	if got := styleOf(Style{Reverse: true}, false); got != tcell.StyleDefault.Reverse(true) {
		t.Errorf("the row under the cursor: %+v", got)
	}
}
