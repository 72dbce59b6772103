package supervise

import (
	"slices"
	"testing"
)

func TestBelow(t *testing.T) {
	table := []process{{pid: 9, parent: 8}, {pid: 8, parent: 5}, {pid: 7, parent: 1}, {pid: 6, parent: 5}}
	var got []int
	for _, p := range below(table, 5) {
		got = append(got, p.pid)
	}
	if !slices.Equal(got, []int{8, 6, 9}) {
		t.Errorf("%v", got)
	}
}

func TestCgroup(t *testing.T) {
	for _, c := range []struct {
		name, text, path string
		ok               bool
	}{
		{"version 2 alone", "0::/user.slice/a.scope\n", "/user.slice/a.scope", true},
		{"beside version 1", "4:memory:/x\n0::/\n", "/", true},
		{"outside of the namespace", "0::/../b\n", "/../b", false},
		{"version 1 alone", "4:memory:/x\n", "", false},
	} {
		if path, ok := parseCgroup(c.text); path != c.path || ok != c.ok {
			t.Errorf("%s: %q %v", c.name, path, ok)
		}
	}
}

func TestMapsThatMayBeGivenBack(t *testing.T) {
	for _, c := range []struct {
		name, line string
		size       uintptr
	}{
		{"code", "00400000-00c99000 r-xp 00000000 fe:00 1 /x/reaperd\n", 0x899000},
		{"data is the process's own", "015d4000-0165b000 rw-p 011d4000 fe:00 1 /x/reaperd\n", 0},
		{"another file", "00400000-00c99000 r-xp 00000000 fe:00 1 /x/libc.so\n", 0},
		{"no file", "0165b000-038c8000 r--p 00000000 00:00 0\n", 0},
	} {
		if _, size, ok := parseReadOnly(c.line, "/x/reaperd"); size != c.size || ok != (c.size != 0) {
			t.Errorf("%s: %#x %v", c.name, size, ok)
		}
	}
}
