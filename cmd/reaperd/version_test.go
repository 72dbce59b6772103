package main

import "testing"

func TestTheVersionNamesItsCommit(t *testing.T) {
	for _, row := range []struct {
		name string
		b    build
		want string
	}{
		{"a build in a clone", build{Revision: "24b077e0a8c1f2b3"}, ", commit 24b077e0a8c1"},
		{"a build with changes", build{Revision: "24b077e0a8c1f2b3", Modified: true}, ", commit 24b077e0a8c1, modified"},
		{"a build from a source archive", build{}, ", commit unknown"},
	} {
		if got := row.b.revisionText(); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
