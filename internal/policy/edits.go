package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// Change is a change of a rule in a policy file: where it is written, and what.
type Change struct{ Where, Line string }

// ChangeOf tells how a rule of that origin is changed under a policy: in its file, or by a rule of its name in the file
// that extends the shipped ones. In mode report no rule acts.
func ChangeOf(rule string, at Origin, change string, under Identity) Change {
	c := Change{"write into the rule at " + human.Safe(at.String()), change}
	if at.File == "" || at.File == Builtin {
		c = under.added("rules", fmt.Sprintf("{name: %s, %s}", rule, change))
	}
	if under.Mode == ModeReport {
		c.Where += ", and set mode: enforce"
	}
	return c
}

// Naming tells how a program is made a known client under a policy, by the name that looks give it. What an
// interpreter runs is told from all else that it runs by the argument that the name is from.
func Naming(program, name string, args []string, under Identity) Change {
	match := "exe: " + program
	of := func(arg string) bool { return name != program && strings.HasPrefix(path.Base(arg), name) }
	if i := slices.IndexFunc(args, of); i > 0 {
		match += fmt.Sprintf(", argv: %q", "*"+path.Base(args[i]))
	}
	return under.added("sessions", fmt.Sprintf("{name: %s, match: {%s}}", name, match))
}

// added tells how an entry is added to the list of that key. Where no file is in force, it is a new one.
func (i Identity) added(key, entry string) Change {
	if i.Source == "" || i.Source == Builtin {
		return Change{"add to policies.yaml (extends: builtin)", key + ": [" + entry + "]"}
	}
	return Change{"add to the " + key + " of " + human.Safe(i.Source), "- " + entry}
}

// ActionOn is the action that a rule which acts has for things of a kind.
func ActionOn(kind graph.Kind) Action {
	if kind == graph.KindContainer {
		return ActionRemove
	}
	return ActionTerminate
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
