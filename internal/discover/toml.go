package discover

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// parseTOML gathers the tables of a file into one tree. A dotted key and a header
// name the same path. A field's position is that of its own key. The library that reports positions finds no key that
// is given twice, so another reads the file first.
func parseTOML(data []byte) (Value, error) {
	if err := bounded(data); err != nil {
		return Value{}, err
	}
	mark := 0
	if bytes.HasPrefix(data, byteOrderMark) {
		mark = len(byteOrderMark)
	}
	if err := toml.Unmarshal(data[mark:], &map[string]any{}); err != nil {
		return Value{}, tomlFault(err)
	}
	var parser unstable.Parser
	parser.Reset(data[mark:])
	t := tomlReader{data: data[mark:], mark: mark}
	root := Value{Kind: Table, Block: true}
	var header []string
	var from int
	for parser.NextExpression() {
		switch expression := parser.Expression(); expression.Kind {
		case unstable.Table:
			header, from, _ = t.key(expression.Key())
		case unstable.ArrayTable:
			header, from, _ = t.key(expression.Key())
			root.below(header[:len(header)-1], from).begin(header[len(header)-1], from)
		case unstable.KeyValue:
			t.put(root.below(header, from), expression)
		}
	}
	return root, nil
}

// tomlFault drops the text of the library's error, which may quote the file.
func tomlFault(err error) error {
	var syntax *toml.DecodeError
	if !errors.As(err, &syntax) {
		return Faults{{Text: "not valid TOML"}}
	}
	line, column := syntax.Position()
	return Faults{{Line: line, Text: fmt.Sprintf("not valid TOML at column %d", column)}}
}

type tomlReader struct {
	data []byte
	mark int // bytes before data
}

// key returns a dotted key, with the positions of its first and last part.
func (t *tomlReader) key(parts unstable.Iterator) (path []string, from, last int) {
	for parts.Next() {
		part := parts.Node()
		last = t.mark + int(part.Raw.Offset)
		if len(path) == 0 {
			from = last
		}
		path = append(path, string(part.Data))
	}
	return path, from, last
}

// put adds a field to a table, below the tables that its dotted key names.
func (t *tomlReader) put(table *Value, expression *unstable.Node) {
	path, from, last := t.key(expression.Key())
	tables, name := path[:len(path)-1], path[len(path)-1]
	at := table.below(tables, from)
	at.Fields = append(at.Fields, Field{Key: name, From: from, Last: last, Value: t.value(expression.Value(), last)})
}

// below is the table at a path, which is made where it does not exist; of [[headers]] it is the last.
func (v *Value) below(path []string, from int) *Value {
	for _, name := range path {
		if v = v.field(name, from); len(v.Items) > 0 {
			v = &v.Items[len(v.Items)-1]
		}
	}
	return v
}

// begin adds a table to the list of [[headers]] of that name.
func (v *Value) begin(name string, from int) {
	list := v.field(name, from)
	list.Kind, list.Items = List, append(list.Items, Value{Kind: Table, From: from, Block: true})
}

// field is the value of that name, at first an empty table.
func (v *Value) field(name string, from int) *Value {
	at := slices.IndexFunc(v.Fields, func(f Field) bool { return f.Key == name })
	if at < 0 {
		at = len(v.Fields)
		v.Fields = append(v.Fields, Field{Key: name, From: from, Last: from, Value: Value{Kind: Table, From: from, Block: true}})
	}
	return &v.Fields[at].Value
}

// value reads a value whose key begins at the given position.
func (t *tomlReader) value(node *unstable.Node, key int) Value {
	switch node.Kind {
	case unstable.String, unstable.Bool, unstable.Float, unstable.Integer:
		v := Value{Kind: Word, Text: string(node.Data), From: t.mark + int(node.Raw.Offset)}
		v.To = v.From + int(node.Raw.Length)
		raw := t.data[node.Raw.Offset:]
		v.Fixed = node.Kind != unstable.String || bytes.HasPrefix(raw, []byte(`"""`)) || bytes.HasPrefix(raw, []byte("'''"))
		return v
	case unstable.Array:
		return t.list(node, key)
	case unstable.InlineTable:
		v := Value{Kind: Table, From: key}
		for fields := node.Children(); fields.Next(); {
			if fields.Node().Kind == unstable.KeyValue {
				t.put(&v, fields.Node())
			}
		}
		return v
	}
	return Value{From: key}
}

// list reads an array. The parser does not report the position of its bracket. It is the
// first bracket behind the equals sign; a quoted key may contain brackets too.
func (t *tomlReader) list(node *unstable.Node, key int) Value {
	v := Value{Kind: List, From: t.bracket(key)}
	for items := node.Children(); items.Next(); {
		if item := items.Node(); item.Kind != unstable.Comment {
			v.Items = append(v.Items, t.value(item, key))
		}
	}
	return v
}

func (t *tomlReader) bracket(key int) int {
	at := key - t.mark
	if quote := t.data[at]; quote == '"' || quote == '\'' {
		for at++; t.data[at] != quote; at++ {
			if t.data[at] == '\\' && quote == '"' {
				at++
			}
		}
	}
	return t.mark + at + bytes.IndexByte(t.data[at:], '[')
}
