package cli

import (
	"bytes"
	"testing"
)

func TestARemarkIsBrokenAtWordsOnATerminal(t *testing.T) {
	for _, row := range []struct {
		name, remark, want string
	}{
		{"it fits", "note: the mode is report", "note: the mode is report"},
		{"the text of an error keeps its indent", "error: codex: 3 run here: 13, 18 and 21", "error: codex: 3 run here: 13,\n       18 and 21"},
		{"one without a lead", "looking, waiting 10s and looking again…", "looking, waiting 10s and\nlooking again…"},
		{"each command of a hint has its own line", "hint: reaperd pin 13   one; reaperd pin 18   another", "hint: reaperd pin 13   one\n      reaperd pin 18   another"},
		{"a purpose that does not fit stands below its command", "hint: reaperd scan -o wide   all of them; reaperd pins", "hint: reaperd scan -o wide\n        all of them\n      reaperd pins"},
		{"a command alone stays whole", "    ssh -N -L 40789:127.0.0.1:40789 ann@10.0.0.2", "    ssh -N -L 40789:127.0.0.1:40789 ann@10.0.0.2"},
		{"what is led by another word has no indent", "codex: it is not a lead, but a name", "codex: it is not a lead, but a\nname"},
	} {
		if got := fitted(row.remark, 30); got != row.want {
			t.Errorf("%s: got\n%s\nwant\n%s", row.name, got, row.want)
		}
	}
}

func TestARemarkOnATerminalHasATildeWhereAShellReadsOne(t *testing.T) {
	dev := Terminal{Home: "/home/dev"}
	for remark, want := range map[string]string{
		"error: /home/dev/.config/reaperd/policies.yaml:3: unknown mode": "error: ~/.config/reaperd/policies.yaml:3: unknown mode",
		"hint: reaperd policy check /home/dev/p.yaml":                    "hint: reaperd policy check ~/p.yaml",
		"hint: reaperd scan --policies=/home/dev/p.yaml":                 "hint: reaperd scan --policies=/home/dev/p.yaml",
		"hint: reaperd policy check '/home/dev/my policy.yaml'":          "hint: reaperd policy check '/home/dev/my policy.yaml'",
		"error: /home/developer/p.yaml: not yours":                       "error: /home/developer/p.yaml: not yours",
	} {
		if got := dev.short(remark); got != want {
			t.Errorf("%s: got %s", remark, got)
		}
	}
}

func TestARemarkIsUnchangedWithoutATerminal(t *testing.T) {
	const long = "error: a line that is much wider than any terminal of eighty columns, and that a program reads as one line"
	var said bytes.Buffer
	(&Terminal{Err: &said, Home: "/home/dev"}).Remark(long, "note: b at /home/dev/p.yaml")
	if said.String() != long+"\nnote: b at /home/dev/p.yaml\n" {
		t.Errorf("got %q", said.String())
	}
}
