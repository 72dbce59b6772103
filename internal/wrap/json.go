package wrap

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// maxDepth limits the recursion. Package discover has the same limit.
const maxDepth = 256

// jsonScanner reads JSON, JSON with comments, and JSON5 (spec.json5.org).
type jsonScanner struct {
	data []byte
	at   int
}

func parseJSON(data []byte) (value, error) {
	s := &jsonScanner{data: data}
	if bytes.HasPrefix(data, byteOrderMark) {
		s.at = len(byteOrderMark)
	}
	root, err := s.value(0)
	if err == nil {
		if s.space(); s.at < len(data) {
			err = errors.New("more than one value")
		}
	}
	if err != nil {
		return value{}, fmt.Errorf("line %d: %w", 1+bytes.Count(data[:min(s.at, len(data))], []byte("\n")), err)
	}
	return root, nil
}

// space skips white space and comments.
func (s *jsonScanner) space() {
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
func (s *jsonScanner) over(found, more int) {
	if found < 0 {
		s.at = len(s.data)
		return
	}
	s.at += found + more
}

// next is the first byte behind white space; 0 at the end.
func (s *jsonScanner) next() byte {
	if s.space(); s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

var errEndsEarly = errors.New("the text ends too early")

func (s *jsonScanner) value(depth int) (value, error) {
	if depth > maxDepth {
		return value{}, errors.New("nested too deeply")
	}
	switch s.next() {
	case 0:
		return value{}, errEndsEarly
	case '{':
		return s.table(depth)
	case '[':
		return s.list(depth)
	case '"', '\'':
		return s.quoted()
	}
	v := value{from: s.at, to: s.at + s.bare()}
	v.text, s.at = string(s.data[v.from:v.to]), v.to
	if v.text == "" {
		return value{}, errors.New("a value is missing")
	}
	if v.text != "null" {
		v.kind = word
	}
	return v, nil
}

// bare is the length of a number, a literal or a key without quotes.
func (s *jsonScanner) bare() int {
	if end := bytes.IndexAny(s.data[s.at:], " \t\r\n,:]}[{\"'/"); end >= 0 {
		return end
	}
	return len(s.data) - s.at
}

func (s *jsonScanner) list(depth int) (value, error) {
	v := value{kind: list, from: s.at}
	s.at++
	for s.next() != ']' {
		item, err := s.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
		if err := s.comma(']'); err != nil {
			return v, err
		}
	}
	s.at++
	v.to = s.at
	return v, nil
}

// comma skips a comma, which may be missing before the closing bracket.
func (s *jsonScanner) comma(closing byte) error {
	switch s.next() {
	case ',':
		s.at++
	case closing:
	default:
		return fmt.Errorf("want a comma or %c", closing)
	}
	return nil
}

func (s *jsonScanner) table(depth int) (value, error) {
	v := value{kind: table, from: s.at}
	s.at++
	for s.next() != '}' {
		f, err := s.field(depth)
		if err != nil {
			return v, err
		}
		v.fields = append(v.fields, f)
		if err := s.comma('}'); err != nil {
			return v, err
		}
	}
	s.at++
	v.to = s.at
	return v, nil
}

func (s *jsonScanner) field(depth int) (field, error) {
	f := field{from: s.at, last: s.at}
	switch s.next() {
	case 0:
		return f, errEndsEarly
	case '"', '\'':
		key, err := s.quoted()
		if err != nil {
			return f, err
		}
		f.key = key.text
	default:
		f.key = string(s.data[s.at : s.at+s.bare()])
		s.at += len(f.key)
	}
	if f.key == "" && s.at == f.from || s.next() != ':' {
		return f, errors.New("want a key and a colon")
	}
	s.at++
	var err error
	f.value, err = s.value(depth + 1)
	return f, err
}

func (s *jsonScanner) quoted() (value, error) {
	v := value{kind: word, from: s.at}
	quote := s.data[s.at]
	for s.at++; s.at < len(s.data) && s.data[s.at] != quote; s.at++ {
		if s.data[s.at] == '\\' {
			s.at++
		}
	}
	if s.at >= len(s.data) {
		return v, errors.New("a quoted text has no end")
	}
	s.at++
	v.to = s.at
	v.text = unescape(string(s.data[v.from+1 : v.to-1]))
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
		return hexadecimal(rest, 2)
	case 'u':
		return utf16Text(rest)
	}
	if at := strings.IndexRune(`bfnrtv0`, c); at >= 0 {
		return "\b\f\n\r\t\v\x00"[at : at+1], rest
	}
	return string(c), rest
}

func hexadecimal(text string, digits int) (meant, rest string) {
	if len(text) < digits {
		return "", ""
	}
	code, err := strconv.ParseUint(text[:digits], 16, 32)
	if err != nil {
		return "", text[digits:]
	}
	return string(rune(code)), text[digits:]
}

// utf16Text reads four digits, and four more for the other half of a character.
func utf16Text(text string) (meant, rest string) {
	if len(text) < 4 {
		return "", ""
	}
	first, err := strconv.ParseUint(text[:4], 16, 16)
	if err != nil {
		return "", text[4:]
	}
	if len(text) >= 10 && text[4:6] == `\u` && utf16.IsSurrogate(rune(first)) {
		if second, err := strconv.ParseUint(text[6:10], 16, 16); err == nil {
			return string(utf16.DecodeRune(rune(first), rune(second))), text[10:]
		}
	}
	return string(rune(first)), text[4:]
}
