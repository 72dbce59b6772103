package demo

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/human"
)

func TestTheNarrationIsBrokenAtWords(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 30))
	for _, row := range []struct{ name, text, want string }{
		{"a short line", "$ reaperd scan", "$ reaperd scan"},
		{"commands below each other", "reaperd scan      what is left\nreaperd install   how", "reaperd scan      what is left\nreaperd install   how"},
		{"an empty line", "", ""},
		{"a step", "\n1. " + long + "\n", "\n1. " + strings.Repeat("word ", 14) + "word\n   " + strings.Repeat("word ", 14) + "word\n"},
		{"a step that was broken before", "1. one\n   two\n", "1. one two\n"},
		{"a countdown", "   " + long, "   " + strings.Repeat("word ", 14) + "word\n   " + strings.Repeat("word ", 14) + "word"},
		{"two paragraphs", long + "\n\nshort", strings.Repeat("word ", 15) + "word\n" + strings.Repeat("word ", 13) + "word\n\nshort"},
	} {
		got := told(row.text)
		if got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
		for line := range strings.Lines(got) {
			if human.Width(strings.TrimRight(line, "\n")) > 80 {
				t.Errorf("%s: more than 80 columns: %q", row.name, line)
			}
		}
	}
}

// TestADemoWhoseReaderHasEndedDoesNotSayThatItFailed, as into `head`.
func TestADemoWhoseReaderHasEndedDoesNotSayThatItFailed(t *testing.T) {
	for script, want := range map[string]bool{"kill -PIPE $$": true, "kill -TERM $$": false, "exit 3": false, "exit 0": false} {
		if got := isCutOff(exec.Command("sh", "-c", script).Run()); got != want {
			t.Errorf("%s: %v, want %v", script, got, want)
		}
	}
}
