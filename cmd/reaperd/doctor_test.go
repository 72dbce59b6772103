package main

import (
	"regexp"
	"testing"

	"github.com/reaperd/reaperd/test/standin"
)

func TestDoctorMaySignalAServerOfItsOwnUser(t *testing.T) {
	ownState(t)
	standin.Server(t, "no-such-mcp")
	if said := command(t, "doctor"); !regexp.MustCompile(`(?m)^ok     signals: permitted to \d+ process(es)? of `).MatchString(said.out) {
		t.Errorf("got %+v", said)
	}
}
