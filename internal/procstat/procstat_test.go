package procstat

import "testing"

func TestALineOfStat(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       Stat // zero: not a stat line
	}{
		{"a plain name", "141 (node) S 56 44 42 0 -1 4194560 5 0 0 0 40 3 0 0 20 0 11 0 153644 1 2 3 4", Stat{"node", 'S', 56, 42, 153644}},
		{"a name with spaces and parentheses", "7 (a) S (b c) S 1 7 6 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 99 1 2", Stat{"a) S (b c", 'S', 1, 6, 99}},
		{"a zombie", "9 (npm exec) Z 1 9 9 0 -1 4228356 0 0 0 0 0 0 0 0 20 0 1 0 5001 0 0", Stat{"npm exec", 'Z', 1, 9, 5001}},
		{"a line that was cut off", "141 (node) S 56 44 44 0 -1", Stat{}},
		{"no name", "141 node S 56 44 42 0 -1 4194560 5 0 0 0 40 3 0 0 20 0 11 0 153644", Stat{}},
		{"a name that does not end", "141 (node S 56 44 42 0 -1 4194560 5 0 0 0 40 3 0 0 20 0 11 0 153644", Stat{}},
		{"a name that ends before it begins", ")(", Stat{}},
		{"nothing", "", Stat{}},
		{"a start that is no number", "7 (a) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 x 1 2", Stat{}},
		{"a parent that is no number", "7 (a) S x 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 1 2", Stat{}},
	} {
		if got, err := Parse([]byte(c.line)); got != c.want || (err == nil) != (c.want != Stat{}) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
	if !(Stat{State: 'Z'}).Exited() || (Stat{State: 'S'}).Exited() {
		t.Error("a zombie has exited, and what sleeps has not")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("7 (containerd-shim) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 1 2"))
	f.Add([]byte("7 (a) b) S x"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if s, err := Parse(line); err != nil && s != (Stat{}) {
			t.Errorf("%q is no stat line, and gives %+v", line, s)
		}
	})
}
