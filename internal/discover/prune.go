package discover

import (
	"bytes"
	"slices"
	"strings"
)

// pruned is JSON or JSON5 with a zero and blanks for every value that none of these tables is in, so that what a
// client keeps beside its servers, such as the history in ~/.claude.json, costs no memory. Lines stay the same.
func pruned(data []byte, tables []string) []byte {
	var wanted [][]string
	for _, table := range tables {
		if table == "." {
			return data
		}
		wanted = append(wanted, strings.Split(table, "/"))
	}
	p := pruner(bytes.Clone(data))
	if at := p.space(0); at < len(p) && p[at] == '{' {
		p.object(at, wanted)
	}
	return p
}

// pruner is a text that is being pruned. In a malformed one it goes on to the end, and the parser says what is wrong.
type pruner []byte

// object prunes an object and returns where it ends. wanted are the paths in it.
func (p pruner) object(i int, wanted [][]string) (end int) {
	for i = p.space(i + 1); i < len(p) && p[i] != '}'; i = p.space(i) {
		if p[i] == ',' {
			i++
			continue
		}
		key, colon := p.key(i)
		if colon >= len(p) || p[colon] != ':' {
			return len(p)
		}
		below, from := under(wanted, key), p.space(colon+1)
		switch {
		case slices.ContainsFunc(below, func(path []string) bool { return len(path) == 0 }), strings.Contains(key, `\`):
			i = p.value(from)
		case len(below) > 0 && from < len(p) && p[from] == '{':
			i = p.object(from, below)
		default:
			if i = p.value(from); i > from {
				blank(p[from:i])
				p[from] = '0'
			}
		}
	}
	return min(i+1, len(p))
}

// under are the rests of the paths that go on with a key.
func under(wanted [][]string, key string) (below [][]string) {
	for _, path := range wanted {
		if path[0] == key || path[0] == "*" {
			below = append(below, path[1:])
		}
	}
	return below
}

// key is the name of a member, and where the colon behind it should be.
func (p pruner) key(i int) (key string, colon int) {
	if p[i] == '"' || p[i] == '\'' {
		end := min(stringEnd(p, i), len(p))
		return string(p[i+1 : max(i+1, end)]), p.space(end + 1)
	}
	end := i
	for end < len(p) && !strings.ContainsRune(" \t\r\n:,{}[]/", rune(p[end])) {
		end++
	}
	return string(p[i:end]), p.space(end)
}

// value is where a value ends: before the comma or the bracket behind it.
func (p pruner) value(i int) int {
	for depth := 0; i < len(p); i++ {
		switch p[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth < 0 {
				return i
			}
		case ',':
			if depth == 0 {
				return i
			}
		case '"', '\'':
			i = stringEnd(p, i)
		case '/':
			i = commentEnd(p, i, "\n")
		}
	}
	return len(p)
}

// space is where the next character is that is no space and in no comment.
func (p pruner) space(i int) int {
	for ; i < len(p); i++ {
		switch {
		case p[i] == '/' && commentEnd(p, i, "\n") > i:
			i = commentEnd(p, i, "\n")
		case strings.IndexByte(" \t\r\n", p[i]) < 0:
			return i
		}
	}
	return len(p)
}
