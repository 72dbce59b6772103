package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd"
)

func TestHowARuleIsChanged(t *testing.T) {
	const own = "/home/dev/p.yaml"
	shipped := Origin{File: Builtin, Line: 90}
	for _, row := range []struct {
		world string
		at    Origin
		under Identity
		want  Change
	}{
		{"a shipped rule", shipped, Identity{Source: Builtin}, Change{"add to policies.yaml (extends: builtin)", "rules: [{name: r, action: terminate}]"}},
		{"a shipped rule, and nobody knows the policy", shipped, Identity{}, Change{"add to policies.yaml (extends: builtin)", "rules: [{name: r, action: terminate}]"}},
		{"a rule of the reader's", Origin{File: own, Line: 8}, Identity{Source: own}, Change{"write into the rule at /home/dev/p.yaml:8", "action: terminate"}},
		{"in mode report", Origin{}, Identity{Mode: ModeReport}, Change{"add to policies.yaml (extends: builtin), and set mode: enforce", "rules: [{name: r, action: terminate}]"}},
		{"a shipped rule, and the reader has a file", shipped, Identity{Source: own}, Change{"add to the rules of /home/dev/p.yaml", "- {name: r, action: terminate}"}},
	} {
		if got := ChangeOf("r", row.at, "action: terminate", row.under); got != row.want {
			t.Errorf("%s: %+v, want %+v", row.world, got, row.want)
		}
	}
}

// TestAnEntryIsAddedAsTheHintSays, a rule and a client, to a file with such lists.
func TestAnEntryIsAddedAsTheHintSays(t *testing.T) {
	shipped := File{Name: Builtin, Data: reaperd.DefaultPolicy()}
	text := "version: 1\nextends: builtin\nrules:\nsessions:\n"
	p, err := Load(File{Name: "p.yaml", Data: []byte(text)}, shipped)
	if err != nil {
		t.Fatal(err)
	}
	rule := ChangeOf("duplicates", Origin{File: Builtin, Line: 9}, "action: terminate", p.Identity())
	client := Naming("python3", "mycli", []string{"python3", "/home/dev/mycli.py"}, p.Identity())
	text = strings.Replace(text, "rules:\n", "rules:\n"+rule.Line+"\n", 1) + client.Line + "\n"
	if p, err = Load(File{Name: "p.yaml", Data: []byte(text)}, shipped); err != nil {
		t.Fatal(err)
	}
	ends := func(r Rule) bool { return r.Name == "duplicates" && r.Action.Reaps() }
	if !slices.ContainsFunc(p.Rules, ends) || len(p.Sessions) != 1 || len(p.Sessions[0].Argv) != 1 {
		t.Errorf("it is not there in\n%s", text)
	}
}
