package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/policy"
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

// TestOneLineForEachIsOfferedWhereARowStandsForSeveral.
func TestOneLineForEachIsOfferedWhereARowStandsForSeveral(t *testing.T) {
	for _, row := range []struct {
		names []string
		want  bool
	}{
		{[]string{"a", "b", "c", "d"}, false},
		{[]string{"a", "b", "c", "c"}, true},
		{[]string{"a", "a"}, false}, // both are named in their row
	} {
		w := newWorld("linux", 40)
		for i, name := range row.names {
			w.decide(w.server(name, 100+i, time.Hour, 0, name), policy.Pending, "orphaned-servers", policy.ActionTerminate)
		}
		var out bytes.Buffer
		if err := Table(&out, w.input(), screenOf(100)); err != nil || strings.Contains(out.String(), "-o wide") != row.want {
			t.Errorf("%q: %v, want it offered: %v\n%s", row.names, err, row.want, out.String())
		}
	}
}
