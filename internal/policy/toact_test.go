package policy

import "testing"

func TestHowARuleIsChanged(t *testing.T) {
	for _, row := range []struct {
		world string
		at    Origin
		mode  Mode
		want  Change
	}{
		{"a shipped rule", Origin{File: Builtin, Line: 90}, ModeEnforce, Change{"add to policies.yaml (extends: builtin)", "rules: [{name: r, action: terminate}]"}},
		{"a rule of the reader's", Origin{File: "/home/dev/p.yaml", Line: 8}, ModeEnforce, Change{"write into the rule at ~/p.yaml:8", "action: terminate"}},
		{"in mode report", Origin{}, ModeReport, Change{"add to policies.yaml (extends: builtin), and set mode: enforce", "rules: [{name: r, action: terminate}]"}},
	} {
		if got := ChangeOf("r", row.at, "action: terminate", row.mode, "/home/dev"); got != row.want {
			t.Errorf("%s: %+v, want %+v", row.world, got, row.want)
		}
	}
}

func TestAnOriginIsReadFromItsText(t *testing.T) {
	for _, o := range []Origin{{}, {File: "built-in"}, {File: "built-in", Line: 31}, {File: "/a:b/p.yaml", Line: 2}, {File: "/a:b"}} {
		if got := OriginOf(o.String()); got != o {
			t.Errorf("%q is %+v, want %+v", o, got, o)
		}
	}
}
