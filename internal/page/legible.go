package page

import (
	"bufio"
	"strings"
	"unicode/utf8"

	"github.com/reaperd/reaperd/internal/human"
)

// legible replaces each character that is invisible and may reorder the text around it by
// "?". A character is never split between two calls of Write.
type legible struct{ to *bufio.Writer }

func (l legible) Write(text []byte) (int, error) { return l.WriteString(string(text)) }

func (l legible) WriteString(text string) (int, error) {
	written := text
	if !isPlainText(text) {
		written = strings.Map(visible, text)
	}
	if _, err := l.to.WriteString(written); err != nil {
		return 0, err
	}
	return len(text), nil
}

// isPlainText reports whether text is printable ASCII in lines. Nearly all of a page is.
func isPlainText(text string) bool {
	for i := range len(text) {
		if b := text[i]; (b < ' ' || b >= utf8.RuneSelf) && b != '\n' && b != '\t' {
			return false
		}
	}
	return true
}

// visible returns a character, or "?" for an invisible one.
func visible(r rune) rune {
	if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' || human.IsInvisible(r) {
		return '?'
	}
	return r
}
