package wrap

import (
	"strings"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/redact"
)

// Shown returns the change of a file as the command lines of its servers, before and after, without secrets. Nothing
// else of the file changes.
func (r Rewriting) Shown() string {
	lines := []string{human.Safe(r.Path)}
	for _, s := range r.change.Servers {
		lines = append(lines, "  "+human.Safe(s.name), "    - "+shown(s.before), "    + "+shown(s.after))
	}
	return strings.Join(lines, "\n") + "\n"
}

// shown is a command line as a person would type it.
func shown(words []string) string { return human.Safe(human.Shell(redact.Args(words)...)) }
