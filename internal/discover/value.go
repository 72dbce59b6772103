package discover

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/reaperd/reaperd/internal/catalogue"
)

// Value is a value of a file in any format, with its place in bytes, so that package wrap can change the file there.
type Value struct {
	Kind   Kind
	Text   string // of a word, as a command line's argument
	From   int    // position of the first byte: of a list in brackets the bracket, of a block the first dash
	To     int    // position behind the last byte of a word
	Items  []Value
	Fields []Field
	Block  bool   // a YAML list of lines, or a table of lines
	Fixed  bool   // cannot be changed in place: an anchor, an alias, or text over several lines
	alias  *Value // what a YAML alias stands for; its own Kind is Nothing
}

// Kind is the kind of a value.
type Kind uint8

// The kinds. A word is a string, a number or a boolean.
const (
	Nothing Kind = iota // null, or a value that no command line can hold
	Word
	List
	Table
)

// Field is one entry of a table. From is the position of its key, Last that of the key's last part, if it is dotted. The
// zero value is one that the table does not have.
type Field struct {
	Key        string
	From, Last int
	Value      Value
}

// Lookup is the last field of that name: parsers let the last one win.
func (v Value) Lookup(key string) (Field, bool) {
	for i := len(v.Fields) - 1; i >= 0; i-- {
		if v.Fields[i].Key == key {
			return v.Fields[i], true
		}
	}
	return Field{}, false
}

// target is the value itself, or the one that an alias stands for.
func (v Value) target() Value {
	if v.alias != nil {
		return *v.alias
	}
	return v
}

// Limits on the memory that reading one file may take: each value takes a hundred bytes
// or more, and each level of nesting takes stack.
const (
	maxValues   = 100_000
	maxNesting  = 256
	maxOpenings = 20_000 // brackets in formats whose strings are not skipped
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// parse reads a whole file. An empty one holds nothing. Of JSON only the tables are kept that the configuration names.
func parse(config catalogue.Config, data []byte) (Value, error) {
	switch {
	case len(bytes.TrimSpace(bytes.TrimPrefix(data, byteOrderMark))) == 0:
		return Value{}, nil
	case config.Format == catalogue.TOML:
		return parseTOML(data)
	case config.Format == catalogue.YAML:
		return parseYAML(data)
	}
	return parseJSON(data, config.Tables)
}

// bounded refuses a file that would cost more to read than any configuration is
// worth.
func bounded(data []byte) error {
	openings := bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{"))
	switch {
	case openings > maxOpenings:
		return errNested
	case bytes.Count(data, []byte(","))+openings > maxValues, bytes.Count(data, []byte("\n")) > maxValues:
		return errValues
	}
	return nil
}

var (
	errNested = Faults{{Text: "nested too deeply"}}
	errValues = Faults{{Text: "too many values"}}
)

// faultAt is the fault of a file that is malformed at a position.
func faultAt(data []byte, at int, language string) error {
	line := lineAt(data, at)
	column := at - bytes.LastIndexByte(data[:at], '\n')
	return Faults{{Line: line, Text: fmt.Sprintf("not valid %s at column %d", language, column)}}
}

// lineAt is the line, from 1, of the byte at offset.
func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}

// unquoted cuts a library's message where it begins to quote the file, since the
// quote may be a secret.
func unquoted(message string) string {
	if quote := strings.IndexAny(message, "\"'`"); quote >= 0 {
		message = message[:quote]
	}
	return strings.TrimRight(message, " :(")
}
