package cli

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/reaperd/reaperd/internal/human"
)

// variableOf is the environment variable of a flag: REAPERD_LOG_LEVEL for
// --log-level.
func variableOf(flag string) string {
	return "REAPERD_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// FromEnvironment sets every flag that was not given from its variable, if there is
// one.
func FromEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	var fault error
	flags.VisitAll(func(flag *pflag.Flag) {
		value, set := lookup(variableOf(flag.Name))
		if !set || flag.Changed || fault != nil || flag.Name == "help" || flag.Name == "version" {
			return
		}
		err := flags.Set(flag.Name, value)
		var invalid *pflag.InvalidValueError
		switch {
		case errors.As(err, &invalid):
			fault = human.Misused("reaperd help environment", "%s=%q: want %s", variableOf(flag.Name), value, wanted(invalid))
		case err != nil:
			fault = human.Misused("reaperd help environment", "%s=%q: %w", variableOf(flag.Name), value, err)
		default:
			_ = flags.SetAnnotation(flag.Name, fromEnvironment, []string{"true"}) // fails only for an unknown flag
		}
	})
	return fault
}
