package top

import (
	"slices"
	"testing"

	"github.com/gdamore/tcell/v3"
)

// TestEscAndAKeyAtOnceAreBoth: the terminal's library takes them for Alt and that key.
func TestEscAndAKeyAtOnceAreBoth(t *testing.T) {
	for _, c := range []struct {
		name  string
		event *tcell.EventKey
		want  []Key
	}{
		{"a letter", tcell.NewEventKey(tcell.KeyRune, "q", tcell.ModNone), []Key{"q"}},
		{"Ctrl-C", tcell.NewEventKey(tcell.KeyRune, "c", tcell.ModCtrl), []Key{"ctrl-c"}},
		{"Esc and a letter", tcell.NewEventKey(tcell.KeyRune, "q", tcell.ModAlt), []Key{"esc", "q"}},
		{"Esc and Ctrl-C", tcell.NewEventKey(tcell.KeyRune, "c", tcell.ModAlt|tcell.ModCtrl), []Key{"esc", "ctrl-c"}},
		{"Esc and an arrow", tcell.NewEventKey(tcell.KeyDown, "", tcell.ModAlt), []Key{"esc", "down"}},
		{"Ctrl and a letter that does nothing", tcell.NewEventKey(tcell.KeyRune, "k", tcell.ModCtrl), nil},
	} {
		if got := keysOf(c.event); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
