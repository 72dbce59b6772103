package cli

import "github.com/spf13/pflag"

// Given tells which flags a person gave on the command line, and how. Those of the environment
// are none: the next command has them too. A flag that a command does not have was not given.
type Given struct{ Flags *pflag.FlagSet }

// Text is the value of a flag; "" if it was not given.
func (g Given) Text(name string) string {
	flag := g.Flags.Lookup(name)
	if flag == nil || !flag.Changed || flag.Annotations[fromEnvironment] != nil {
		return ""
	}
	return flag.Value.String()
}

// Switch reports that a flag without a value was given, and is on.
func (g Given) Switch(name string) bool { return g.Text(name) == "true" }
