package main

import (
	"strings"
	"testing"
)

func TestDoctorPrintsNoEscapeSequences(t *testing.T) {
	var out strings.Builder
	if err := writeSymptoms(&out, []symptom{
		{"policy", stateFault, "p.yaml:2: mode \"\x1b[2J\"\np.yaml:3: what?", "reaperd policy check"},
		{"configuration", stateNote, "1 configured servers in /home/dev/\x1b]0;x\a/.mcp.json", "\x1b[31mread it"},
		{"docker \x1b[8m", stateOK, "ok", ""},
	}); err != nil {
		t.Fatal(err)
	}
	const want = `FAULT  policy: p.yaml:2: mode "?[2J"
       p.yaml:3: what?
       remedy: reaperd policy check
note   configuration: 1 configured servers in /home/dev/?]0;x?/.mcp.json
       remedy: ?[31mread it
ok     docker ?[8m: ok
`
	if out.String() != want {
		t.Errorf("got\n%q, want\n%q", out.String(), want)
	}
}
