package exits

import "testing"

func TestTheStartMarkStandsBehindTheLastParenthesis(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       uint64
		bad        bool
	}{
		{"a plain name", "141 (node) S 56 44 44 0 -1 4194560 5 0 0 0 40 3 0 0 20 0 11 0 153644 1 2 3 4", 153644, false},
		{"a name with spaces and parentheses", "7 (a) S (b c) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 99 1 2", 99, false},
		{"a zombie", "9 (npm exec) Z 1 9 9 0 -1 4228356 0 0 0 0 0 0 0 0 20 0 1 0 5001 0 0", 5001, false},
		{"a line that was cut off", "141 (node) S 56 44 44 0 -1", 0, true},
		{"no name", "141 node S 56", 0, true},
		{"nothing", "", 0, true},
		{"a mark that is no number", "7 (a) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 x 1 2", 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := startOf([]byte(c.line))
			if got != c.want || (err != nil) != c.bad {
				t.Errorf("got %d, %v", got, err)
			}
		})
	}
}
