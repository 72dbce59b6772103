package wrap

import (
	"bytes"

	"github.com/pelletier/go-toml/v2/unstable"
)

// unnamed is the table of what [[headers]] name: entries without a name, which are no servers.
const unnamed = "[[]]"

// parseTOML gathers the tables of a file into one tree. A dotted key and a header
// name the same path. A field's position is that of its own key.
func parseTOML(data []byte) (value, error) {
	var parser unstable.Parser
	mark := 0
	if bytes.HasPrefix(data, byteOrderMark) {
		mark = len(byteOrderMark)
	}
	parser.Reset(data[mark:])
	t := tomlReader{data: data[mark:], mark: mark, root: value{kind: table, block: true}}
	var header []string
	for parser.NextExpression() {
		switch expression := parser.Expression(); expression.Kind {
		case unstable.Table:
			header, _, _ = t.key(expression.Key())
		case unstable.ArrayTable:
			header, _, _ = t.key(expression.Key())
			header = append([]string{unnamed}, header...)
		case unstable.KeyValue:
			t.put(&t.root, header, t.field(expression))
		}
	}
	return t.root, parser.Error()
}

type tomlReader struct {
	data []byte
	mark int // bytes before data
	root value
}

// key returns a dotted key, with the positions of its first and last part.
func (t *tomlReader) key(parts unstable.Iterator) (path []string, from, last int) {
	for parts.Next() {
		part := parts.Node()
		last = int(part.Raw.Offset)
		if len(path) == 0 {
			from = last
		}
		path = append(path, string(part.Data))
	}
	return path, from, last
}

// keyed is a field, and the tables that its dotted key names.
type keyed struct {
	tables []string
	field  field
}

func (t *tomlReader) field(expression *unstable.Node) keyed {
	path, from, last := t.key(expression.Key())
	name := path[len(path)-1]
	f := field{key: name, from: t.mark + from, last: t.mark + last}
	f.value = t.value(expression.Value(), last)
	return keyed{path[:len(path)-1], f}
}

// put adds a field below a header's table and the path of the field's own key.
func (t *tomlReader) put(root *value, header []string, k keyed) {
	at := root
	for _, name := range append(append([]string{}, header...), k.tables...) {
		at = at.below(name)
	}
	at.fields = append(at.fields, k.field)
}

// below returns the table of that name, and makes it if it does not exist.
func (v *value) below(name string) *value {
	for i := range v.fields {
		if v.fields[i].key == name {
			return &v.fields[i].value
		}
	}
	v.fields = append(v.fields, field{key: name, value: value{kind: table, block: true}})
	return &v.fields[len(v.fields)-1].value
}

// value reads a value whose key begins at the given position.
func (t *tomlReader) value(node *unstable.Node, key int) value {
	switch node.Kind {
	case unstable.String:
		v := value{kind: word, text: string(node.Data), from: t.mark + int(node.Raw.Offset)}
		v.to = v.from + int(node.Raw.Length)
		v.fixed = bytes.HasPrefix(t.data[node.Raw.Offset:], []byte(`"""`)) || bytes.HasPrefix(t.data[node.Raw.Offset:], []byte("'''"))
		return v
	case unstable.Array:
		return t.list(node, key)
	case unstable.InlineTable:
		v := value{kind: table}
		for fields := node.Children(); fields.Next(); {
			if fields.Node().Kind == unstable.KeyValue {
				t.put(&v, nil, t.field(fields.Node()))
			}
		}
		return v
	case unstable.Bool, unstable.Float, unstable.Integer:
		return value{kind: word, text: string(node.Data), from: t.mark + int(node.Raw.Offset), to: t.mark + int(node.Raw.Offset+node.Raw.Length), fixed: true}
	}
	return value{}
}

// list reads an array. The parser does not report the position of its bracket. It is the
// first bracket behind the equals sign; a quoted key may contain brackets too.
func (t *tomlReader) list(node *unstable.Node, key int) value {
	v := value{kind: list}
	for items := node.Children(); items.Next(); {
		if item := items.Node(); item.Kind != unstable.Comment {
			v.items = append(v.items, t.value(item, key))
		}
	}
	v.from = t.mark + t.bracket(key)
	return v
}

func (t *tomlReader) bracket(key int) int {
	at := key
	if quote := t.data[at]; quote == '"' || quote == '\'' {
		for at++; t.data[at] != quote; at++ {
			if t.data[at] == '\\' && quote == '"' {
				at++
			}
		}
	}
	return at + bytes.IndexByte(t.data[at:], '[')
}
