package human

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// cells measures text as terminals show it: escape sequences have no width.
func cells() displaywidth.Options { return displaywidth.Options{ControlSequences: true} }

// Width returns how many columns of a terminal a text takes.
func Width(text string) int { return cells().String(text) }

// Left fills a text up with spaces behind it to width columns.
func Left(text string, width int) string { return text + spaces(text, width) }

// Right fills a text up with spaces before it to width columns.
func Right(text string, width int) string { return spaces(text, width) + text }

func spaces(text string, width int) string {
	return strings.Repeat(" ", max(0, width-Width(text)))
}

// Truncate cuts a text to width columns. A cut text ends with tail, if there is room for
// it; tail counts.
func Truncate(text string, width int, tail string) string {
	if Width(tail) > width {
		tail = ""
	}
	return cells().TruncateString(text, width, tail)
}
