package world

import (
	"errors"
	"testing"
)

// TestARefusedPolicyIsToldOneFaultOnALine, the first few of them.
func TestARefusedPolicyIsToldOneFaultOnALine(t *testing.T) {
	t.Setenv("HOME", "/home/dev")
	const all = "reaperd policy check shows all of it, and where it stands."
	for faults, want := range map[string]string{
		"/home/dev/p.yaml:3: a":                  "It has 1 fault:\n~/p.yaml:3: a\n" + all,
		"/etc/p.yaml:3: a\n/etc/p.yaml:4: b":     "It has 2 faults:\n/etc/p.yaml:3: a\n/etc/p.yaml:4: b\n" + all,
		"p:1: a\np:2: b\np:3: c\np:4: d\np:5: e": "It has 5 faults:\np:1: a\np:2: b\np:3: c\nand 2 more.\n" + all,
	} {
		if got := refused(errors.New(faults)).Error(); got != "x stops nothing while the policy file is refused. "+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
