package state

import (
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// maxReason is how much of a reason is shown, in cells.
const maxReason = 120

// sentence is what holds, until when and why. The reason is any user's text and
// may be shown to root: it stays one line of plain signs.
func sentence(what string, until time.Time, reason string) string {
	if !until.IsZero() {
		what += " until " + until.Format("2006-01-02 15:04:05 MST")
	}
	if reason = ansi.Truncate(plain(reason), maxReason, "…"); reason != "" {
		what += ": " + reason
	}
	return what
}

// plain is a text without what a terminal would obey.
func plain(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text))
}
