package main

import (
	"regexp"
	"testing"
)

func TestDoctorMaySignalAServerOfItsOwnUser(t *testing.T) {
	ownState(t)
	startServer(t, "no-such-mcp")
	if said := command(t, "doctor"); !regexp.MustCompile(`(?m)^ok     signals: permitted to every process`).MatchString(said.out) {
		t.Errorf("got %+v", said)
	}
}
