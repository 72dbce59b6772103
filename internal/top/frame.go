package top

import (
	"slices"
	"strings"
)

// Frame is the contents of a terminal at one moment: no more lines than it has, and none
// wider than it is.
type Frame struct {
	Lines  []Line
	Cursor Cursor
}

// Cursor is the place of the terminal's cursor, in cells. The zero value hides it.
type Cursor struct {
	X, Y  int
	Shown bool
}

// Line is one line of a frame, from left to right.
type Line []Span

// Span is text of one style. It contains no control characters.
type Span struct {
	Text  string
	Style Style
}

// Style is the look of a text. A terminal without colours shows no less: words say the
// same.
type Style struct {
	Tone Tone
	// Bold is for headings, Reverse for the row under the cursor.
	Bold, Reverse bool
}

// Tone chooses the colour. The zero value is the terminal's own.
type Tone string

// The tones.
const (
	Well  Tone = "well"
	Waits Tone = "waits" // something is about to be done, or is wanted
	Goes  Tone = "goes"  // is being stopped, or failed
	Aside Tone = "aside"
)

// Equal reports whether two frames show the same.
func (f Frame) Equal(other Frame) bool {
	return f.Cursor == other.Cursor && slices.EqualFunc(f.Lines, other.Lines, func(a, b Line) bool { return slices.Equal(a, b) })
}

// String returns the text of a frame, without spaces at the ends of lines.
func (f Frame) String() string {
	var b strings.Builder
	for _, line := range f.Lines {
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// String returns the text of a line.
func (l Line) String() string {
	var b strings.Builder
	for _, span := range l {
		b.WriteString(span.Text)
	}
	return b.String()
}
