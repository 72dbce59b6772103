package human

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe is a text of somebody else, such as an argument or a label, for one line
// of a terminal: "?" stands for every character that could move its cursor,
// change its colours, reorder the text around it, or that is no UTF-8.
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

// IsInvisible reports a character that shows as nothing and may move a terminal's
// cursor or turn the text around it: control characters behind ASCII's, DEL, and
// formatting ones such as U+202E.
func IsInvisible(r rune) bool {
	return r == 0x7f || r > unicode.MaxASCII && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
}

// Line is a text that somebody wrote, such as the reason of a pin, as one safe line.
func Line(text string) string { return Safe(strings.Join(strings.Fields(text), " ")) }

// ASCII is a text for a terminal without UTF-8: the nearest sign where there is
// one, else "?".
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

// Handle is an identity as a person types it: the PID of a process's (PID:START),
// the first digits of a container's.
func Handle(id string) string {
	if pid, _, isProcess := strings.Cut(id, ":"); isProcess {
		return pid
	}
	return id[:min(len(id), 12)]
}
