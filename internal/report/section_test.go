package report

import (
	"bytes"
	"strings"
	"testing"
)

// TestTheFirstSectionNamesItsColumns, however long its heading is, and no other does.
func TestTheFirstSectionNamesItsColumns(t *testing.T) {
	const heading = "PENDING · rule orphaned-containers · held 6s of 30s"
	for width, want := range map[int][]string{100: {heading + " up memory cpu"}, 60: {heading, "up memory"}, 40: {"PENDING · rule orphaned-containers ·", "held 6s of 30s", "memory"}} {
		s := newScreen(screenOf(width))
		s.section(yellow, heading)
		s.row(row{head: "gitlab", cells: cells{age: "6s", memory: "2 MB", cpu: "0.0%"}})
		s.section(yellow, "WOULD STOP")
		var out bytes.Buffer
		if err := s.flush(&out); err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			got = append(got, strings.Join(strings.Fields(line), " "))
		}
		text := strings.Join(got, "\n")
		if !strings.HasPrefix(text, strings.Join(want, "\n")+"\ngitlab") || strings.Count(text, "memory") != 1 {
			t.Errorf("at %d columns:\n%s", width, out.String())
		}
	}
}
