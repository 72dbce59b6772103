package wrap

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// parseYAML reads the first document of a file.
func parseYAML(data []byte) (value, error) {
	var parsed yaml.Node
	if err := yaml.Unmarshal(data, &parsed); err != nil {
		return value{}, err
	}
	if len(parsed.Content) == 0 {
		return value{}, nil
	}
	y := yamlReader{data: data, lines: lineStarts(data)}
	return y.value(parsed.Content[0]), nil
}

type yamlReader struct {
	data  []byte
	lines []int // the position of each line
}

func lineStarts(data []byte) []int {
	starts := []int{0}
	for i, c := range data {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// at returns the position of a line and a column. Both count from 1; columns count
// characters.
func (y *yamlReader) at(line, column int) int {
	if line < 1 || line > len(y.lines) {
		return len(y.data)
	}
	at := y.lines[line-1]
	if line == 1 && bytes.HasPrefix(y.data, byteOrderMark) {
		at = len(byteOrderMark)
	}
	for ; column > 1 && at < len(y.data); column-- {
		_, size := utf8.DecodeRune(y.data[at:])
		at += size
	}
	return at
}

func (y *yamlReader) value(node *yaml.Node) value {
	v := value{from: y.at(node.Line, node.Column), block: node.Style&yaml.FlowStyle == 0}
	v.fixed = node.Anchor != "" || node.Kind == yaml.AliasNode || node.Style&yaml.TaggedStyle != 0
	switch node.Kind {
	case yaml.ScalarNode:
		y.scalar(node, &v)
	case yaml.SequenceNode:
		v.kind = list
		for _, item := range node.Content {
			v.items = append(v.items, y.value(item))
		}
	case yaml.MappingNode:
		v.kind = table
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i]
			from := y.at(key.Line, key.Column)
			v.fields = append(v.fields, field{key: key.Value, from: from, last: from, value: y.value(node.Content[i+1])})
		}
	}
	return v
}

// scalar finds the end of a scalar and sets fixed if the scalar takes several lines.
func (y *yamlReader) scalar(node *yaml.Node, v *value) {
	if node.ShortTag() == "!!null" {
		return
	}
	v.kind, v.text = word, node.Value
	rest := string(y.data[min(v.from, len(y.data)):])
	line, _, _ := strings.Cut(rest, "\n")
	length := 0
	switch {
	case node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
	case node.Style&yaml.DoubleQuotedStyle != 0:
		length = doubleQuoted(line)
	case node.Style&yaml.SingleQuotedStyle != 0:
		length = singleQuoted(line)
	case strings.HasPrefix(line, node.Value):
		length = len(node.Value)
	}
	v.to, v.fixed = v.from+length, v.fixed || length == 0
}

// doubleQuoted returns the length of a text in double quotes; 0 if it does not end in
// this line.
func doubleQuoted(line string) int {
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// singleQuoted returns the length of a text in single quotes. Inside, two quotes mean
// one.
func singleQuoted(line string) int {
	for i := 1; i < len(line); i++ {
		if line[i] != '\'' {
			continue
		}
		if i++; i == len(line) || line[i] != '\'' {
			return i
		}
	}
	return 0
}
