package graph

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/reaperd/reaperd/internal/browser"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// mostLeft is the greatest number of processes that [Target.Stays] names.
const mostLeft = 3

// Stays names what is left of a target's processes once it has ended, each with the reason: "stays
// when it ends: chromium 170 (a person's browser: no program drives it)"; empty if nothing is.
func (t *Target) Stays() string {
	var names []string
	for _, p := range t.Left[:min(len(t.Left), mostLeft)] {
		names = append(names, fmt.Sprintf("%s %d (%s)", programOf(p), p.PID, whyLeft(p)))
	}
	if more := len(t.Left) - len(names); more > 0 {
		names = append(names, human.Number(more)+" more")
	}
	if len(names) == 0 {
		return ""
	}
	return "stays when it ends: " + strings.Join(names, ", ")
}

// programOf is the program of a process as its command line calls it. The kernel's name may be that of
// its interpreter, or of the program that has started it.
func programOf(p *inventory.Process) string {
	if args := p.Args(); len(args) > 0 && args[0] != "" {
		return human.Safe(path.Base(args[0]))
	}
	return human.Safe(cmp.Or(p.Comm, "process"))
}

// whyLeft is why a process below a tree does not belong to it.
func whyLeft(p *inventory.Process) string {
	if browser.IsEveryday(p.Args()) {
		return "a person's browser: no program drives it"
	}
	return "in a session of its own"
}
