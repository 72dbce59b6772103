package human

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe makes a text from somebody else, such as an argument or a label, safe for one line
// of a terminal. It writes "?" for every character that could move the cursor, change
// colours or reorder the text around it, and for invalid UTF-8.
func Safe(text string) string { return strings.Map(safe, text) }

func safe(r rune) rune {
	switch {
	case r == noBreakSpace:
		return ' '
	case r == utf8.RuneError, r < ' ', IsInvisible(r):
		return '?'
	}
	return r
}

const noBreakSpace = '\u00a0'

// IsInvisible reports whether a character is invisible and may move a terminal's cursor
// or reorder the text around it: control characters beyond ASCII, DEL, and formatting
// characters such as U+202E.
func IsInvisible(r rune) bool {
	return r == 0x7f || r > unicode.MaxASCII && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
}

// Capital begins a sentence with a text: its first letter becomes a capital one.
func Capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Line writes a person's text, such as the reason of a pin, as one safe line.
func Line(text string) string { return Safe(strings.Join(strings.Fields(text), " ")) }

// ASCII writes a text for a terminal without UTF-8: for each character the nearest ASCII
// sign, else "?".
func ASCII(text string) string { return strings.Map(ascii, text) }

func ascii(r rune) rune {
	switch {
	case r <= unicode.MaxASCII:
		return r
	case r == noBreakSpace:
		return ' '
	}
	switch r {
	case '–', '—', '·':
		return '-'
	case '×':
		return 'x'
	case '‘', '’':
		return '\''
	case '“', '”':
		return '"'
	case '›':
		return '>'
	}
	return '?'
}

// Handle shortens an identity to what a person types: the PID of a process's (PID:START),
// the first digits of a container's.
func Handle(id string) string {
	if pid, _, isProcess := strings.Cut(id, ":"); isProcess {
		return pid
	}
	return id[:min(len(id), 12)]
}
