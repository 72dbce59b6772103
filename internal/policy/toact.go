package policy

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// Change is a change of a rule in a policy file: where it is written, and what.
type Change struct{ Where, Line string }

// ChangeOf tells how a rule of that origin is changed: in a file that extends the built-in policy,
// or where the reader has written the rule already. In mode report no rule acts.
func ChangeOf(rule string, at Origin, change string, mode Mode, home human.Home) Change {
	c := Change{"write into the rule at " + home.Short(human.Safe(at.String()), ""), change}
	if at.IsShipped() {
		c = Change{"add to policies.yaml (extends: builtin)", fmt.Sprintf("rules: [{name: %s, %s}]", rule, change)}
	}
	if mode == ModeReport {
		c.Where += ", and set mode: enforce"
	}
	return c
}

// ActionOn is the action that a rule which acts has for things of a kind.
func ActionOn(kind graph.Kind) Action {
	if kind == graph.KindContainer {
		return ActionRemove
	}
	return ActionTerminate
}

// IsShipped reports a rule that no file of the reader's has.
func (o Origin) IsShipped() bool { return o.File == "" || o.File == Builtin }

// OriginOf reads the text of [Origin.String].
func OriginOf(text string) Origin {
	if text == (Origin{}).String() {
		return Origin{}
	}
	if at := strings.LastIndexByte(text, ':'); at >= 0 {
		if line, err := strconv.Atoi(text[at+1:]); err == nil && line > 0 {
			return Origin{File: text[:at], Line: line}
		}
	}
	return Origin{File: text}
}

// CheckCommand is the command that says what is wrong with a policy file; without one, with that
// in force.
func CheckCommand(file string) string {
	words := []string{"reaperd", "policy", "check"}
	if file != "" {
		words = append(words, file)
	}
	return human.Shell(words...)
}
