package state

import (
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// maxReason is how much of a reason is shown, in cells.
const maxReason = 120

// sentence says what holds, until when and why. The reason may be any user's text,
// shown to root: it is printed as one line of harmless characters.
func sentence(what string, until time.Time, reason string) string {
	if !until.IsZero() {
		what += " until " + human.Moment(until.Local())
	}
	if reason = human.Truncate(human.Line(reason), maxReason, "…"); reason != "" {
		what += ": " + reason
	}
	return what
}
