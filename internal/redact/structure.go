package redact

import (
	"cmp"
	"slices"
	"strings"
)

// structured is a text without the secrets that its tables and lists give away: those of JSON, JSON5, YAML's
// flow style and TOML's inline values, also where quotes are escaped or the end is cut off. flag is the flag
// whose value the text is, or "".
func structured(s, flag string) string {
	if !strings.ContainsAny(s, `{["`) {
		return s
	}
	e := editor{text: s}
	for at := e.opening(0); at < len(s); {
		n := node{to: at, kind: '{'}
		if s[at] == '{' || s[at] == '[' {
			n = node{to: at + 1, kind: s[at]}
		}
		n = e.collection(n, 0)
		e.walk(n, namesBefore(s[:at], flag), "")
		at = e.opening(max(n.to, at+1))
	}
	return e.b.String() + s[e.copied:]
}

// maxNesting is how many tables and lists may be in one another; what is deeper is masked as a whole.
const maxNesting = 32

// node is a value in a text: a table, a list, or a scalar. The items of a table have names; "" is none.
type node struct {
	to     int    // where it ends, with its bracket or quote
	kind   byte   // '{', '[', 0 for a scalar, or deep
	text   string // of a scalar, as it stands between its quotes
	at     int    // where that begins
	quoted bool
	names  []string
	items  []node
}

// deep is the kind of what is nested too deeply.
const deep = 'd'

// word is the text of a table's item of that name; "" if there is none.
func (n node) word(name string) string {
	if at := slices.Index(n.names, name); at >= 0 {
		return n.items[at].text
	}
	return ""
}

// editor reads a text and replaces parts of it from left to right.
type editor struct {
	text   string
	b      strings.Builder
	copied int
}

func (e *editor) replace(n node, by string) {
	if n.at >= e.copied && by != n.text {
		e.b.WriteString(e.text[e.copied:n.at] + by)
		e.copied = n.at + len(n.text)
	}
}

// opening is where the next table or list begins; the text's end if there is none. A name in quotes before a colon
// begins a table whose brace is cut off.
func (e *editor) opening(from int) int {
	for i := from; i < len(e.text); i++ {
		switch c := e.text[i]; {
		case (c == '{' || c == '[') && (i == 0 || e.text[i-1] != '$'):
			return i
		case c == '"' && quotedName().MatchString(e.text[i:]):
			return max(from, len(strings.TrimRight(e.text[:i], `\`)))
		}
	}
	return len(e.text)
}

func (e *editor) value(i, depth int) node {
	switch {
	case i == len(e.text) || e.text[i] != '{' && e.text[i] != '[':
		return e.scalar(i, ",}]{[\n")
	case depth == maxNesting:
		return node{to: len(e.text), kind: deep, text: e.text[i:], at: i}
	}
	return e.collection(node{to: i + 1, kind: e.text[i]}, depth)
}

// collection reads the items of a table or list up to its end.
func (e *editor) collection(n node, depth int) node {
	for n.to = e.skip(n.to, ","); n.to < len(e.text); n.to = e.skip(n.to, ",") {
		if c := e.text[n.to]; c == '}' || c == ']' {
			n.to++
			return n
		}
		name, item := "", node{}
		if n.kind == '{' {
			name, item = e.member(n.to, depth+1)
		} else {
			item = e.value(n.to, depth+1)
		}
		n.names, n.items = append(n.names, name), append(n.items, item)
		n.to = max(item.to, n.to+1)
	}
	return n
}

// member reads an item of a table with its name. The colon behind a scheme separates nothing.
func (e *editor) member(i, depth int) (string, node) {
	key := e.scalar(i, ":=,}]{[\n")
	at := e.skip(key.to, "")
	if at >= len(e.text) || e.text[at] != ':' && e.text[at] != '=' || strings.HasPrefix(e.text[at:], "://") {
		return "", e.value(i, depth)
	}
	return key.text, e.value(e.skip(at+1, ">"), depth)
}

// skip is where the next character is that is neither white, nor escaped as such, nor one of more.
func (e *editor) skip(i int, more string) int {
	for i < len(e.text) {
		escape := i + e.slashes(i)
		switch {
		case strings.IndexByte(" \t\r\n", e.text[i]) >= 0 || strings.IndexByte(more, e.text[i]) >= 0:
			i++
		case escape > i && escape < len(e.text) && strings.IndexByte("ntr", e.text[escape]) >= 0:
			i = escape + 1
		default:
			return i
		}
	}
	return i
}

// slashes is how many backslashes stand at i.
func (e *editor) slashes(i int) int { return len(e.text) - i - len(strings.TrimLeft(e.text[i:], `\`)) }

// scalar reads a string in quotes, or a bare word up to one of the characters of ends.
func (e *editor) scalar(i int, ends string) node {
	if at := i + e.slashes(i); at < len(e.text) && (e.text[at] == '"' || e.text[at] == '\'') {
		if long := strings.Repeat(e.text[at:at+1], 3); strings.HasPrefix(e.text[at:], long) {
			at += len(long) - 1
		}
		opening := e.text[i : at+1]
		end := e.closing(at+1, opening)
		return node{to: min(end+len(opening), len(e.text)), text: e.text[at+1 : end], at: at + 1, quoted: true}
	}
	end := i
	for end < len(e.text) && strings.IndexByte(ends, e.text[end]) < 0 {
		if reference := variableReference().FindString(e.text[end:]); reference != "" {
			end += len(reference) - 1
		}
		end++
	}
	return node{to: end, text: strings.TrimRight(e.text[i:end], " \t\r"), at: i}
}

// closing is where a string ends. Each string around it doubles the backslashes and adds one to a quote: k of
// them open and close it, and those of its own text come in groups of 2(k+1).
func (e *editor) closing(i int, opening string) int {
	quote := strings.TrimLeft(opening, `\`)
	k := len(opening) - len(quote)
	for i < len(e.text) {
		run := e.slashes(i)
		at := i + run
		if strings.HasPrefix(e.text[at:], quote) {
			if run < k {
				return at
			}
			if run%(2*(k+1)) == k {
				return at - k
			}
		}
		i = at + 1
	}
	return len(e.text)
}

// walk masks what is secret in a value of these names. program is what a list has the arguments of.
func (e *editor) walk(n node, names []string, program string) {
	switch {
	case n.kind == '{':
		e.table(n, names)
	case n.kind == '[' && len(n.items) > 0:
		e.list(n, names, program)
	case n.kind == deep:
		e.replace(n, Mask)
	case n.kind == 0:
		clean := member(names, n.text)
		if clean == n.text && n.quoted {
			clean = structured(n.text, "")
		}
		e.replace(n, clean)
	}
}

// table masks what is secret in a table. One with a list of arguments is a server, whatever it is called; one with
// a name and a value is what it is called.
func (e *editor) table(n node, names []string) {
	if at := slices.Index(n.names, "args"); at >= 0 && n.items[at].kind == '[' {
		names = nil
	}
	called := cmp.Or(n.word("name"), n.word("key"))
	isPair := called != "" && slices.Contains(n.names, "value")
	for i, item := range n.items {
		name := n.names[i]
		switch {
		case isPair && in("name key", name): // it stays
			continue
		case isPair && name == "value":
			name = called
		}
		under := slices.Clip(names)
		if name != "" {
			under = append(under, name)
		}
		e.walk(item, under, n.word("command"))
	}
}

// list masks what is secret in a list: as the arguments of a program, or by the names of the list.
func (e *editor) list(n node, names []string, program string) {
	words := []string{program}
	for _, item := range n.items {
		words = append(words, item.text)
	}
	if len(names) > 0 && names[len(names)-1] == "command" {
		words = words[1:]
	}
	words = once(words, literal)
	words = words[len(words)-len(n.items):]
	for i, item := range n.items {
		clean := member(names, item.text)
		if clean == item.text {
			clean = words[i]
		}
		if item.kind == 0 {
			e.replace(item, clean)
		} else {
			e.walk(item, names, program)
		}
	}
}

// maxName is how far before a table its name is looked for, in bytes.
const maxName = 128

// namesBefore are the names of the table that begins behind a text: "a.env=" has two.
func namesBefore(text, flag string) []string {
	text = strings.TrimRight(text[max(0, len(text)-maxName):], `"'\`)
	if text != "" && strings.IndexByte(":= \t\n", text[len(text)-1]) >= 0 {
		if found := nameBefore().FindStringSubmatch(text); found != nil {
			return strings.Split(found[1]+found[2], ".")
		}
	}
	if flag = strings.TrimLeft(flag, "-"); flag != "" {
		return []string{flag}
	}
	return nil
}

var (
	quotedName        = lazily(`^"[A-Za-z0-9_.\-]+\\*"\s*[:=]\s*\\*["'{\[]`)
	nameBefore        = lazily(`(?:([A-Za-z_][A-Za-z0-9_.\-]*)["'\\]*\s*[:=]|\s--?([A-Za-z][A-Za-z0-9_\-]*)\s)\s*$`)
	variableReference = lazily(`^\$\{[^{}]*\}`)
)
