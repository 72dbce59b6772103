package pins

import (
	"strings"

	"github.com/reaperd/reaperd/internal/state"
)

// TooLate tells which new pins come too late, because the end of their targets had begun
// before: "too late: its end has begun". It is empty if none does.
func TooLate(pinned []state.Pin, begun map[string]bool) string {
	var late []string
	for i := range pinned {
		if begun[pinned[i].ID] {
			late = append(late, called(&pinned[i]))
		}
	}
	text := "too late"
	if len(late) < len(pinned) {
		text += " for " + strings.Join(late, ", ")
	}
	switch len(late) {
	case 0:
		return ""
	case 1:
		return text + ": its end has begun"
	}
	return text + ": their end has begun"
}
