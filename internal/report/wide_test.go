package report

import (
	"slices"
	"strings"
	"testing"
)

func TestALongCellMovesOnlyItsOwnLine(t *testing.T) {
	long := strings.Repeat("x", mostPadded+20)
	for _, row := range []struct {
		name  string
		table [][]string
		want  []string
	}{
		{"each column is as wide as its widest cell", [][]string{{"A", "B", "C"}, {"aaa", "b", "c"}}, []string{"A    B  C", "aaa  b  c"}},
		{"a command that is very long", [][]string{{"A", "B", "C"}, {"a", long, "c"}, {"a", "b", "c"}}, []string{
			"A  B" + strings.Repeat(" ", mostPadded+1) + "C", "a  " + long + "  c", "a  b" + strings.Repeat(" ", mostPadded+1) + "c",
		}},
		{"the last column has no width", [][]string{{"A", "B"}, {"a", long}, {"a", ""}}, []string{"A  B", "a  " + long, "a"}},
	} {
		if got := aligned(row.table); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}
