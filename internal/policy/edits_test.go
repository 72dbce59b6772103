package policy

import (
	"slices"
	"strconv"
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
		{"a rule of the reader's", Origin{File: own, Line: 8}, Identity{Source: own, Rules: List{At: Origin{own, 3}}}, Change{"write into the rule at /home/dev/p.yaml:8", "action: terminate"}},
		{"in mode report", Origin{}, Identity{Mode: ModeReport}, Change{"add to policies.yaml (extends: builtin), and set mode: enforce", "rules: [{name: r, action: terminate}]"}},
		{"a shipped rule, and the file has no rules", shipped, Identity{Source: own}, Change{"add to /home/dev/p.yaml", "rules: [{name: r, action: terminate}]"}},
		{"a shipped rule, and the file has rules", shipped, Identity{Source: own, Rules: List{At: Origin{own, 3}}}, Change{"add to the rules at /home/dev/p.yaml:3", "- {name: r, action: terminate}"}},
		{"a shipped rule, and the file has rules in brackets", shipped, Identity{Source: own, Rules: List{Origin{own, 3}, true}}, Change{"add to the rules at /home/dev/p.yaml:3", "{name: r, action: terminate}"}},
	} {
		if got := ChangeOf("r", row.at, "action: terminate", row.under); got != row.want {
			t.Errorf("%s: %+v, want %+v", row.world, got, row.want)
		}
	}
}

// TestAnEntryIsAddedWhereItsFileTakesIt adds rules and clients to files as the hint says, and reads them again.
func TestAnEntryIsAddedWhereItsFileTakesIt(t *testing.T) {
	const head = "version: 1\nextends: builtin\n"
	shipped := File{Name: Builtin, Data: reaperd.DefaultPolicy()}
	for world, text := range map[string]string{
		"without lists":          head,
		"with lists":             head + "rules:\n- {name: mine, match: {kind: container, label: {a: b}}}\nsessions:\n- {name: a, match: {exe: a}}\n",
		"with lists in brackets": head + "rules: [{name: mine, match: {kind: container, label: {a: b}}}]\nsessions: [{name: a, match: {exe: a}}]\n",
		"with an empty list":     head + "rules:\nsessions: []\n",
	} {
		file := File{Name: "p.yaml", Data: []byte(text)}
		for range 2 { // once for a rule, and once for a client
			p, err := Load(file, shipped)
			if err != nil {
				t.Fatalf("%s: %v in\n%s", world, err, file.Data)
			}
			change := ChangeOf("duplicates", Origin{File: Builtin, Line: 9}, "action: terminate", p.Identity())
			if slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Name == "duplicates" && r.Action.Reaps() }) {
				change = Naming("python3", "mycli", []string{"python3", "/home/dev/mycli.py"}, p.Identity())
			}
			file.Data = []byte(added(string(file.Data), change))
		}
		p, err := Load(file, shipped)
		if err != nil || !slices.ContainsFunc(p.Sessions, func(e Entry) bool { return e.Name == "mycli" && len(e.Argv) == 1 }) {
			t.Errorf("%s: %v in\n%s", world, err, file.Data)
		}
	}
}

// added is the text of a file after the change that a person reads.
func added(text string, change Change) string {
	_, at, intoList := strings.Cut(change.Where, "p.yaml:")
	if !intoList {
		return text + change.Line + "\n"
	}
	lines := strings.SplitAfter(text, "\n")
	n, _ := strconv.Atoi(at)
	key := lines[n-1]
	if strings.HasPrefix(change.Line, "- ") {
		lines[n-1] = key + change.Line + "\n"
	} else {
		lines[n-1] = strings.Replace(strings.Replace(key, "[", "["+change.Line+", ", 1), ", ]", "]", 1)
	}
	return strings.Join(lines, "")
}
