package wrap

import "github.com/reaperd/reaperd/internal/catalogue"

// value is one value of a file, with its position.
type value struct {
	kind   kind
	text   string // of a word
	from   int    // position of the first byte: of a list in brackets the bracket, of a block the first dash
	to     int    // position behind the last byte of a word
	items  []value
	fields []field
	block  bool // a YAML list of lines, or a table of lines
	fixed  bool // cannot be changed in place: an anchor, or text over several lines
}

type kind uint8

const (
	other kind = iota // null, or a value that no command line can hold
	word
	list
	table
)

// field is one entry of a table. from is the position of its key, last that of the key's
// last part, if it is dotted.
type field struct {
	key        string
	from, last int
	value      value
}

// lookup returns the last field of that name: parsers let the last one win.
func (v value) lookup(key string) (field, bool) {
	for i := len(v.fields) - 1; i >= 0; i-- {
		if v.fields[i].key == key {
			return v.fields[i], true
		}
	}
	return field{}, false
}

// texts returns the words of a list; false if an item is not a word.
func (v value) texts() ([]string, bool) {
	var texts []string
	for _, item := range v.items {
		if item.kind != word || item.fixed {
			return nil, false
		}
		texts = append(texts, item.text)
	}
	return texts, v.kind == list && !v.fixed
}

// document is a whole file in the format of config.
type document struct {
	data   []byte
	config catalogue.Config
	root   value
}

func parse(data []byte, config catalogue.Config) (document, error) {
	d := document{data: data, config: config}
	var err error
	switch config.Format {
	case catalogue.TOML:
		d.root, err = parseTOML(data)
	case catalogue.YAML:
		d.root, err = parseYAML(data)
	default:
		d.root, err = parseJSON(data)
	}
	return d, err
}

// is reports whether the file has that format.
func (d document) is(format catalogue.Format) bool { return d.config.Format == format }
