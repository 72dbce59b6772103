package human

import "github.com/clipperhouse/displaywidth"

// cells measures text as terminals show it: escape sequences take no room.
func cells() displaywidth.Options { return displaywidth.Options{ControlSequences: true} }

// Width is how many columns of a terminal a text takes.
func Width(text string) int { return cells().String(text) }

// Truncate cuts a text to so many columns; one that is cut ends with the tail, which
// counts, if there is room for it.
func Truncate(text string, width int, tail string) string {
	if Width(tail) > width {
		tail = ""
	}
	return cells().TruncateString(text, width, tail)
}
