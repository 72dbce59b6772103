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

// List is where a policy file has a list of entries. The zero value means that it has none.
type List struct {
	At   Origin `json:"at"`             // of its key
	Flow bool   `json:"flow,omitempty"` // written as [one, two], and not as lines that begin with "-"
}

// listOf is the list of that key in the mapping of a file.
func listOf(root *node, key string) List {
	for _, f := range root.fields {
		if f.key == key {
			return List{f.at, f.value.flow}
		}
	}
	return List{}
}

// ChangeOf tells how a rule of that origin is changed under a policy: beside the rules of its file, or
// where the reader has written the rule already. In mode report no rule acts.
func ChangeOf(rule string, at Origin, change string, under Identity) Change {
	c := Change{"write into the rule at " + at.String(), change}
	if at.IsShipped() {
		c = under.added("rules", under.Rules, fmt.Sprintf("{name: %s, %s}", rule, change))
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
	return under.added("sessions", under.Sessions, fmt.Sprintf("{name: %s, match: {%s}}", name, match))
}

// added tells how an entry is added to the list of that key: a file may have the key once only. Where no
// file is in force, it is a new one.
func (i Identity) added(key string, list List, entry string) Change {
	switch {
	case i.Source == "" || i.Source == Builtin:
		return Change{"add to policies.yaml (extends: builtin)", key + ": [" + entry + "]"}
	case list == List{}:
		return Change{"add to " + Origin{File: i.Source}.String(), key + ": [" + entry + "]"}
	case list.Flow:
		return Change{"add to the " + key + " at " + list.At.String(), entry}
	}
	return Change{"add to the " + key + " at " + list.At.String(), "- " + entry}
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

// CheckCommand is the command that says what is wrong with a policy file; without one, with that
// in force.
func CheckCommand(file string) string {
	words := []string{"reaperd", "policy", "check"}
	if file != "" {
		words = append(words, file)
	}
	return human.Shell(words...)
}
