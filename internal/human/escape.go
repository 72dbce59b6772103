package human

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// EscapeJSON writes the invisible characters of a JSON document as \uXXXX. The document
// means the same: JSON has such characters only in strings.
func EscapeJSON(document []byte) []byte {
	at := bytes.IndexFunc(document, IsInvisible)
	if at < 0 {
		return document
	}
	escaped := bytes.NewBuffer(append(make([]byte, 0, len(document)+64), document[:at]...))
	for rest := document[at:]; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if IsInvisible(r) {
			escapeRune(escaped, r)
		} else {
			escaped.Write(rest[:size])
		}
		rest = rest[size:]
	}
	return escaped.Bytes()
}

func escapeRune(b *bytes.Buffer, r rune) {
	if first, second := utf16.EncodeRune(r); first != unicode.ReplacementChar {
		fmt.Fprintf(b, `\u%04x\u%04x`, first, second)
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}
