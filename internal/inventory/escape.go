package inventory

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// IsInvisible reports a character that shows as nothing and may move a terminal's
// cursor or turn the text around it: control characters behind ASCII's, DEL, and
// formatting ones such as U+202E.
func IsInvisible(r rune) bool {
	return r == 0x7f || r > unicode.MaxASCII && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
}

// EscapeJSON writes the invisible characters of a JSON document as \uXXXX. The
// document means the same: such characters stand in its strings alone.
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
