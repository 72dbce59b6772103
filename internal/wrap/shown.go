package wrap

import (
	"strings"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/human"
)

// Shown returns the change of a file as the command lines of its servers, before and after, without secrets. Nothing
// else of the file changes.
func (r Rewriting) Shown() string {
	lines := []string{human.Safe(r.Path)}
	for _, s := range r.change.Servers {
		lines = append(lines, "  "+human.Safe(s.name), "    - "+discover.Typed(s.before), "    + "+discover.Typed(s.after))
	}
	return strings.Join(lines, "\n") + "\n"
}
