package policy

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// What a policy file may cost before it is refused. A file of a thousand rules
// stays far below each of them.
const (
	maxFileBytes   = 1 << 20
	maxAliasNodes  = 10_000
	maxNestedNodes = 64
)

type nodeKind uint8

const (
	scalarNode nodeKind = iota
	listNode
	mappingNode
)

// node is a piece of YAML with its aliases resolved and its position. Two files are
// merged as nodes, so every value keeps its line.
type node struct {
	at     Origin
	column int
	kind   nodeKind
	tag    string // of a scalar: !!str, !!int, !!float, !!bool, !!null
	text   string
	items  []*node
	fields []field
	place  int // of an item of a list: its number in the file, from 1
}

type field struct {
	key    string
	at     Origin
	column int
	value  *node
}

func (n *node) isNull() bool { return n.kind == scalarNode && n.tag == "!!null" }

// get is the value of a key; nil if the mapping does not have it.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for _, f := range n.fields {
		if f.key == key {
			return f.value
		}
	}
	return nil
}

// with is a copy of the mapping with that field.
func (n *node) with(f field) *node {
	changed := *n
	changed.fields = slices.Clone(n.fields)
	for i := range changed.fields {
		if changed.fields[i].key == f.key {
			changed.fields[i] = f
			return &changed
		}
	}
	changed.fields = append(changed.fields, f)
	return &changed
}

// without is a copy of the mapping without the key.
func (n *node) without(key string) *node {
	changed := *n
	changed.fields = slices.DeleteFunc(slices.Clone(n.fields), func(f field) bool { return f.key == key })
	return &changed
}

// describe names a value's type for people.
func (n *node) describe() string {
	switch {
	case n.kind == listNode:
		return "a list"
	case n.kind == mappingNode:
		return "a mapping"
	case n.isNull():
		return "nothing"
	}
	return quoted(n.text)
}

// converter turns the YAML library's nodes into ours, and limits how much aliases can
// make of a small file.
type converter struct {
	file     string
	faults   *Faults
	expanded int
	full     bool
}

func (c *converter) fault(n *yaml.Node, text string) {
	*c.faults = append(*c.faults, Fault{Origin: Origin{c.file, n.Line}, Column: n.Column, Text: text})
}

// convert converts a node; nil if a fault makes it useless to go on.
func (c *converter) convert(n *yaml.Node, depth int, aliased bool) *node {
	if c.full {
		return nil
	}
	if depth > maxNestedNodes {
		c.full = true
		c.fault(n, "nested too deeply")
		return nil
	}
	if aliased {
		c.expanded++
	}
	if c.expanded > maxAliasNodes {
		c.full = true
		c.fault(n, "its aliases expand to too much; write the values out")
		return nil
	}
	if n.Kind == yaml.AliasNode {
		return c.convert(n.Alias, depth+1, true)
	}
	converted := &node{at: Origin{c.file, n.Line}, column: n.Column, tag: n.ShortTag(), text: n.Value}
	switch n.Kind {
	case yaml.SequenceNode:
		converted.kind = listNode
		for i, item := range n.Content {
			if item := c.convert(item, depth+1, aliased); item != nil {
				item.place = i + 1
				converted.items = append(converted.items, item)
			}
		}
	case yaml.MappingNode:
		converted.kind = mappingNode
		converted.fields = c.fields(n, depth, aliased)
	}
	return converted
}

func (c *converter) fields(n *yaml.Node, depth int, aliased bool) []field {
	var fields []field
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			c.fault(key, "a key is a word, not a list or a mapping")
			continue
		}
		if key.Tag == "!!merge" {
			c.fault(key, `merge keys ("<<") are not read; write the keys out, or use an alias for a whole value`)
			continue
		}
		if value := c.convert(value, depth+1, aliased); value != nil {
			fields = append(fields, field{key: key.Value, at: Origin{c.file, key.Line}, column: key.Column, value: value})
		}
	}
	return fields
}

// quoted is a text of the file for a message, cut if it is long.
func quoted(text string) string {
	const longest = 60
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return `"` + strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`, "\x1b", `\e`).Replace(text) + `"`
}
