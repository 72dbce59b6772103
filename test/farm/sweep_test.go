//go:build linux

package farm

import (
	"slices"
	"testing"
)

func TestCompareCountsAgainstTheRow(t *testing.T) {
	before := []string{"orphan", "stubborn", "server", "victim", "either"}
	after := []string{"stubborn", "server"}
	got := compare(before, after, []string{"orphan", "stubborn"}, []string{"either"})
	if got.reaped != 1 || got.kept != 1 || !slices.Equal(got.missed, []string{"stubborn"}) || !slices.Equal(got.wronged, []string{"victim"}) {
		t.Errorf("got %+v", got)
	}
}

func TestATargetIsFoundByAnyOfItsProcesses(t *testing.T) {
	report := Report{Targets: []Target{{ID: "7:100", PIDs: []int{7, 8}}, {ID: "c0ffee"}}}
	for _, being := range []Being{{PID: 7, Start: "100"}, {PID: 8, Start: "101"}, {PID: 9, Start: "102", Container: "c0ffee"}} {
		if _, ok := report.Of(being); !ok {
			t.Errorf("%v: not found", being)
		}
	}
	if target, ok := report.Of(Being{PID: 10, Start: "100"}); ok {
		t.Errorf("a process of no target: got %v", target)
	}
}
