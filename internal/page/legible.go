package page

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/reaperd/reaperd/internal/human"
)

// legible writes text with a "?" for each character that shows as nothing and may turn
// the text around it. Each text of others comes in one Write.
type legible struct{ io.Writer }

func (l legible) Write(text []byte) (int, error) {
	written := text
	if !isPlainText(text) {
		written = bytes.Map(visible, text)
	}
	if _, err := l.Writer.Write(written); err != nil {
		return 0, err
	}
	return len(text), nil
}

// isPlainText reports printable ASCII in lines, as nearly all of a page is.
func isPlainText(text []byte) bool {
	for _, b := range text {
		if (b < ' ' || b >= utf8.RuneSelf) && b != '\n' && b != '\t' {
			return false
		}
	}
	return true
}

// visible is a character of a document, or "?" in its place.
func visible(r rune) rune {
	if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' || human.IsInvisible(r) {
		return '?'
	}
	return r
}
