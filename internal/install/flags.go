package install

import (
	"os"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
)

// flags are the variables in the file of a service's flags that change what the service does. The zero
// value is of a file that sets nothing.
type flags struct {
	file     string
	mode     policy.Mode
	policies string
}

// readFlags reads the variables in the file of a service's flags, as its environment.
func readFlags(file string) (flags, error) {
	if file == "" || !isThere(file) {
		return flags{}, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return flags{}, human.Failed("", "read the service's flags: %w", err)
	}
	f := flags{}
	for line := range strings.Lines(string(text)) {
		name, value, sets := strings.Cut(strings.TrimSpace(line), "=")
		if !sets || strings.HasPrefix(name, "#") || strings.HasPrefix(name, ";") {
			continue
		}
		f.file = file
		switch value = unquoted(value); name {
		case "REAPERD_MODE":
			f.mode = policy.Mode(value)
		case "REAPERD_POLICIES":
			f.policies = value
		}
	}
	switch f.mode {
	case "", policy.ModeReport, policy.ModeEnforce:
		return f, nil
	}
	return flags{}, human.Failed("write enforce or report there, or nothing", "the service would not start: REAPERD_MODE=%s in %s is no mode", human.Safe(string(f.mode)), human.Safe(file))
}

// unquoted is a value of an environment file without the quotes around it.
func unquoted(value string) string {
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}

// modeText says which mode a service has by its flags: "REAPERD_MODE=report in /etc/default/reaperd".
func (f flags) modeText() string {
	return "REAPERD_MODE=" + string(f.mode) + " in " + human.Safe(f.file)
}

func loadPolicy(config, named string) (*policy.Policy, error) {
	if named != "" {
		return policyfile.Load(named)
	}
	return policyfile.LoadFor(config)
}
