package report

import (
	"fmt"
	"slices"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// sourceText says "docker ok (3)", or what is missing.
func (v *view) sourceText(source inventory.Source) string {
	text := sourceName(source) + " " + string(source.Status)
	if source.Status == inventory.StatusOK || source.Status == inventory.StatusPartial {
		text += fmt.Sprintf(" (%s)", human.Number(v.seen(source)))
	}
	switch {
	case source.Status == inventory.StatusError:
		text += " (see above)" // the first lines have the reason
	case source.Reason != "" && source.Status != inventory.StatusOK:
		text += ": " + sentence(source.Reason)
	}
	if v.isNotRoot() && slices.Contains(source.Gaps, inventory.GapDescriptors) {
		text += " (sudo " + v.scan().AsRoot().Scan() + " reads them)"
	}
	return text
}

func sourceName(source inventory.Source) string { return human.Safe(source.Called()) }

// seen returns the number of things in a source.
func (v *view) seen(source inventory.Source) int {
	if source.Name == inventory.SourceProcesses {
		return len(v.snapshot.Processes) + v.snapshot.Unlisted
	}
	n := 0
	for i := range v.snapshot.Containers {
		if engine := v.snapshot.Containers[i].Engine; engine == "" || source.Endpoint == "" || engine == source.Endpoint {
			n++
		}
	}
	return n
}
