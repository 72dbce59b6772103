package demo

import (
	"strings"
	"testing"
)

// TestTheCommandsOfTheWorldHaveTheColourThatWasAsked: not that of the environment.
func TestTheCommandsOfTheWorldHaveTheColourThatWasAsked(t *testing.T) {
	t.Setenv("REAPERD_COLOR", "always")
	for color, want := range map[string]string{"never": "never", "": "always"} {
		got := ""
		for _, variable := range (&story{Options: Options{Color: color}}).environment() {
			if value, is := strings.CutPrefix(variable, "REAPERD_COLOR="); is {
				got = value // the last one holds
			}
		}
		if got != want {
			t.Errorf("--color %q: the world has %q", color, got)
		}
	}
}
