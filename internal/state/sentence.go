package state

import (
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// sentence says what holds, until when and why. The reason may be any user's text,
// shown to root: it is printed as one line of harmless characters, of no more cells than
// the longest accepted reason may have.
func sentence(what string, until time.Time, reason string) string {
	if !until.IsZero() {
		what += " until " + human.Moment(until.Local())
	}
	if reason = human.Truncate(human.Line(reason), 2*mostReason, "…"); reason != "" {
		what += ": " + reason
	}
	return what
}
