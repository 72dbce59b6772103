package discover

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON, JSON with comments, and JSON5 (spec.json5.org): no library of these tells where a value stands.
type scanner struct {
	data   []byte
	at     int
	values int // that are kept
}

// parseJSON keeps of the tables only those at these paths: what a client has beside its servers, such as the history
// in ~/.claude.json, costs no memory.
func parseJSON(data []byte, tables []string) (Value, error) {
	s := &scanner{data: data}
	if bytes.HasPrefix(data, byteOrderMark) {
		s.at = len(byteOrderMark)
	}
	var wanted [][]string
	for _, table := range tables {
		path := strings.Split(table, "/")
		if table == "." {
			path = nil
		}
		wanted = append(wanted, path)
	}
	root, err := s.value(0, wanted)
	if s.space(); err == nil && s.at < len(s.data) {
		err = s.fault()
	}
	return root, err
}

// fault is the error that the text at the scanner's place is no JSON.
func (s *scanner) fault() error { return faultAt(s.data, min(s.at, len(s.data)), "JSON") }

// under returns what follows the key in each path that begins with it. Where a path ends, everything below is wanted.
func under(wanted [][]string, key string) (below [][]string) {
	for _, path := range wanted {
		switch {
		case len(path) == 0:
			below = append(below, path)
		case path[0] == key || path[0] == "*":
			below = append(below, path[1:])
		}
	}
	return below
}

// space skips white space and comments.
func (s *scanner) space() {
	for s.at < len(s.data) {
		rest := s.data[s.at:]
		switch c, size := utf8.DecodeRune(rest); {
		case strings.ContainsRune(" \t\r\n\v\f\u00a0\ufeff\u2028\u2029", c):
			s.at += size
		case bytes.HasPrefix(rest, []byte("//")):
			s.over(bytes.IndexAny(rest, "\n\r"), 0)
		case bytes.HasPrefix(rest, []byte("/*")):
			s.over(bytes.Index(rest[2:], []byte("*/")), 4)
		default:
			return
		}
	}
}

// over moves forward by found plus more bytes, or to the end if found is negative.
func (s *scanner) over(found, more int) {
	if found < 0 {
		s.at = len(s.data)
		return
	}
	s.at += found + more
}

// next is the first byte behind white space; 0 at the end.
func (s *scanner) next() byte {
	if s.space(); s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

// value reads a value. Where nothing in it is wanted, it is only skipped.
func (s *scanner) value(depth int, wanted [][]string) (Value, error) {
	if depth > maxNesting {
		return Value{}, errNested
	}
	if len(wanted) > 0 {
		if s.values++; s.values > maxValues {
			return Value{}, errValues
		}
	}
	switch s.next() {
	case '{':
		return s.table(depth, wanted)
	case '[':
		return s.list(depth, wanted)
	case '"', '\'':
		return s.quoted(len(wanted) > 0)
	}
	return s.bare()
}

// bare reads a number or a literal.
func (s *scanner) bare() (Value, error) {
	v := Value{From: s.at, To: s.at + s.bareLength()}
	v.Text = string(s.data[v.From:v.To])
	switch {
	case v.Text == "null":
	case v.Text == "true", v.Text == "false", isNumber(v.Text):
		v.Kind = Word
	default:
		return v, s.fault()
	}
	s.at = v.To
	return v, nil
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	_, notWhole := strconv.ParseInt(text, 0, 64) // 0xff
	return err == nil || errors.Is(err, strconv.ErrRange) || notWhole == nil
}

// bareLength is the length of a number, a literal or a key without quotes.
func (s *scanner) bareLength() int {
	if end := bytes.IndexAny(s.data[s.at:], " \t\r\n,:]}[{\"'/"); end >= 0 {
		return end
	}
	return len(s.data) - s.at
}

func (s *scanner) list(depth int, wanted [][]string) (Value, error) {
	v := Value{Kind: List, From: s.at}
	s.at++
	for s.next() != ']' {
		item, err := s.value(depth+1, wanted)
		if err == nil {
			err = s.comma(']')
		}
		if err != nil {
			return v, err
		}
		if len(wanted) > 0 {
			v.Items = append(v.Items, item)
		}
	}
	s.at++
	return v, nil
}

// comma skips a comma, which may be missing before the closing bracket.
func (s *scanner) comma(closing byte) error {
	switch s.next() {
	case ',':
		s.at++
	case closing:
	default:
		return s.fault()
	}
	return nil
}

func (s *scanner) table(depth int, wanted [][]string) (Value, error) {
	v := Value{Kind: Table, From: s.at}
	s.at++
	for s.next() != '}' {
		f, err := s.key()
		below := under(wanted, f.Key)
		if err == nil {
			f.Value, err = s.value(depth+1, below)
		}
		if err == nil {
			err = s.comma('}')
		}
		if err != nil {
			return v, err
		}
		if len(below) > 0 {
			v.Fields = append(v.Fields, f)
		}
	}
	s.at++
	return v, nil
}

// key reads the name of a field, and its colon.
func (s *scanner) key() (Field, error) {
	f := Field{From: s.at, Last: s.at}
	switch s.next() {
	case '"', '\'':
		key, err := s.quoted(true)
		if err != nil {
			return f, err
		}
		f.Key = key.Text
	default:
		f.Key = string(s.data[s.at : s.at+s.bareLength()])
		s.at += len(f.Key)
	}
	if s.at == f.From || s.next() != ':' {
		return f, s.fault()
	}
	s.at++
	return f, nil
}

// quoted reads a string; its text only if that is wanted.
func (s *scanner) quoted(wanted bool) (Value, error) {
	v := Value{Kind: Word, From: s.at}
	quote := s.data[s.at]
	for s.at++; s.at < len(s.data) && s.data[s.at] != quote; s.at++ {
		if s.data[s.at] == '\\' {
			s.at++
		}
	}
	if s.at >= len(s.data) {
		return v, s.fault()
	}
	s.at++
	if v.To = s.at; wanted {
		v.Text = unescape(string(s.data[v.From+1 : v.To-1]))
	}
	return v, nil
}

// unescape reads JSON5's escapes. Two UTF-16 halves are one character.
func unescape(text string) string {
	var plain strings.Builder
	for len(text) > 0 {
		before, after, escaped := strings.Cut(text, `\`)
		plain.WriteString(before)
		if text = after; !escaped {
			break
		}
		var c string
		c, text = escape(text)
		plain.WriteString(c)
	}
	return plain.String()
}

// escape reads the character or characters behind a backslash.
func escape(text string) (meant, rest string) {
	if text == "" {
		return "", ""
	}
	c, size := utf8.DecodeRuneInString(text)
	rest = text[size:]
	switch c {
	case '\r':
		return "", strings.TrimPrefix(rest, "\n")
	case '\n', '\u2028', '\u2029':
		return "", rest
	case 'x':
		char, rest := hexadecimal(rest, 2)
		return string(char), rest
	case 'u': // and another for the other half of a character
		first, rest := hexadecimal(rest, 4)
		if half, found := strings.CutPrefix(rest, `\u`); found && utf16.IsSurrogate(first) {
			if second, behind := hexadecimal(half, 4); utf16.IsSurrogate(second) {
				return string(utf16.DecodeRune(first, second)), behind
			}
		}
		return string(first), rest
	}
	if at := strings.IndexRune(`bfnrtv0`, c); at >= 0 {
		return "\b\f\n\r\t\v\x00"[at : at+1], rest
	}
	return string(c), rest
}

// hexadecimal reads so many digits; what is none is left out.
func hexadecimal(text string, digits int) (char rune, rest string) {
	digits = min(digits, len(text))
	code, _ := strconv.ParseUint(text[:digits], 16, 32)
	return rune(code), text[digits:]
}
