package graph

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
)

// mostLeft is the greatest number of processes that [Target.Stays] names.
const mostLeft = 3

// Stays names what is left of a target's processes once it has ended: "stays when it ends: chromium 170";
// empty if nothing is.
func (t *Target) Stays() string {
	var names []string
	for _, p := range t.Left[:min(len(t.Left), mostLeft)] {
		names = append(names, fmt.Sprintf("%s %d", human.Safe(cmp.Or(p.Comm, "process")), p.PID))
	}
	if more := len(t.Left) - len(names); more > 0 {
		names = append(names, human.Number(more)+" more")
	}
	if len(names) == 0 {
		return ""
	}
	return "stays when it ends: " + strings.Join(names, ", ")
}
