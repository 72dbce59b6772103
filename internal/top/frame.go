package top

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/overview"
)

// Frame is what a terminal shows at one moment: no more lines than it has, and
// none wider than it is.
type Frame struct {
	Lines  []Line
	Cursor Cursor
}

// Cursor is where the terminal's cursor stands, in cells. The zero value is hidden.
type Cursor struct {
	X, Y  int
	Shown bool
}

// Line is one line of a frame, from left to right.
type Line []Span

// Span is text of one style. It holds nothing that could steer a terminal.
type Span struct {
	Text  string
	Style Style
}

// Style is how text looks. What it says is said in words too, so that a terminal
// without colours shows no less.
type Style struct {
	Tone Tone
	// Bold is for heads, Reverse for where the reader is.
	Bold, Reverse bool
}

// Tone is what a colour says beside the words.
type Tone = overview.Tone

// Equal reports whether two frames show the same.
func (f Frame) Equal(other Frame) bool {
	return f.Cursor == other.Cursor && slices.EqualFunc(f.Lines, other.Lines, func(a, b Line) bool { return slices.Equal(a, b) })
}

// String is the text of a frame, without the spaces at the ends of its lines.
func (f Frame) String() string {
	var b strings.Builder
	for _, line := range f.Lines {
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// String is the text of a line.
func (l Line) String() string {
	var b strings.Builder
	for _, span := range l {
		b.WriteString(span.Text)
	}
	return b.String()
}
