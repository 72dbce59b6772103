package outlook

import (
	"fmt"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/serve"
)

// Begun tells of the acts that a pause comes too late for.
func Begun(is *serve.State) []string {
	n := 0
	for i := range is.UnderWay {
		if !is.UnderWay[i].Imminent {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("note: %s begun before, and %s on: reaperd status", human.Count(n, "act")+" "+human.Verb(n, "has", "have"), human.Verb(n, "goes", "go"))}
}
