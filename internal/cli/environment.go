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
func FromEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) (fault error) {
	flags.VisitAll(func(flag *pflag.Flag) {
		value, set := lookup(variableOf(flag.Name))
		if !set || flag.Changed || fault != nil || flag.Name == "help" || flag.Name == "version" {
			return
		}
		var invalid *pflag.InvalidValueError
		if errors.As(flags.Set(flag.Name, value), &invalid) {
			fault = human.Misused("reaperd help environment", "%s=%s", variableOf(flag.Name), refused(invalid))
		}
	})
	return fault
}
